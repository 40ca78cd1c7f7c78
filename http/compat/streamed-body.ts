/**
 * Reads the JSON body of a call to a compatibility API. A long base64 string in it is a file: it is
 * decoded and stored while it arrives, and the parsed body holds a marker in its place. The rest of
 * the body has the size limit of any JSON body.
 */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { refusal, tooLarge } from '../../actors/domain/refusals.ts';
import { asError } from '../../runtime/errors.ts';
import { MAX_BODY_BYTES, parseLooseJson } from '../core/body.ts';

export interface ReadBody {
  readonly value: unknown;
  readonly files: ReadonlyMap<string, string>;
}

export type Keep = (source: Readable) => Promise<string>;

/** Only longer strings are treated as files, because message texts are shorter. */
const LONG = 8_192;
const BASE64 = /^(data:[^,"]{0,200},)?[\w+/\\=-]+$/;
const MAX_PIECES = 4_096;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

export async function readBody(stream: Readable, maxBytes: number, keep: Keep): Promise<ReadBody> {
  const scanner = new Scanner(keep);
  let size = 0;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      await scanner.read(chunk);
    }
    return await scanner.end();
  } catch (cause) {
    scanner.abort(asError(cause));
    throw cause;
  }
}

interface OpenString {
  readonly parts: Buffer[];
  size: number;
}

class Scanner {
  readonly #keep: Keep;
  readonly #text: Buffer[] = [];
  #textSize = 0;
  #string: OpenString | null = null;
  #isEscaped = false;
  #file: IncomingFile | null = null;
  readonly #files = new Map<string, string>();

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  async read(chunk: Buffer): Promise<void> {
    let from = 0;
    while (from < chunk.length) {
      if (this.#file) from = await this.#readFile(chunk, from, this.#file);
      else if (this.#string) from = this.#readString(chunk, from, this.#string);
      else from = this.#readOutside(chunk, from);
    }
  }

  async end(): Promise<ReadBody> {
    if (this.#file) throw refusal('INVALID_JSON');
    if (this.#string) this.#add(...this.#string.parts);
    return { value: parseLooseJson(Buffer.concat(this.#text)), files: this.#files };
  }

  abort(cause: Error): void {
    this.#file?.abort(cause);
  }

  #add(...parts: readonly Buffer[]): void {
    for (const part of parts) {
      this.#textSize += part.length;
      this.#text.push(part);
    }
    if (this.#textSize > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
    // Joins the pieces, because each small buffer takes far more memory than the short text in it.
    if (this.#text.length > MAX_PIECES) this.#text.splice(0, this.#text.length, Buffer.concat(this.#text));
  }

  #readOutside(chunk: Buffer, from: number): number {
    const quote = chunk.indexOf(QUOTE, from);
    const to = quote === -1 ? chunk.length : quote + 1;
    this.#add(chunk.subarray(from, to));
    if (quote !== -1) this.#string = { parts: [], size: 0 };
    return to;
  }

  #readString(chunk: Buffer, from: number, string: OpenString): number {
    let to = from;
    while (to < chunk.length && (this.#isEscaped || chunk[to] !== QUOTE)) {
      this.#isEscaped = !this.#isEscaped && chunk[to] === BACKSLASH;
      to++;
      if (string.size + to - from === LONG) break;
    }
    string.parts.push(chunk.subarray(from, to));
    string.size += to - from;
    if (to > from && string.size === LONG) return this.#longString(string.parts, to);
    if (string.size + this.#textSize > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
    if (to === chunk.length) return to;
    this.#add(...string.parts, chunk.subarray(to, to + 1));
    this.#string = null;
    return to + 1;
  }

  #longString(parts: readonly Buffer[], to: number): number {
    const begin = Buffer.concat(parts).toString('latin1');
    if (!BASE64.test(begin)) return to;
    if (this.#files.size > 0) throw refusal('VALIDATION_FAILED', { field: 'body', reason: ONE_FILE });
    this.#file = new IncomingFile(this.#keep, begin.replace(/^data:[^,]*,/, ''));
    return to;
  }

  async #readFile(chunk: Buffer, from: number, file: IncomingFile): Promise<number> {
    const quote = chunk.indexOf(QUOTE, from);
    const to = quote === -1 ? chunk.length : quote;
    await file.write(chunk.toString('latin1', from, to));
    if (quote === -1) return to;
    const marker = randomUUID();
    this.#files.set(marker, await file.end());
    this.#add(Buffer.from(`${marker}"`));
    this.#file = null;
    this.#string = null;
    this.#isEscaped = false;
    return to + 1;
  }
}

const ONE_FILE = { en: 'a body may have at most one file', id: 'satu body boleh memuat paling banyak satu berkas' };

class IncomingFile {
  readonly #bytes = new PassThrough();
  readonly #kept: Promise<string>;
  /** Base64 characters that have not been decoded yet. */
  #rest = '';

  constructor(keep: Keep, begin: string) {
    this.#bytes.on('error', () => {});
    this.#kept = keep(this.#bytes);
    this.#kept.catch(() => {});
    this.#rest = begin;
  }

  async write(text: string): Promise<void> {
    // Some programs write a slash in JSON as `\/`, so backslashes are removed.
    const all = (this.#rest + text).replaceAll('\\', '');
    const whole = all.length - (all.length % 4);
    this.#rest = all.slice(whole);
    await this.#decode(all.slice(0, whole));
  }

  async end(): Promise<string> {
    await this.#decode(this.#rest.replaceAll('\\', ''));
    this.#bytes.end();
    return this.#kept;
  }

  abort(cause: Error): void {
    this.#bytes.destroy(cause);
  }

  async #decode(text: string): Promise<void> {
    if (text === '' || this.#bytes.write(Buffer.from(text, 'base64'))) return;
    const waiting = new AbortController();
    try {
      await Promise.race([once(this.#bytes, 'drain', { signal: waiting.signal }), this.#kept]);
    } finally {
      waiting.abort();
    }
  }
}
