/**
 * A compatibility API ("door") for programs written for another gateway. It only translates: each
 * call becomes calls to our own API with the caller's key, so the same access rules, limits,
 * validation and audit apply. Nothing is stored here.
 */

import { Readable } from 'node:stream';
import Joi from 'joi';
import type { OtherGateway } from '../../actors/domain/other-gateways.ts';
import { refusal } from '../../actors/domain/refusals.ts';
import { MAX_MEDIA_BYTES } from '../../actors/services/media/library.ts';
import type { Clock } from '../../runtime/clock.ts';
import { isRecord } from '../../runtime/shapes.ts';
import type { Wire } from '../core/errors.ts';
import { takeFile } from '../core/multipart.ts';
import { type Area, type Call, Raw, rowsFor, type Upload } from '../core/row.ts';
import type { RowCalls, RowInput } from '../core/row-calls.ts';
import { at, isTrueAt, textAt } from './fields.ts';
import { type ReadBody, readBody } from './streamed-body.ts';

export interface DoorCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly key: string;
  readonly now: number;
  ask(id: string, input?: RowInput): Promise<unknown>;
  /** Accepts a `url`, or a `media_r2_key` under which base64 content has already been stored. */
  file(text: string | undefined): Promise<{ readonly url: string } | { readonly media_r2_key: string }>;
  wait(ms: number): Promise<void>;
}

/** For a call that is not translated, `instead` is the operation of our API to use. */
export type Translation = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Segments in braces are parameters. A final `*` matches any remaining path. */
  readonly path: string;
} & ({ readonly status: number; run(call: DoorCall): unknown } | { readonly instead: string });

export interface Door {
  readonly name: OtherGateway;
  readonly keyHeader: string;
  readonly table: readonly Translation[];
  error(status: number, message: string, code: string): object;
}

export interface DoorServices {
  readonly rows: RowCalls;
  readonly clock: Clock;
}

type Row = ReturnType<ReturnType<typeof rowsFor<DoorServices>>>;

const MAX_BYTES = Math.ceil(MAX_MEDIA_BYTES / 3) * 4 + 1024 * 1024;
const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

export const doorArea = (door: Door): Area<DoorServices> => ({
  name: door.name,
  about: `Calls in the format of ${door.name}`,
  rows: METHODS.map((method) => doorRow(door, method)),
});

function doorRow(door: Door, method: Translation['method']): Row {
  return rowsFor<DoorServices>()({
    id: `${door.name}_${method}`,
    method,
    path: `/compat/${door.name}/{path*}`,
    summary: 'Translate a call',
    audit: { none: 'each call that it makes is audited' },
    access: 'bearer',
    keyHeader: door.keyHeader,
    shownError: ({ status, body }: Pick<Wire, 'status' | 'body'>) => door.error(status, body.error, body.code),
    deviceKeys: true,
    scope: [],
    headers: ['idempotency-key', door.keyHeader],
    params: Joi.object<{ path?: string }>({ path: Joi.string().allow('') }),
    query: Joi.object<Readonly<Record<string, unknown>>>().unknown(),
    ...(method !== 'GET' && { bytes: { types: ['*'], maxBytes: MAX_BYTES, stream: true as const } }),
    status: 200,
    returns: Joi.any(),
    run: (services, call: Call<{ path?: string }, Readonly<Record<string, unknown>>, unknown>) => answer(door, method, services, call),
  });
}

type Asked = Call<{ path?: string }, Readonly<Record<string, unknown>>, unknown>;

