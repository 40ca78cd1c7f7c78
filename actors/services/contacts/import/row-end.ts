/**
 * Finds the end of a CSV row that is longer than the limit, by the rules of the format. If the file
 * breaks these rules, each line counts as a row (see `RowEnd.end`).
 */

export interface EndOfRow {
  readonly bytes: number;
  readonly lines: number;
}

const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d];

export class RowEnd {
  readonly #delimiter: number;
  readonly #hasQuotes: boolean;
  #state: 'cell' | 'plain' | 'quoted' | 'closing' | 'broken' = 'cell';
  #bytes = 0;
  #lines = 0;
  #isAfterCr = false;
  #isOver = false;

  constructor(delimiter: string, hasQuotes: boolean) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#hasQuotes = hasQuotes;
  }

  get isKnown(): boolean {
    return this.#isOver || this.#state === 'broken';
  }

  /** Null if the row breaks the rules for quotes. Valid once `isKnown` or the input has ended. */
  get end(): EndOfRow | null {
    return this.#state === 'broken' || this.#state === 'quoted' ? null : { bytes: this.#bytes, lines: this.#lines };
  }

  add(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (this.isKnown) return;
      this.#take(byte);
    }
  }

  #take(byte: number): void {
    // CRLF is one end of line. After a CR, only the next byte shows whether the end is complete.
    const isEndBefore = this.#isAfterCr && this.#state !== 'quoted' && byte !== LF;
    if (isEndBefore) this.#isOver = true;
    else this.#add(byte);
  }

  #add(byte: number): void {
    this.#bytes += 1;
    if (byte === CR || (byte === LF && !this.#isAfterCr)) this.#lines += 1;
    const isEnd = byte === LF && this.#state !== 'quoted';
    this.#isAfterCr = byte === CR;
    if (isEnd) this.#isOver = true;
    else this.#state = this.#next(byte);
  }

  #next(byte: number): 'cell' | 'plain' | 'quoted' | 'closing' | 'broken' {
    if (!this.#hasQuotes) return 'plain';
    if (this.#state === 'quoted') return byte === QUOTE ? 'closing' : 'quoted';
    if (byte === this.#delimiter) return 'cell';
    if (this.#state === 'closing') return byte === QUOTE ? 'quoted' : byte === CR ? 'plain' : 'broken';
    return byte === QUOTE && this.#state === 'cell' ? 'quoted' : 'plain';
  }
}
