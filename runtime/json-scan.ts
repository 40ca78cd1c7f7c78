/**
 * Finds the structure of a large JSON text without parsing it, so that limits can be enforced first
 * and the long lists of the root object can be parsed in parts (`sliced-json.ts`).
 */

/** A part of a list ends after this number of items or keys. */
const PART_ITEMS = 500;
const PART_KEYS = 2_000;

export interface JsonLimits {
  readonly depth: number;
  /** Maximum number of keys in the text. It also limits the number of lists and objects. */
  readonly keys: number;
  /** Maximum number of keys in one item of the root's lists, and in the rest of the text. */
  readonly itemKeys: number;
  readonly values: number;
  /** Maximum number of bytes in one item of the root's lists, and in the rest of the text. */
  readonly itemBytes: number;
}

export class JsonTooMuch extends Error {
  readonly limit: 'depth' | 'keys' | 'values' | 'bytes';

  constructor(limit: JsonTooMuch['limit']) {
    super(`too much JSON: ${limit}`);
    this.limit = limit;
  }
}

/**
 * Throws JsonTooMuch if a limit is exceeded. The check takes a twentieth of the time that parsing
 * takes.
 */
export function expectModest(text: string, limits: JsonLimits): void {
  const bytes = Buffer.from(text);
  const scan = new Scan(bytes, limits, Number.POSITIVE_INFINITY);
  scan.upTo(bytes.length);
}

export interface Part {
  readonly from: number;
  readonly to: number;
  readonly items: number;
}

export interface List {
  readonly from: number;
  to: number;
  readonly parts: Part[];
}

const [OTHER, QUOTE, BACKSLASH, COLON, COMMA, OPENING, CLOSING] = [0, 1, 2, 3, 4, 5, 6];
const KINDS = new Uint8Array(256);
for (const [kind, marks] of [
  [QUOTE, '"'] as const,
  [BACKSLASH, '\\'] as const,
  [COLON, ':'] as const,
  [COMMA, ','] as const,
  [OPENING, '[{'] as const,
  [CLOSING, ']}'] as const,
])
  for (const byte of Buffer.from(marks)) KINDS[byte] = kind;
const [LIST_BEGINS, LIST_ENDS, OBJECT_BEGINS] = Buffer.from('[]{');

/** The scan accepts invalid JSON, which is only detected when it is parsed. */
export class Scan {
  readonly lists: List[] = [];
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  readonly #partBytes: number;
  #at = 0;
  #isText = false;
  #depth = 0;
  #isObject = false;
  #list: List | null = null;
  #partFrom = 0;
  #items = 0;
  #partKeys = 0;
  #itemFrom = 0;
  #itemKeys = 0;
  #keys = 0;
  #groups = 0;
  #values = 0;
  #restKeys = 0;

  constructor(bytes: Buffer, limits: JsonLimits, partBytes: number) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#partBytes = partBytes;
  }

  rest(): string {
    const pieces: string[] = [];
    let [from, size] = [0, 0];
    const add = (to: number): void => {
      size += to - from;
      if (size > this.#limits.itemBytes) throw new JsonTooMuch('bytes');
      pieces.push(this.#bytes.toString('utf8', from, to));
    };
    for (const [nth, list] of this.lists.entries()) {
      add(list.from + 1);
      pieces.push(String(nth));
      from = list.to;
    }
    add(this.#bytes.length);
    return pieces.join('');
  }

  upTo(end: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let isText = this.#isText;
    for (; at < end; at += 1) {
      const kind = KINDS[bytes[at] ?? 0];
      if (kind === OTHER) continue;
      if (kind === QUOTE) isText = !isText;
      else if (isText) at += kind === BACKSLASH ? 1 : 0;
      else this.#mark(kind, at);
    }
    this.#at = at;
    this.#isText = isText;
  }

  #mark(kind: number | undefined, at: number): void {
    if (kind === COLON) this.#key();
    else if (kind === COMMA) this.#comma(at);
    else if (kind === OPENING) this.#open(at);
    else if (kind === CLOSING) this.#close(at);
  }

  #key(): void {
    const { keys, itemKeys } = this.#limits;
    this.#keys += 1;
    if (this.#list) this.#itemKeys += 1;
    else this.#restKeys += 1;
    if (this.#keys > keys || this.#itemKeys > itemKeys || this.#restKeys > itemKeys) throw new JsonTooMuch('keys');
  }

  #comma(at: number): void {
    this.#values += 1;
    if (this.#values > this.#limits.values) throw new JsonTooMuch('values');
    if (this.#list && this.#depth === 2) this.#endItem(this.#list, at, false);
  }

  #open(at: number): void {
    this.#groups += 1;
    this.#depth += 1;
    if (this.#depth > this.#limits.depth) throw new JsonTooMuch('depth');
    if (this.#groups > this.#limits.keys) throw new JsonTooMuch('keys');
    if (this.#depth === 1) this.#isObject = this.#bytes[at] === OBJECT_BEGINS;
    if (this.#depth !== 2 || !this.#isObject || this.#bytes[at] !== LIST_BEGINS) return;
    this.#list = { from: at, to: at, parts: [] };
    this.#partFrom = at + 1;
    this.#itemFrom = at + 1;
    this.#items = 0;
    this.#partKeys = 0;
    this.#itemKeys = 0;
  }

  #close(at: number): void {
    const list = this.#list;
    if (list && this.#depth === 2) {
      if (this.#bytes[at] !== LIST_ENDS) throw new SyntaxError('a list ends as an object');
      this.#endItem(list, at, true);
      list.to = at;
      this.lists.push(list);
      this.#list = null;
    }
    this.#depth -= 1;
  }

  #endItem(list: List, at: number, isLast: boolean): void {
    if (at - this.#itemFrom > this.#limits.itemBytes) throw new JsonTooMuch('bytes');
    this.#items += 1;
    this.#partKeys += this.#itemKeys;
    this.#itemKeys = 0;
    this.#itemFrom = at + 1;
    const isLong = at - this.#partFrom >= this.#partBytes || this.#items >= PART_ITEMS || this.#partKeys >= PART_KEYS;
    if (!isLong && !isLast) return;
    list.parts.push({ from: this.#partFrom, to: at, items: this.#items });
    this.#partFrom = at + 1;
    this.#items = 0;
    this.#partKeys = 0;
  }
}
