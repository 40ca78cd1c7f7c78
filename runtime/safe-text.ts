/**
 * Makes external texts safe to normalize: texts from people, networks, callers, engines, documents
 * and stores.
 *
 * Invariant: a `SafeText` is in the Stream-Safe Text Format of UAX #15. Its NFKD form has no more
 * than 30 non-starters in a row, because U+034F is inserted after each thirtieth. Normalizing takes
 * quadratic time in the length of such a run, but linear time in a safe text. All other texts stay
 * unchanged. A text that is built from safe texts (joined, filled, cut) is a plain string again and
 * must be made safe again.
 *
 * Whether a character is a non-starter is derived from the engine's own `normalize`, one character
 * at a time, and cached in `learned`.
 */

declare const mark: unique symbol;

export type SafeText = string & { readonly [mark]: 'stream-safe' };

export type Safe<T> = unknown extends T
  ? T
  : T extends string
    ? string extends T
      ? SafeText
      : T
    : T extends ((...args: never) => unknown) | ArrayBufferView | Date | ReadableSource
      ? T
      : { [Key in keyof T]: Safe<T[Key]> };

interface ReadableSource {
  [Symbol.asyncIterator](): unknown;
}

const MOST_NON_STARTERS = 30;
const GRAPHEME_JOINER = '\u034f';

/**
 * For each code point: the number of non-starters at the start and the end of its NFKD form (3 bits
 * each), and whether there is a starter between them. 0 if not examined yet.
 */
const learned = new Uint8Array(0x110000);
const SEEN = 0x80;
const STARTER = 0x40;
const PLAIN = SEEN | STARTER;
const LONG = 0x100;
const leadingOf = (known: number): number => (known >> 3) & 7;
const trailingOf = (known: number): number => known & 7;
const hasStarter = (known: number): boolean => (known & STARTER) !== 0;

export function safeText(text: string): SafeText {
  const made = isSafe(text) ? text : separated(text);
  if (isSafe(made)) return made;
  throw new Error('a text could not be made safe');
}

/** Makes all texts in a value safe, including field names. Returns the value itself if it is safe. */
export function safeTexts<T>(value: T): Safe<T>;
export function safeTexts(value: unknown): unknown {
  return areSafe(value) ? value : madeSafe(value);
}

function areSafe(value: unknown): boolean {
  if (typeof value === 'string') return isSafe(value);
  if (Array.isArray(value)) return value.every(areSafe);
  if (!isPlain(value)) return true;
  for (const name in value) if (!isSafe(name) || !areSafe(value[name])) return false;
  return true;
}

function madeSafe(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map(madeSafe);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [safeText(name), madeSafe(one)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}

function isSafe(text: string): text is SafeText {
  if (!BEYOND_LATIN.test(text)) return true;
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    const known = learned[text.charCodeAt(at)] || knownAt(text, at);
    if (run + leadingOf(known) > MOST_NON_STARTERS) return false;
    run = hasStarter(known) ? trailingOf(known) : run + trailingOf(known);
    if (known & LONG) at += 1;
  }
  return true;
}

/**
 * The NFKD forms of characters before U+0300 never begin with a non-starter. A text of only such
 * characters is therefore safe.
 */
const BEYOND_LATIN = /[^\0-\u02ff]/;

function separated(text: string): string {
  let [made, run, from] = ['', 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const known = learned[text.charCodeAt(at)] || knownAt(text, at);
    if (run + leadingOf(known) > MOST_NON_STARTERS) {
      made += text.slice(from, at) + GRAPHEME_JOINER;
      run = 0;
      from = at;
    }
    run = hasStarter(known) ? trailingOf(known) : run + trailingOf(known);
    if (known & LONG) at += 1;
  }
  return made + text.slice(from);
}

function knownAt(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0;
  const known = learned[code] || learn(code);
  return code > 0xffff ? known | LONG : known;
}

function learn(code: number): number {
  // A lone surrogate is a starter. It is not cached, because surrogate pairs begin with the same
  // code units.
  if (code >= 0xd800 && code <= 0xdfff) return PLAIN;
  const form = String.fromCodePoint(code).normalize('NFKD');
  const parts = MARK.test(form) ? Array.from(form, isNonStarter) : [false];
  const first = parts.indexOf(false);
  const trailing = parts.length - 1 - parts.lastIndexOf(false);
  const known = first === -1 ? SEEN | (parts.length << 3) | parts.length : PLAIN | (first << 3) | trailing;
  learned[code] = known;
  return known;
}

const MARK = /\p{M}/u;
const [LOW, HIGH] = ['\u0334', '\u0345'];

/** Uses canonical ordering, which reorders non-starters by class but never moves a starter. */
const isNonStarter = (character: string): boolean =>
  MARK.test(character) &&
  ((HIGH + character).normalize('NFD') !== HIGH + character || (character + LOW).normalize('NFD') !== character + LOW);

/** The only function that normalizes. The compiler rejects plain strings. */
export const normalized = (text: SafeText, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string => text.normalize(form);
