import Joi from 'joi';
import { type KnowledgeDocuments, MAX_DOCUMENT_BYTES, MAX_DOCUMENTS } from '../../../actors/services/ai-reply/documents.ts';
import type { FairSlots } from '../../../runtime/fair-slots.ts';
import { takeFile } from '../../core/multipart.ts';
import { type Area, type Call, rowsFor, type Upload } from '../../core/row.ts';
import { Done, Ulid } from '../../core/schemas.ts';
import { DocumentSchema, toDocument } from './schemas.ts';

export interface AiDocumentsServices {
  readonly documents: KnowledgeDocuments;
  readonly uploads: FairSlots;
}

const PATH = '/v1/ai-reply/documents';
const FORM_BYTES = 65_536;

const row = rowsFor<AiDocumentsServices>();
const one = Joi.object<{ id: string }, true>({ id: Ulid.required() });

export const aiDocuments: Area<AiDocumentsServices> = {
  name: 'ai documents',
  about:
    `Documents that AI replies quote: at most ${MAX_DOCUMENTS} documents of 25 MB each, 500 MB and 10,000 passages together. Files are processed on this server, after the response is sent. ` +
    'A damaged, empty, scanned, locked or malicious file ends as `failed`, and `error` says why. Documents belong to the whole business: agents and device-restricted keys cannot use them',
  rows: [
    row({
      access: 'bearer',
      id: 'uploadDocument',
      method: 'POST',
      path: PATH,
      summary: 'Upload a document',
      about:
        'Upload a document of at most 25 MB in the form part `file`: pdf, docx, xlsx, csv, txt, md or html. The document is processed after the response is sent',
      audit: { action: 'ai_document.create', on: 'ai_documents', kinds: ['insert'] },
      stepUp: { none: 'changes automatic answers; grants no access' },
      bytes: { types: ['multipart/form-data'], maxBytes: MAX_DOCUMENT_BYTES + FORM_BYTES, stream: true },
      status: 202,
      returns: DocumentSchema,
      refuses: ['LIMIT_REACHED', 'OVERLOADED'],
      run: ({ documents, uploads }, { caller: { tenantId }, body, lang }: Call<unknown, unknown, Upload>) =>
        uploads.run(tenantId, async () =>
          toDocument(await takeFile(body, ({ source, filename }) => documents.upload(tenantId, source, filename)), lang),
        ),
    }),
    row({
      access: 'bearer',
      id: 'addDocumentPage',
      method: 'POST',
      path: `${PATH}/url`,
      summary: 'Read a web page',
      about: 'Add a web page of at most 5 MB. To update it, read the document again',
      audit: { action: 'ai_document.create', on: 'ai_documents', kinds: ['insert'] },
      stepUp: { none: 'changes automatic answers; grants no access' },
      body: Joi.object<{ url: string }, true>({
        url: Joi.string()
          .uri({ scheme: ['http', 'https'] })
          .max(2_000)
          .required()
          .example('https://example.com/faq'),
      }),
      status: 202,
      returns: DocumentSchema,
      refuses: ['LIMIT_REACHED', 'URL_BLOCKED'],
      run: async ({ documents }, { caller, body, lang }) => toDocument(await documents.addPage(caller.tenantId, body.url), lang),
    }),
    row({
      access: 'bearer',
      id: 'listDocuments',
      list: { of: 'documents' },
      method: 'GET',
      path: PATH,
      summary: 'List documents',
      about: 'List all documents, newest first',
      status: 200,
      returns: Joi.object({ documents: Joi.array().items(DocumentSchema).required() }),
      run: async ({ documents }, { caller, lang }) => ({
        documents: (await documents.list(caller.tenantId)).map((document) => toDocument(document, lang)),
      }),
    }),
    row({
      access: 'bearer',
      id: 'getDocument',
      method: 'GET',
      path: `${PATH}/{id}`,
      summary: 'Get a document',
      about: 'Get a document with its reading progress, or the reason why it could not be read',
      params: one,
      status: 200,
      returns: DocumentSchema,
      refuses: ['NOT_FOUND'],
      run: async ({ documents }, { caller, params, lang }) => toDocument(await documents.get(caller.tenantId, params.id), lang),
    }),
    row({
      access: 'bearer',
      id: 'deleteDocument',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      summary: 'Delete a document',
      about: 'Delete a document. Replies stop quoting it at once, and its status is `deleting` until its text and file are removed',
      audit: { action: 'ai_document.delete', on: 'ai_documents' },
      stepUp: { none: 'changes automatic answers; grants no access' },
      params: one,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run({ documents }, { caller, params }) {
        await documents.remove(caller.tenantId, params.id);
        return { ok: true };
      },
    }),
    row({
      access: 'bearer',
      id: 'parseDocument',
      method: 'POST',
      path: `${PATH}/{id}/parse`,
      summary: 'Read a document again',
      about: 'Read a `ready` or `failed` document again. Replies use the old text until the new one is ready',
      audit: { action: 'ai_document.parse', on: 'ai_documents' },
      stepUp: { none: 'changes automatic answers; grants no access' },
      params: one,
      status: 202,
      returns: DocumentSchema,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: async ({ documents }, { caller, params, lang }) => toDocument(await documents.parse(caller.tenantId, params.id), lang),
    }),
  ],
};
