import type { Definition, FieldRule } from './definition.ts';

/**
 * Generates random messages, as bytes, from the web client's protocol definition. Message n always contains the nth of all
 * reachable fields, in addition to random ones. Some messages also have fields that the definition does not contain, and up
 * to three wrappers. The same seed gives the same messages.
 */

export interface Generated {
  /** The encoded message, without padding. */
  readonly bytes: Buffer;
  /** Field numbers of the wrappers, outermost first. */
  readonly wrappers: readonly number[];
  /** Field numbers of the message inside the wrappers; `inner` is its bytes. */
  readonly fields: readonly number[];
  readonly inner: Buffer;
}

const ROOT = 'Message';
const WRAPPER = 'Message.FutureProofMessage';
const OWN_DEVICE = 31;
/** Probability, by depth, that a field is added that was not requested. */
const CHANCES = [0, 0.5, 0.35, 0.2, 0.1] as const;
const MOST_FIELDS = 8;
const DEEPEST = 8;

const TEXTS: readonly Buffer[] = [
  ...[
    '',
    'Hi',
    'STOP',
    '{}',
    '[]',
    '{"id":{"id":[1]}}',
    '{"display_text":7,"__proto__":{"a":1}}',
    '{"id":"x"',
    '62811@s.whatsapp.net',
    '7@lid',
  ],
  ...[
    '120363@g.us',
    'not an address',
    'https://a.id/x?y=z',
    '/v/t62/file.enc',
    '0',
    '\0',
    '\u202e',
    'e\u0301'.repeat(40),
    '\u0301'.repeat(200),
  ],
  ...['BEGIN:VCARD\nN:Doe;Jane;;;\nTEL;waid=6281100000001:+62 811\nEND:VCARD', '👩‍👩‍👧', 'a/../../b\\c.pdf', 'image/jpeg'],
].map((text) => Buffer.from(text));
/** Bytes that are not valid text, and half of a character. */
const NO_TEXTS = [Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from([0xed, 0xa0, 0x80])];
const LONG_TEXTS = ['[', '{"a":', 'x', '\u0301', 'TEL:'].map((piece) => Buffer.from(piece.repeat(Math.floor(100_000 / piece.length))));
const LARGEST = Buffer.from([...Array<number>(9).fill(0xff), 1]);

export class Generator {
  readonly #definition: Definition;
  readonly #random: () => number;
  readonly #paths: readonly (readonly FieldRule[])[];
  readonly #wrappers: readonly number[];

  constructor(definition: Definition, seed: number) {
    this.#definition = definition;
    this.#random = chance(seed);
    this.#paths = pathsIn(definition);
    this.#wrappers = [OWN_DEVICE, ...this.#rules(ROOT).flatMap(({ type, number }) => (type === WRAPPER ? [number] : []))];
  }

  /** Number of messages after which every reachable field, at any depth, has occurred. */
  get all(): number {
    return this.#paths.length;
  }

