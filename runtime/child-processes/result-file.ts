import type { FileHandle } from 'node:fs/promises';

const READ_TOGETHER = 65_536;
const NEWLINE = 0x0a;

export interface TakenResult {
  bytes(): AsyncGenerator<Uint8Array, void, undefined>;
  close(): Promise<void>;
}

/** A result that a child wrote. Its content is untrusted and can be read only once. */
export class ResultFile {
  readonly #file: FileHandle;
  readonly #maxLine: number;
  #rest: Buffer = Buffer.alloc(0);
  #isTaken = false;

  constructor(file: FileHandle, maxLine: number) {
    this.#file = file;
    this.#maxLine = maxLine;
  }

  /** Returns the JSON value on the next line; undefined at the end. Rejects with a SyntaxError. */
  async next(): Promise<unknown> {
    for (let from = 0; ; ) {
      const end = this.#rest.indexOf(NEWLINE, from);
      if (end >= 0) {
        const line = this.#rest.subarray(0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return JSON.parse(line.toString());
      }
      if (this.#rest.length > this.#maxLine) throw new SyntaxError(`a line of a result is longer than ${this.#maxLine} bytes`);
      const more = await this.#read();
      if (more === null && this.#rest.length > 0) throw new SyntaxError('the last line of a result has no end');
      if (more === null) return undefined;
      from = this.#rest.length;
      this.#rest = Buffer.concat([this.#rest, more]);
    }
  }

  async *values(): AsyncGenerator<unknown> {
    for (let value = await this.next(); value !== undefined; value = await this.next()) yield value;
  }

  /** Returns the rest of the file, which then outlives the job. The caller must close the file. */
  take(): TakenResult {
    this.#isTaken = true;
    return { bytes: () => this.#bytes(), close: () => this.#file.close() };
  }

  async close(): Promise<void> {
    if (!this.#isTaken) await this.#file.close();
  }

  async *#bytes(): AsyncGenerator<Buffer, void, undefined> {
    if (this.#rest.length > 0) yield this.#rest;
    for (let more = await this.#read(); more !== null; more = await this.#read()) yield more;
  }

  async #read(): Promise<Buffer | null> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(READ_TOGETHER), 0, READ_TOGETHER, null);
    return bytesRead === 0 ? null : buffer.subarray(0, bytesRead);
  }
}
