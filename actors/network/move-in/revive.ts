import { isRecord } from '../../../runtime/shapes.ts';

/** Decodes JSON record values: bytes in any known notation, and JSON nested in strings. */

const MAX_DEPTH = 16;
const MAX_TEXTS = 3;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

export class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

/** Throws TooDeep, or SyntaxError if a string starts like JSON but is invalid. */
export function revived(value: unknown, texts = 0): unknown {
  if (typeof value === 'string' && texts < MAX_TEXTS && /^\s*[{["]/.test(value)) return revived(parsed(value), texts + 1);
  return revive(value, 0);
}

export function parsed(text: string): unknown {
  expectShallow(text);
  return JSON.parse(text);
}

function expectShallow(text: string): void {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isQuoted = false;
    } else if (code === QUOTE) isQuoted = true;
    else if (code === BRACE || code === BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH + 4) throw new TooDeep();
    } else if (code === BRACE_END || code === BRACKET_END) depth -= 1;
  }
}

const [QUOTE, BACKSLASH, BRACE, BRACE_END, BRACKET, BRACKET_END] = [34, 92, 123, 125, 91, 93];

function revive(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new TooDeep();
  if (Array.isArray(value)) return value.map((item) => revive(item, depth + 1));
  if (!isRecord(value)) return value;
  const bytes = bytesIn(value);
  if (bytes) return bytes;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revive(inner, depth + 1)]));
}

function bytesIn(value: Readonly<Record<string, unknown>>): Uint8Array | null {
  const { type, data } = value;
  if (type === 'Buffer') return typeof data === 'string' ? base64Of(data) : Array.isArray(data) ? numbersOf(data) : null;
  const entries = Object.entries(value);
  // Some programs serialize bytes as an object with numeric keys.
  const isNumbered = entries.length > 0 && entries.every(([name, one], nth) => name === String(nth) && typeof one === 'number');
  return isNumbered ? numbersOf(entries.map(([, one]) => one)) : null;
}

const isByte = (one: unknown): one is number => typeof one === 'number' && Number.isInteger(one) && one >= 0 && one < 256;
const numbersOf = (numbers: readonly unknown[]): Uint8Array | null =>
  numbers.every(isByte) ? Uint8Array.from(numbers.filter(isByte)) : null;

function base64Of(text: string): Uint8Array | null {
  return BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}

export function bytesOf(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return value;
  return typeof value === 'string' ? base64Of(value) : null;
}