async function answer(door: Door, method: Translation['method'], services: DoorServices, call: Asked): Promise<Raw> {
  const { translation, params } = found(door, method, call.params.path ?? '');
  if ('instead' in translation) return json(door.error(501, insteadOf(translation.instead), 'NOT_TRANSLATED'), 501);
  const hashes = new Map<unknown, string>();
  const ask: DoorCall['ask'] = async (id, input = {}) => {
    const key = id === 'sendMessage' ? call.header('idempotency-key') : undefined;
    if (key === undefined) return services.rows.call(id, input, call);
    const answer = await services.rows.call(id, keyed(input, key, hashes), call);
    const file = at(input.body, 'media_r2_key');
    if (isTrueAt(answer, 'idempotent_replay') && hashes.has(file)) await discard(services, String(file), call);
    return answer;
  };
  const keep = async (source: Readable): Promise<string> => {
    const upload: Upload = { stream: source, type: '', maxBytes: MAX_MEDIA_BYTES };
    const kept = await ask('uploadMedia', { body: upload });
    const file = textAt(kept, 'key') ?? '';
    hashes.set(file, textAt(kept, 'sha256') ?? file);
    return file;
  };
  const { value: body, files } = await bodyOf(call.body, keep);
  const told = await translation.run({
    params,
    query: call.query,
    body,
    key: call.header(door.keyHeader) ?? '',
    now: call.now,
    ask,
    async file(text) {
      if (text === undefined) throw refusal('VALIDATION_FAILED', { field: 'file', reason: NO_FILE });
      const kept = files.get(text);
      if (kept !== undefined) return { media_r2_key: kept };
      if (/^https?:\/\//i.test(text)) return { url: text };
      return { media_r2_key: await keep(Readable.from([Buffer.from(text.replace(/^data:[^,]*,/, ''), 'base64')])) };
    },
    wait: (ms) => new Promise((resolve) => void services.clock.after(ms, resolve)),
  });
  return told instanceof Raw ? told : json(told, translation.status);
}

const json = (body: unknown, status: number): Raw => new Raw(JSON.stringify(body), 'application/json; charset=utf-8', status);

const insteadOf = (instead: string): string => `this call is not supported; use ${instead} (docs/compatibility.md)`;
const NO_FILE = { en: 'an address or base64 text is required', id: 'alamat atau teks base64 wajib diisi' };
const UNKNOWN = {
  en: 'this path is not supported; see docs/compatibility.md',
  id: 'alamat ini tidak didukung; lihat docs/compatibility.md',
};

/** A repeated call stores its base64 file again, so the fingerprint covers the hash of the file and not its name. */
function keyed(input: RowInput, key: string, hashes: ReadonlyMap<unknown, string>): RowInput {
  const hash = hashes.get(at(input.body, 'media_r2_key'));
  const headers = { 'idempotency-key': key };
  if (hash === undefined || !isRecord(input.body)) return { ...input, headers };
  return { ...input, headers, sent: { ...input.body, media_r2_key: hash } };
}

/** Deletes the file of a repeated call. Without permission to delete it, it stays like any uploaded file. */
async function discard({ rows }: DoorServices, key: string, call: Asked): Promise<void> {
  if (rows.isAllowed('deleteMedia', call.caller)) await rows.call('deleteMedia', { params: { key } }, call);
}

function found({ table }: Door, method: string, path: string) {
  const parts = path.split('/');
  for (const translation of table) {
    const params = translation.method === method ? paramsOf(translation.path.split('/').slice(1), parts) : null;
    if (params) return { translation, params };
  }
  throw refusal('NOT_FOUND', { reason: UNKNOWN });
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Readonly<Record<string, string>> | null {
  const params: Record<string, string> = {};
  for (const [nth, part] of pattern.entries()) {
    if (part === '*') return params;
    const sent = parts[nth];
    if (sent === undefined || sent === '') return null;
    if (part.startsWith('{')) params[part.slice(1, -1)] = sent;
    else if (part !== sent) return null;
  }
  return pattern.length === parts.length ? params : null;
}

async function bodyOf(body: unknown, keep: (source: Readable) => Promise<string>): Promise<ReadBody> {
  if (!isUpload(body)) return { value: {}, files: new Map() };
  if (!body.type.toLowerCase().startsWith('multipart/')) return readBody(body.stream, body.maxBytes, keep);
  return takeFile(body, async ({ source, fields }) => {
    const key = await keep(Readable.from(source));
    return { value: { ...Object.fromEntries(fields), file: key }, files: new Map([[key, key]]) };
  });
}

const isUpload = (body: unknown): body is Upload => isRecord(body) && body['stream'] instanceof Readable;
