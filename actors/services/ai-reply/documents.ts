import { extname } from 'node:path';
import type { ChildProcesses } from '../../../runtime/child-processes/child-processes.ts';
import type { Staged } from '../../../runtime/child-processes/job-folders.ts';
import { blockedText, type Egress } from '../../../runtime/egress/egress.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ids.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import type { DocumentShares } from '../../../store/ai-reply/document-shares.ts';
import type { DocumentRow, DocumentStatus, Documents, DocumentType, PassageRow } from '../../../store/ai-reply/documents.ts';
import type { DocumentJob, JobPatch } from '../../../store/jobs/jobs.ts';
import type { MediaBytes } from '../../../store/media/media.ts';
import { cut } from '../../domain/cut.ts';
import { beyondLimit } from '../../domain/plans.ts';
import { inStatus, invalidField, refusal } from '../../domain/refusals.ts';
import { ByteMeter } from '../media/byte-meter.ts';
import { plainName } from '../media/describe-file.ts';
import type { MediaFetcher } from '../media/fetcher.ts';
import { GONE, KINDS, reasonOf, SPEAKS_TO_MACHINES, tooMuchText } from './document-reasons.ts';
import { embedSome } from './document-vectors.ts';
import type { Embedder } from './engine/embedder.ts';
import type { KnowledgeService } from './knowledge/knowledge-service.ts';
import { warningOf } from './reading/left-out.ts';
import type { DocumentReader } from './reading/reader.ts';
import type { Passage, Words } from './reading/reading.ts';
import { anySpeaksToMachines } from './reading/speaks-to-machines.ts';

/**
 * Documents that the assistant answers from: upload, reading, embedding and removal. Invariant: a
 * new version is used only once it is complete, and the previous one is used until then. The work
 * runs as jobs that can be repeated after a crash. Data: store/ai-reply/documents.ts; files are in
 * the media store.
 */

export const MAX_DOCUMENT_BYTES = 25 * 1024 * 1024;
export const MAX_DOCUMENTS = 200;
const MAX_TENANT_BYTES = 500 * 1024 * 1024;
const MAX_TENANT_PASSAGES = 10_000;
const MAX_PAGE_BYTES = 5 * 1024 * 1024;
const MAX_NAME = 255;

export interface DocumentDeps {
  readonly documents: Documents;
  readonly shares: DocumentShares;
  readonly knowledge: Pick<KnowledgeService, 'changing'>;
  readonly bytes: Pick<MediaBytes, 'write' | 'read' | 'remove'>;
  readonly reader: Pick<DocumentReader, 'read'>;
  readonly embedder: Embedder | null;
  readonly egress: Pick<Egress, 'check'>;
  readonly fetcher: MediaFetcher;
  order(tenantId: string, documentId: string): Promise<unknown>;
  now(): number;
  failed(row: DocumentRow, reason: Words): void;
}

export interface KnowledgeDocuments {
  /** Stores a file. Fails with UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE or LIMIT_REACHED. */
  upload(tenantId: string, source: AsyncIterable<Uint8Array>, filename: string | null): Promise<DocumentRow>;
  /** Fails with URL_BLOCKED, VALIDATION_FAILED or LIMIT_REACHED. */
  addPage(tenantId: string, url: string): Promise<DocumentRow>;
  list(tenantId: string): Promise<readonly DocumentRow[]>;
  get(tenantId: string, id: string): Promise<DocumentRow>;
  /** Fails with NOT_FOUND, or CONFLICT while the document is being read or removed. */
  parse(tenantId: string, id: string): Promise<DocumentRow>;
  remove(tenantId: string, id: string): Promise<void>;
  work(job: Pick<DocumentJob, 'tenant_id' | 'document_id'>): Promise<JobPatch>;
  /** Requeues documents that a crash interrupted or that lack vectors of the current model. */
  resume(now: number): Promise<void>;
}

const TYPES: Readonly<Record<string, DocumentType>> = {
  pdf: 'pdf',
  docx: 'docx',
  xlsx: 'xlsx',
  csv: 'csv',
  txt: 'txt',
  text: 'txt',
  md: 'md',
  markdown: 'md',
  html: 'html',
  htm: 'html',
};
const ANY: readonly DocumentStatus[] = ['uploading', 'parsing', 'ready', 'failed'];
const WRITTEN_TOGETHER = 50;
const PROGRESS_STEP = 0.1;
const STALE_MS = 10 * 60_000;
const RESUMED_TOGETHER = 100;