  message(nth: number): Generated {
    const path = this.#paths[nth % this.#paths.length] ?? [];
    const [asked] = path;
    const isWrapper = asked !== undefined && this.#wrappers.includes(asked.number);
    const inner = this.#message(ROOT, 0, isWrapper ? [] : path);
    const wrappers = Array.from({ length: Math.floor(this.#random() * (isWrapper ? 3 : 4)) }, () => this.#one(this.#wrappers));
    if (isWrapper) wrappers.push(asked.number);
    let { bytes } = inner;
    for (const number of wrappers.toReversed()) {
      const inside = Buffer.concat([tagged(number === OWN_DEVICE ? 2 : 1, bytes), this.#unknown(WRAPPER, 0.2)]);
      bytes = Buffer.concat([this.#random() < 0.2 ? this.#context() : NOTHING, tagged(number, inside), this.#unknown(ROOT, 0.2)]);
    }
    return { bytes, wrappers, fields: inner.fields, inner: inner.bytes };
  }

  #rules(type: string): readonly FieldRule[] {
    return this.#definition.get(type) ?? [];
  }

  #message(type: string, depth: number, path: readonly FieldRule[] = []): { readonly bytes: Buffer; readonly fields: readonly number[] } {
    const rules = this.#rules(type);
    const [asked] = path;
    const share = type === ROOT ? (depth === 0 ? 0.004 : 0.02) : Math.min(CHANCES[depth] ?? 0.05, MOST_FIELDS / rules.length);
    const isOffered = ({ number }: FieldRule): boolean =>
      depth < DEEPEST && (type !== ROOT || depth > 0 || !this.#wrappers.includes(number));
    const taken = rules.filter((rule) => rule === asked || (isOffered(rule) && this.#random() < share));
    const parts = taken.flatMap((rule) => this.#field(rule, depth, rule === asked ? path.slice(1) : []));
    return { bytes: Buffer.concat([...parts, this.#unknown(type, 0.15)]), fields: taken.map(({ number }) => number) };
  }

  #context = (): Buffer => tagged(35, this.#message('MessageContextInfo', 1).bytes);

  #field(rule: FieldRule, depth: number, path: readonly FieldRule[]): readonly Buffer[] {
    const many = this.#random() < 0.005 && depth < 3 ? 2_000 : Math.floor(this.#random() * 4);
    const count = rule.isRepeated ? Math.max(many, path.length > 0 ? 1 : 0) : 1;
    // Long lists repeat their first value, because random values would take too long to generate.
    const values = count > 100 ? Array<Value>(count).fill(this.#value(rule, DEEPEST, path)) : [];
    while (values.length < count) values.push(this.#value(rule, depth, values.length === 0 ? path : []));
    if (rule.isPacked) return [tagged(rule.number, Buffer.concat(values.map(({ bytes }) => bytes)))];
    return values.map(({ wire, bytes }) =>
      wire === 2 ? tagged(rule.number, bytes) : Buffer.concat([varint(rule.number * 8 + wire), bytes]),
    );
  }

  #value({ type }: FieldRule, depth: number, path: readonly FieldRule[]): Value {
    switch (type) {
      case 'string':
        return { wire: 2, bytes: this.#text() };
      case 'bytes':
        return {
          wire: 2,
          bytes: this.#one([NOTHING, Buffer.alloc(32, 7), Buffer.alloc(12, 1), Buffer.from([0x0a, 0xff, 0xff]), Buffer.alloc(500, 0xff)]),
        };
      case 'double':
      case 'fixed64':
      case 'sfixed64':
        return { wire: 1, bytes: doubled(this.#number()) };
      case 'float':
      case 'fixed32':
      case 'sfixed32':
        return { wire: 5, bytes: doubled(this.#number()).subarray(4) };
      default:
        return this.#definition.has(type)
          ? { wire: 2, bytes: this.#message(type, depth + 1, path).bytes }
          : { wire: 0, bytes: this.#integer(type.endsWith('64')) };
    }
  }

  #text(): Buffer {
    const drawn = this.#random();
    return this.#one(drawn < 0.001 ? LONG_TEXTS : drawn < 0.02 ? NO_TEXTS : TEXTS);
  }

  #number = (): number => this.#one([0, 1.5, -6.2, 106.8, 200, Number.NaN, Number.POSITIVE_INFINITY, 1e308]);

  #integer(isLong: boolean): Buffer {
    if (this.#random() < 0.1) return LARGEST;
    const short = [0, 1, 2, 3, 4, 5, 14, 25, 127, 86_400, 1_800_000_000, 2 ** 32 - 1];
    return varint(this.#one(isLong ? [...short, 1_800_000_000_000, 2 ** 53] : short));
  }

  /** Returns a field that is not in the definition. */
  #unknown(type: string, share: number): Buffer {
    if (this.#random() >= share) return NOTHING;
    const number = this.#one([17, 19, 34, 132, 137, 200, 2_000, 536_870_911]);
    if (this.#rules(type).some((rule) => rule.number === number)) return NOTHING;
    const [wire, bytes] = this.#one([
      [0, LARGEST] as const,
      [1, Buffer.alloc(8)] as const,
      [5, Buffer.alloc(4)] as const,
      [2, this.#text()] as const,
    ]);
    return wire === 2 ? tagged(number, bytes) : Buffer.concat([varint(number * 8 + wire), bytes]);
  }

  #one<T>(all: readonly T[]): T {
    const found = all[Math.floor(this.#random() * all.length)];
    if (found === undefined) throw new Error('chance was given nothing to choose from');
    return found;
  }
}

interface Value {
  readonly wire: 0 | 1 | 2 | 5;
  readonly bytes: Buffer;
}

const NOTHING = Buffer.alloc(0);

const tagged = (number: number, bytes: Buffer): Buffer => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);

function varint(given: number): Buffer {
  const bytes: number[] = [];
  let rest = given;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

function doubled(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

/** Returns the shortest path to each field that a message can contain. */
function pathsIn(definition: Definition): readonly (readonly FieldRule[])[] {
  const seen = new Set([ROOT]);
  const paths: (readonly FieldRule[])[] = [];
  const left: { readonly type: string; readonly way: readonly FieldRule[] }[] = [{ type: ROOT, way: [] }];
  for (let next = left.shift(); next; next = left.shift())
    for (const rule of definition.get(next.type) ?? []) {
      const way = [...next.way, rule];
      paths.push(way);
      if (!definition.has(rule.type) || seen.has(rule.type)) continue;
      seen.add(rule.type);
      left.push({ type: rule.type, way });
    }
  return paths;
}

/** Returns a generator of random numbers from 0 (inclusive) to 1 (exclusive). */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
