import { buffer } from 'node:stream/consumers';
import Joi from 'joi';
import type { Clerical } from '../../actors/crm/clerical.ts';
import type { CrmPorts } from '../../actors/crm/contacts.ts';
import { MOST_ERRORS } from '../../actors/crm/import/import-step.ts';
import { MAX_IMPORT_BYTES, type StoredFile, storeCsv, storeRows } from '../../actors/crm/import/intake.ts';
import type { ImportReader } from '../../actors/crm/import/reader.ts';
import { vocabularyOf } from '../../actors/crm/vocabulary.ts';
import { refusal } from '../../actors/refusals.ts';
import type { ChoreRow, ImportChore, ImportTally } from '../../store/chores.ts';
import type { ImportFiles } from '../../store/import-files.ts';
import { takeFile } from '../multipart.ts';
import { type Area, type Call, rowsFor, type Upload } from '../row.ts';
import { Ulid } from '../schemas.ts';

export interface ContactImportsWorld extends Pick<CrmPorts, 'words'> {
  readonly clerical: Clerical;
  readonly importFiles: ImportFiles;
  readonly importReader: ImportReader;
}

/** api.md "CRM". */
interface Import extends ImportTally {
  readonly id: string;
  readonly status: ChoreRow['status'];
  /** Columns of the file that were left out. */
  readonly ignored: readonly string[];
  readonly errors: ImportChore['errors'];
}

/** What a form has around its file. */
const FORM_BYTES = 65_536;

const count = Joi.number().integer().min(0).required();
const ImportSchema = Joi.object<Import>({
  id: Ulid.required(),
  status: Joi.string().valid('queued', 'running', 'done', 'failed').required(),
  total: count.description('Rows read so far'),
  created: count,
  updated: count,
  invalid: count.description('Rows with an error: nothing of them is imported'),
  opted_in: count,
  ignored: Joi.array().items(Joi.string()).required().description('Columns that were left out: their header is none that we know'),
  errors: Joi.array()
    .items(Joi.object({ row: Joi.number().integer().required(), field: Joi.string().required(), error: Joi.string().required() }))
    .required()
    .description(`The first ${MOST_ERRORS}. \`row\` is the line in the file, the header being line 1; of JSON the index from 1`),
}).meta({ title: 'ContactImport' });

const row = rowsFor<ContactImportsWorld>();

export const contactImports: Area<ContactImportsWorld> = {
  name: 'contact imports',
  about:
    'Contacts from a file, at most 25 MB: a phone that is known is updated (empty cells and what is not in the file stay as they are; tags are added). ' +
    'Columns are matched by their header, in English or Indonesian: phone, name, first and last name, var1 to var5, group, tags (separated by `;`), opt_in ' +
    '(yes or no), `attr.<key>` or the name of an attribute. Comma, semicolon, tab and bar separate; UTF-8, UTF-16 and Windows-1252 are understood',
  rows: [
    row({
      id: 'importContacts',
      method: 'POST',
      path: '/v1/contacts/import',
      summary:
        'Import contacts from CSV (the part `file` of a form, or the body), or from JSON `{rows: [{phone, name, tags, attrs, …}], opt_in?}`. ' +
        '`opt_in=true` says that all of them agreed to be written to; a column says it of each',
      access: 'bearer',
      agents: false,
      limit: 'bulk',
      bytes: {
        types: ['text/csv', 'text/plain', 'application/csv', 'application/vnd.ms-excel', 'multipart/form-data', 'application/json'],
        maxBytes: MAX_IMPORT_BYTES + FORM_BYTES,
        stream: true,
      },
      query: Joi.object<{ opt_in?: boolean }>({ opt_in: Joi.boolean().description('Of a row that does not say') }),
      status: 202,
      returns: Joi.object({ id: Ulid.required() }),
      refuses: ['INVALID_JSON', 'OVERLOADED'],
      run: begin,
    }),
    row({
      id: 'getContactImport',
      method: 'GET',
      path: '/v1/contacts/imports/{id}',
      summary: 'How far an import is and what was wrong; kept for 30 days after its end',
      access: 'bearer',
      agents: false,
      params: Joi.object<{ id: string }>({ id: Ulid.required() }),
      status: 200,
      returns: ImportSchema,
      refuses: ['NOT_FOUND'],
      async run({ clerical }, { caller, params }) {
        const chore = await clerical.find(caller.tenantId, params.id);
        if (chore?.kind !== 'import') throw refusal('NOT_FOUND');
        const { _id: id, status, tally, file, errors } = chore;
        return { id, status, ...tally, ignored: file.ignored, errors };
      },
    }),
  ],
};

const NOTHING_YET: ImportTally = { total: 0, created: 0, updated: 0, invalid: 0, opted_in: 0 };

async function begin(world: ContactImportsWorld, call: Call<unknown, { opt_in?: boolean }, unknown>): Promise<{ id: string }> {
  const { caller, query, now } = call;
  const { file, optIn } = await stored(world, call);
  const { id, offset, line, ...rest } = file;
  const source = { ...rest, callingCode: caller.callingCode, optIn: query.opt_in ?? optIn };
  await world.clerical.order(
    caller.tenantId,
    { kind: 'import', file: source, place: { offset, line }, tally: NOTHING_YET, errors: [] },
    now,
    id,
  );
  return { id };
}

async function stored(
  world: ContactImportsWorld,
  { caller: { tenantId }, body, now }: Call<unknown, unknown, unknown>,
): Promise<{ file: StoredFile; optIn: boolean }> {
  const upload = body as Upload;
  if (upload.type.toLowerCase().startsWith('application/json')) return fromJson(world, tenantId, upload, now);
  const vocabulary = await vocabularyOf(world.words, tenantId);
  const file = await takeFile(upload, ({ source }) => storeCsv(world.importFiles, tenantId, source, vocabulary, now));
  return { file, optIn: false };
}

async function fromJson({ importReader, importFiles }: ContactImportsWorld, tenantId: string, upload: Upload, now: number) {
  const bytes = await takeFile(upload, ({ source }) => whole(source));
  const read = await importReader.json(bytes);
  if (read === 'json') throw refusal('INVALID_JSON');
  if (read === 'rows') throw refusal('VALIDATION_FAILED', { reason: NO_ROWS });
  return { file: await storeRows(importFiles, tenantId, read.rows, now), optIn: read.optIn };
}

async function whole(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let size = 0;
  async function* limited(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > MAX_IMPORT_BYTES) throw refusal('PAYLOAD_TOO_LARGE');
      yield chunk;
    }
  }
  return buffer(limited());
}

const NO_ROWS = {
  en: 'the body is {rows: [objects], opt_in?: boolean}, at most 32 levels deep',
  id: 'isi permintaan berupa {rows: [objek], opt_in?: boolean}, paling banyak 32 tingkat',
};
