import type { FileForm } from './read-rows.ts';

/** Detects the charsets of contact files: UTF-8, UTF-16 and Windows-1252. */

/** Detects UTF-16 by its byte order mark, or by zero bytes in its first two letters. */
export function wideCharset([one, two, three, four]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if ((one === 0xff && two === 0xfe) || (one !== 0 && two === 0 && three !== 0 && four === 0)) return 'utf-16le';
  return (one === 0xfe && two === 0xff) || (one === 0 && two !== 0 && three === 0 && four !== 0) ? 'utf-16be' : null;
}

/** Files that are not UTF-8 are read as Windows-1252, which older spreadsheet programs write. */
export class Utf8Check {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #isUtf8 = true;

  add(piece: Uint8Array): void {
    this.#try(() => this.#decoder.decode(piece, { stream: true }));
  }

  encoding(): FileForm['encoding'] {
    this.#try(() => this.#decoder.decode());
    return this.#isUtf8 ? 'utf-8' : 'windows-1252';
  }

  #try(decode: () => void): void {
    if (!this.#isUtf8) return;
    try {
      decode();
    } catch {
      this.#isUtf8 = false;
    }
  }
}
