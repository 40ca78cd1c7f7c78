import { isSafeNumber } from 'lossless-json';
import { expectModest, type JsonLimits } from '../../../runtime/json-scan.ts';
import { safeTexts } from '../../../runtime/safe-text.ts';

/** JSON from a store. Its structure cannot be relied on, because plugins and versions differ. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Finds exponents and numbers that may exceed a double. May also match within strings. */
const MAY_BE_INEXACT = /(?:^|[:,[\s])-?[\d.]+(?:(?<=[\d.]{16})|[eE])/;

const LIMITS: JsonLimits = { depth: 64, keys: 40_000, itemKeys: 20_000, values: 40_000, itemBytes: 2 * 1024 * 1024 };
const LONG = 64 * 1024;

/** Turns a number that a double cannot hold into a string. Throws SyntaxError or JsonTooMuch. */
export function parseBody(raw: string): Json {
  if (raw.length > LONG) expectModest(raw, LIMITS);
  return safeTexts(JSON.parse(MAY_BE_INEXACT.test(raw) ? withDigitsAsTexts(raw) : raw));
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const ALWAYS_EXACT = 15;
const NEVER_EXACT = 1_000;

function withDigitsAsTexts(raw: string): string {
  let [made, from] = ['', 0];
  for (let at = 0; at < raw.length; at += 1) {
    const mark = raw[at];
    if (mark === '"') at = endOfText(raw, at);
    else if (mark === '-' || (mark !== undefined && mark >= '0' && mark <= '9')) {
      const end = endOfNumber(raw, at);
      const digits = raw.slice(at, end);
      if (isInexact(digits)) {
        made += `${raw.slice(from, at)}"${digits}"`;
        from = end;
      }
      at = end - 1;
    }
  }
  return made + raw.slice(from);
}

function endOfText(raw: string, start: number): number {
  let at = start + 1;
  while (at < raw.length && raw[at] !== '"') at += raw[at] === '\\' ? 2 : 1;
  return at;
}

const AFTER_NUMBER = /[^\d+\-.eE]/g;

function endOfNumber(raw: string, start: number): number {
  AFTER_NUMBER.lastIndex = start;
  return AFTER_NUMBER.exec(raw)?.index ?? raw.length;
}

function isInexact(digits: string): boolean {
  if (digits.length <= ALWAYS_EXACT && !/e/i.test(digits)) return false;
  return NUMBER.test(digits) && (digits.length > NEVER_EXACT || !isSafeNumber(digits));
}

export function at(json: Json, path: string): Json {
  let found: Json = json;
  for (const key of keysOf(path)) {
    if (!isObject(found) || !Object.hasOwn(found, key)) return null;
    found = found[key] ?? null;
  }
  return found;
}

const keys = new Map<string, readonly string[]>();

function keysOf(path: string): readonly string[] {
  const known = keys.get(path);
  if (known) return known;
  const made = path.split('.');
  keys.set(path, made);
  return made;
}

const isObject = (json: Json): json is { readonly [key: string]: Json } =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

export function textAt(json: Json, path: string): string | null {
  const found = at(json, path);
  if (typeof found !== 'string' && typeof found !== 'number') return null;
  const text = String(found).trim();
  return text === '' ? null : text;
}

const MAX_ID = 100;

export function idAt(json: Json, path: string): string | null {
  const id = textAt(json, path);
  return id === null || id.length > MAX_ID || /[\p{Cc}\p{Cs}]/u.test(id) ? null : id;
}

const MAX_URL = 1_000;

export function urlAt(json: Json, path: string): string | null {
  const url = textAt(json, path);
  return url !== null && url.length <= MAX_URL && /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/u.test(url) ? url : null;
}

export function quantityAt(json: Json, ...paths: readonly string[]): number {
  const quantity = Number(firstText(json, ...paths) ?? 1);
  return Number.isFinite(quantity) && quantity >= 0 ? quantity : 1;
}

const MAX_SHOWN = 200;

export function shownAt(json: Json, ...paths: readonly string[]): string | null {
  const text = firstText(json, ...paths);
  return text && [...text.slice(0, 2 * MAX_SHOWN).replace(/[\p{Cc}\p{Cs}]/gu, ' ')].slice(0, MAX_SHOWN).join('');
}

export function firstText(json: Json, ...paths: readonly string[]): string | null {
  for (const path of paths) {
    const text = textAt(json, path);
    if (text !== null) return text;
  }
  return null;
}

/** Accepts objects, because PHP writes a list as an object once entries were deleted. */
export function listAt(json: Json, path: string): readonly Json[] {
  const found = at(json, path);
  if (Array.isArray(found)) return found;
  return found !== null && typeof found === 'object' ? Object.values(found) : [];
}

/** Longer texts are not parsed as a time, because Date.parse takes 50 ms for two megabytes of words. */
const MAX_TIME = 64;

/** Reads a time. If it has no time zone, it is in UTC. */
export function timeAt(json: Json, path: string): number | null {
  const text = textAt(json, path);
  if (text === null || text.length > MAX_TIME) return null;
  const time = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(time) ? null : time;
}
