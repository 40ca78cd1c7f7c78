import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { type Fault, invalid, refusal, tooLarge } from '../../actors/domain/refusals.ts';
import type { Refusal } from '../../runtime/errors.ts';
import { asError } from '../../runtime/errors.ts';
import { closestTo } from './closest.ts';
import { fieldAt, unknownField } from './language.ts';
import type { Upload } from './row.ts';

export interface SentFile {
  readonly source: AsyncIterable<Uint8Array>;
  readonly filename: string | null;
  /** Complete only after the source has ended. */
  readonly fields: ReadonlyMap<string, string>;
}

type Take<T> = (file: SentFile) => Promise<T>;

/** If `take` fails, the connection stays open for the error response. */
export function takeFile<T>({ stream, type, maxBytes, fields }: Upload, take: Take<T>): Promise<T> {
  // A stream that is iterated directly would be destroyed if its reader leaves early.
  const chunks = upTo(maxBytes, stream.iterator({ destroyOnReturn: false }));
  return type.toLowerCase().startsWith('multipart/')
    ? takePart(chunks, { type, ...(fields && { known: [...fields, 'file'] }) }, take)
    : take({ source: chunks, filename: null, fields: new Map() });
}

async function* upTo(maxBytes: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

// A form may have only one file. A second one is parsed so that the error can name it.
const LIMITS = { files: 2, fields: 16, parts: 18, fieldSize: 65_536, headerPairs: 32, headerSize: 8_192 };

interface Form {
  readonly type: string;
  readonly known?: readonly string[];
}

/** Refuses a form with unknown fields or two files, but only after the form has been read. */
async function takePart<T>(chunks: AsyncIterable<Uint8Array>, { type, known }: Form, take: Take<T>): Promise<T> {
  const form = formOf(type);
  const { promise: read, resolve, reject: fail } = Promise.withResolvers<void>();
  read.catch(() => {});
  const found: { file?: Readable; taken?: Promise<T> } = {};
  const fields = new Map<string, string>();
  const faults = new Map<string, Fault>();
  const expectKnown = (name: string): void => {
    if (!known || known.includes(name)) return;
    const path = fieldAt([name], 'body');
    faults.set(path, { path, ...unknownField(path, closestTo(name, known)), isUnknown: true });
  };
  form.on('field', (name, value) => {
    expectKnown(name);
    fields.set(name, value);
  });
  form.on('error', () => fail(broken()));
  form.on('file', (field, file, filename) => {
    // If the form is malformed, this stream fails too. The error reaches its reader, so it is
    // ignored here.
    file.on('error', () => {});
    expectKnown(field);
    if (field === 'file' && found.taken) faults.set(field, { path: field, ...ONE_FILE });
    if (field !== 'file' || found.taken) return void file.resume();
    found.file = file;
    found.taken = take({ source: endingWith(read, file), filename: filename ?? null, fields });
    found.taken.catch(fail);
  });
  try {
    fed(form, chunks, read).then(() => (faults.size > 0 ? fail(invalid([...faults.values()])) : resolve()), fail);
    await read;
    if (!found.taken) throw refusal('VALIDATION_FAILED', { field: 'file', reason: NO_FILE });
    return await found.taken;
  } catch (cause) {
    found.file?.destroy(asError(cause));
    await found.taken?.catch(() => {});
    throw cause;
  }
}

/** Ends the file only after the form has ended, because a stored file could no longer be rejected. */
async function* endingWith(form: Promise<void>, file: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  yield* file;
  await form;
}

function formOf(type: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': type }, limits: LIMITS });
  } catch {
    throw broken();
  }
}

async function fed(form: BusboyInstance, chunks: AsyncIterable<Uint8Array>, read: Promise<void>): Promise<void> {
  for await (const chunk of chunks) await Promise.race([written(form, chunk), read]);
  const { promise, resolve } = Promise.withResolvers<void>();
  form.once('finish', resolve).end();
  await promise;
}

const written = (form: BusboyInstance, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => form.write(chunk, (error) => (error ? reject(broken()) : resolve())));

const NO_FILE = { en: 'file is required', id: 'file wajib diisi' };
const ONE_FILE = { en: 'a form can contain only one file', id: 'formulir hanya menerima satu berkas' };
const BROKEN = { en: 'the form is not valid multipart/form-data', id: 'formulir bukan multipart/form-data yang valid' };

const broken = (): Refusal => refusal('VALIDATION_FAILED', { field: 'body', reason: BROKEN });