export function createDocuments(deps: DocumentDeps): KnowledgeDocuments {
  const { documents, shares, knowledge, bytes, reader, order, now } = deps;

  async function get(tenantId: string, id: string): Promise<DocumentRow> {
    const row = await documents.find(tenantId, id);
    if (!row) throw refusal('NOT_FOUND');
    return row;
  }

  async function room(tenantId: string): Promise<number> {
    const rows = await documents.list(tenantId);
    if (rows.length >= MAX_DOCUMENTS) throw tooMany();
    const left = MAX_TENANT_BYTES - rows.reduce((sum, { size }) => sum + size, 0);
    if (left <= 0) throw full();
    return left;
  }

  async function added(tenantId: string, fields: Pick<DocumentRow, 'name' | 'ext' | 'size' | 'source_url' | 'blob'>): Promise<DocumentRow> {
    const at = now();
    const row: DocumentRow = {
      ...fields,
      _id: newId(at),
      tenant_id: tenantId,
      status: 'parsing',
      progress: 0,
      chunks: 0,
      error: null,
      warnings: [],
      engine: 'local',
      version: null,
      vectors_model: null,
      created_at: at,
      updated_at: at,
    };
    if (!(await shares.take(tenantId, 'bytes', row._id, row.size, MAX_TENANT_BYTES, at))) throw full();
    if (!(await documents.add(row, MAX_DOCUMENTS))) {
      await shares.free(tenantId, row._id);
      throw tooMany();
    }
    await order(tenantId, row._id);
    return row;
  }

  async function failed(row: DocumentRow, reason: Words): Promise<void> {
    const patch = { status: 'failed', error: { en: reason.en, id: reason.id }, updated_at: now() } as const;
    if (await documents.move(row.tenant_id, row._id, ['parsing'], patch)) deps.failed(row, reason);
  }

  async function contents({ tenant_id, blob, source_url }: DocumentRow, stage: ChildProcesses['stage']): Promise<Staged | Words> {
    if (blob !== null) {
      const stream = await bytes.read(tenant_id, blob);
      return stream ? stage(stream) : GONE;
    }
    try {
      const meter = new ByteMeter(MAX_PAGE_BYTES);
      return await deps.fetcher.fetch(tenant_id, source_url ?? '', ({ source }) => stage(meter.through(source)));
    } catch (cause) {
      if (!(cause instanceof Refusal) || cause.code === 'OVERLOADED') throw cause;
      return reasonOf(cause);
    }
  }

  async function read(row: DocumentRow): Promise<void> {
    const file = { ext: row.ext, open: (stage: ChildProcesses['stage']) => contents(row, stage) };
    const reading = await reader.read(row.tenant_id, file, progressOf(row));
    if (!reading.ok) return failed(row, reading.reason);
    const { passages, ext, title, leftOut } = reading;
    if (!(await shares.take(row.tenant_id, 'passages', row._id, passages.length, MAX_TENANT_PASSAGES, now())))
      return failed(row, tooMuchText(MAX_TENANT_PASSAGES));
    const name = row.source_url !== null && title !== null ? safeText(cut(title, MAX_NAME)) : row.name;
    const error = (await anySpeaksToMachines(row.tenant_id, passages)) ? SPEAKS_TO_MACHINES : null;
    const warnings = [...leftOut.map(warningOf), ...(error ? [error] : [])];
    await swap(row, passages, { name, ext, error, warnings, ...(row.source_url !== null && { size: reading.bytes }) });
  }

  async function swap(row: DocumentRow, passages: readonly Passage[], fields: Partial<DocumentRow>): Promise<void> {
    const { tenant_id, _id } = row;
    const version = newId(now());
    for (let at = 0; at < passages.length; at += WRITTEN_TOGETHER) {
      const some = passages.slice(at, at + WRITTEN_TOGETHER);
      await documents.addPassages(some.map((passage, nth) => passageRow(row, version, at + nth, passage)));
    }
    const ready = { ...fields, status: 'ready', version, vectors_model: null, chunks: passages.length, progress: 1 } as const;
    const moved = await knowledge.changing(tenant_id, () => documents.move(tenant_id, _id, ['parsing'], { ...ready, updated_at: now() }));
    const current = moved ?? (await documents.find(tenant_id, _id));
    await documents.removePassages(_id, current?.version ?? null);
  }

  function progressOf({ tenant_id, _id }: DocumentRow): (progress: number) => void {
    let stored = 0;
    return (progress) => {
      if (progress - stored < PROGRESS_STEP) return;
      stored = progress;
      documents.move(tenant_id, _id, ['parsing'], { progress, updated_at: now() }).catch(() => {});
    };
  }

  async function removed({ tenant_id, _id, blob }: DocumentRow): Promise<void> {
    await documents.removePassages(_id, null);
    if (blob !== null) await bytes.remove(tenant_id, blob);
    await documents.remove(tenant_id, _id);
    await shares.free(tenant_id, _id);
  }

  return {
    async upload(tenantId, source, filename) {
      const name = plainName(filename ?? '') ?? '';
      const ext = TYPES[extname(name).slice(1).toLowerCase()];
      if (!ext) throw refusal('UNSUPPORTED_MEDIA_TYPE', { reason: KINDS });
      const meter = new ByteMeter(MAX_DOCUMENT_BYTES, await room(tenantId));
      // If a crash leaves this blob without a row, media/sweep.ts removes the blob.
      const blob = newId(now());
      await bytes.write(tenantId, blob, meter.through(source));
      try {
        return await added(tenantId, { name, ext, size: meter.measured().size, source_url: null, blob });
      } catch (cause) {
        if (cause instanceof Refusal) await bytes.remove(tenantId, blob);
        throw cause;
      }
    },

    async addPage(tenantId, url) {
      const blocked = await deps.egress.check(url);
      if (blocked === 'malformed') throw invalidField('url', blockedText(blocked, 'EGRESS_ALLOW_READS'));
      if (blocked !== null) throw refusal('URL_BLOCKED', { reason: blockedText(blocked, 'EGRESS_ALLOW_READS') });
      await room(tenantId);
      return added(tenantId, { name: url.slice(0, MAX_NAME), ext: 'html', size: 0, source_url: url, blob: null });
    },

    list: documents.list,
    get,

    async parse(tenantId, id) {
      const { status } = await get(tenantId, id);
      const patch = { status: 'parsing', progress: 0, error: null, updated_at: now() } as const;
      const row = await documents.move(tenantId, id, ['ready', 'failed'], patch);
      if (!row) throw inStatus(DOCUMENT, status);
      await order(tenantId, id);
      return row;
    },

    async remove(tenantId, id) {
      await get(tenantId, id);
      await knowledge.changing(tenantId, () => documents.move(tenantId, id, ANY, { status: 'deleting', updated_at: now() }));
      await order(tenantId, id);
    },

    async work({ tenant_id, document_id }) {
      const row = await documents.find(tenant_id, document_id);
      if (row?.status === 'parsing') await read(row);
      // Remove passages of the replaced version, which a crash may have left behind.
      else if (row?.status === 'ready') await documents.removePassages(document_id, row.version);
      // Read the document again, because it may have been removed while its file was read.
      const after = row && (await documents.find(tenant_id, document_id));
      if (after?.status === 'deleting') await removed(after);
      if (after?.status === 'ready' && deps.embedder) return embedSome({ documents, knowledge, embedder: deps.embedder }, after);
      return { status: 'done' };
    },

    async resume(at) {
      const left = await documents.stale(at - STALE_MS, RESUMED_TOGETHER);
      const model = deps.embedder?.model;
      const without = model === undefined ? [] : await documents.unembedded(model, at - STALE_MS, RESUMED_TOGETHER);
      for (const { tenant_id, _id, status } of [...left, ...without]) {
        await documents.move(tenant_id, _id, [status], { updated_at: at });
        await order(tenant_id, _id);
      }
    },
  };
}

const passageRow = (
  { tenant_id, _id }: DocumentRow,
  version: string,
  number: number,
  { heading, text, isAnswer }: Passage,
): PassageRow => ({
  _id: `${_id}:${version}:${number}`,
  tenant_id,
  document_id: _id,
  version,
  number,
  heading: safeText(heading),
  text: safeText(text),
  ...(isAnswer && { is_answer: true }),
});

const tooMany = (): Refusal => beyondLimit(MAX_DOCUMENTS, { en: 'documents', id: 'dokumen' });
const full = (): Refusal => beyondLimit(MAX_TENANT_BYTES, { en: 'bytes of documents', id: 'byte dokumen' });

const DOCUMENT = { en: 'the document', id: 'dokumen' };
