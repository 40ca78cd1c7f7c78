import { isSafeNumber, parse } from 'lossless-json';

/** JSON that a store sent. Plugins and versions differ, so nothing about its shape is certain. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Outside of texts, and in some: digits that may be more than a double holds, or an exponent. */
const MAY_BE_INEXACT = /(?:^|[:,[\s])-?[\d.]+(?:(?<=[\d.]{16})|[eE])/;

/** Reads a body. Numbers that a double cannot hold exactly (ids above 2^53) come as their digits. Throws a SyntaxError when it is not JSON. */
export function parseBody(raw: string): Json {
  if (!MAY_BE_INEXACT.test(raw)) return JSON.parse(raw);
  return asJson(parse(raw, undefined, { parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : digits) }));
}

/** The value at a dotted path; null if there is none. */
export function at(json: Json, path: string): Json {
  let found: Json = json;
  for (const key of keysOf(path)) {
    if (!isObject(found) || !Object.hasOwn(found, key)) return null;
    found = found[key] ?? null;
  }
  return found;
}

/** By path, of which there are as many as this code names. */
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

/** The text or number at a path, trimmed; null where there is neither, or it is empty. */
export function textAt(json: Json, path: string): string | null {
  const found = at(json, path);
  if (typeof found !== 'string' && typeof found !== 'number') return null;
  const text = String(found).trim();
  return text === '' ? null : text;
}

const MAX_ID = 100;

/** What identifies something: a short text without control characters, or a number; null where there is none. */
export function idAt(json: Json, path: string): string | null {
  const id = textAt(json, path);
  return id === null || id.length > MAX_ID || /[\p{Cc}\p{Cs}]/u.test(id) ? null : id;
}

const MAX_URL = 1_000;

/** An address that a customer can follow; null where there is none. */
export function urlAt(json: Json, path: string): string | null {
  const url = textAt(json, path);
  return url !== null && url.length <= MAX_URL && /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/u.test(url) ? url : null;
}

/** How many of a thing, at least one. */
export function quantityAt(json: Json, ...paths: readonly string[]): number {
  const quantity = Number(firstText(json, ...paths) ?? 1);
  return Number.isFinite(quantity) && quantity >= 0 ? quantity : 1;
}

const MAX_SHOWN = 200;

/** A text to be shown in one line, cut where it is longer than any that a person would write. */
export function shownAt(json: Json, ...paths: readonly string[]): string | null {
  const text = firstText(json, ...paths);
  return text && [...text.slice(0, 2 * MAX_SHOWN).replace(/[\p{Cc}\p{Cs}]/gu, ' ')].slice(0, MAX_SHOWN).join('');
}

/** The first of several paths that holds a text. */
export function firstText(json: Json, ...paths: readonly string[]): string | null {
  for (const path of paths) {
    const text = textAt(json, path);
    if (text !== null) return text;
  }
  return null;
}

/** The entries of a list. PHP writes a list from which something was deleted as an object. */
export function listAt(json: Json, path: string): readonly Json[] {
  const found = at(json, path);
  if (Array.isArray(found)) return found;
  return found !== null && typeof found === 'object' ? Object.values(found) : [];
}

/** Epoch ms of a date at a path; one without a zone is read as UTC; null where there is none. */
export function timeAt(json: Json, path: string): number | null {
  const text = textAt(json, path);
  if (text === null) return null;
  const time = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(time) ? null : time;
}

function asJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(asJson);
  return Object.fromEntries(Object.entries(Object(value)).map(([key, held]) => [key, asJson(held)]));
}
