/**
 * The one door for texts from outside: what people write, and what networks, callers, engines, documents and stores send.
 *
 * Invariant: a `SafeText` is in the Stream-Safe Text Format of UAX #15: its NFKD form has no more than 30 non-starters in a row, because
 * U+034F stands after each thirtieth. Normalizing, which is quadratic in such a run, takes time proportional to a safe text. Every other
 * text is left as it is. Whatever is made of safe texts (joined, filled, cut) is a plain string again, and passes the door once more.
 *
 * Which characters are non-starters follows from the engine's own `normalize`, one character at a time, and is remembered in `learned`.
 */

declare const mark: unique symbol;

/** A text in the Stream-Safe Text Format. Only `safeText` makes one. */
export type SafeText = string & { readonly [mark]: 'stream-safe' };

/** The same value with all of its texts safe. Literals, functions, bytes and whatever has a class of its own stay as they are. */
export type Safe<T> = unknown extends T
  ? T
  : T extends string
    ? string extends T
      ? SafeText
      : T
    : T extends ((...args: never) => unknown) | ArrayBufferView | Date | ReadableSource
      ? T
      : { [Key in keyof T]: Safe<T[Key]> };

/** Streams, and whatever else can only be read in turn. */
interface ReadableSource {
  [Symbol.asyncIterator](): unknown;
}

const MOST_NON_STARTERS = 30;
const GRAPHEME_JOINER = '\u034f';

/**
 * Of each code point that was seen: how many non-starters its NFKD form begins and ends with (three bits each; the longest have three), and
 * whether a starter is between them. 0: not seen yet.
 */
const learned = new Uint8Array(0x110000);
const SEEN = 0x80;
const STARTER = 0x40;
const PLAIN = SEEN | STARTER;
/** Not remembered: the code point takes two places. */
const LONG = 0x100;
const leadingOf = (known: number): number => (known >> 3) & 7;
const trailingOf = (known: number): number => known & 7;
const hasStarter = (known: number): boolean => (known & STARTER) !== 0;

/** Linear in the text; idempotent. */
export function safeText(text: string): SafeText {
  const made = isSafe(text) ? text : separated(text);
  if (isSafe(made)) return made;
  throw new Error('a text could not be made safe');
}

/** Makes every text of a JSON value safe, the names of its fields too. A value whose texts are safe is itself the answer. */
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

/** Before U+0300 nothing begins with a non-starter. */
const BEYOND_LATIN = /[^\0-\u02ff]/;

/** The Stream-Safe Text Process. */
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

/** Of the code point there, which was not seen yet or takes two places. */
function knownAt(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0;
  const known = learned[code] || learn(code);
  return code > 0xffff ? known | LONG : known;
}

function learn(code: number): number {
  // Half a character alone is a starter; remembered, it would hide the marks that begin with it.
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
/** Of the lowest and of the highest class. */
const [LOW, HIGH] = ['\u0334', '\u0345'];

/** Canonical order moves a mark of a lower class before one of a higher; a starter never moves. Only marks are non-starters. */
const isNonStarter = (character: string): boolean =>
  MARK.test(character) &&
  ((HIGH + character).normalize('NFD') !== HIGH + character || (character + LOW).normalize('NFD') !== character + LOW);

/** The only place that normalizes: a plain string would be refused by the compiler. */
export const normalized = (text: SafeText, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string => text.normalize(form);
