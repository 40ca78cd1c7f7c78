import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalidField, refusal } from '../../actors/domain/refusals.ts';
import type { Refusal } from '../../runtime/errors.ts';
import { before } from '../../runtime/invariant.ts';
import { fieldAt, type Text, unknownField } from './language.ts';

export const MAX_BODY_BYTES = 1024 * 1024;
export const MAX_OPEN_BODY_BYTES = 8 * 1024;
export const MAX_KEYS = 2_000;
export const MAX_DEPTH = 32;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

export function expectJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  if (isEncoded(headers['content-encoding']) || (type !== 'application/json' && !JSON_TYPE.test(type ?? '')))
    throw unsupported(['application/json']);
}

export function expectType({ headers }: IncomingMessage, types: readonly string[]): string {
  const type = headers['content-type'] ?? '';
  const essence = before(type, ';').trim().toLowerCase();
  const fits = types.some((allowed) => (allowed.endsWith('*') ? essence.startsWith(allowed.slice(0, -1)) : essence === allowed));
  if (!fits || isEncoded(headers['content-encoding'])) throw unsupported(types);
  return type;
}

const unsupported = (types: readonly string[]): Refusal => {
  const taken = types.join(', ');
  return refusal('UNSUPPORTED_MEDIA_TYPE', {
    reason: { en: `send ${taken}, without Content-Encoding`, id: `kirim ${taken}, tanpa Content-Encoding` },
  });
};

const isEncoded = (encoding: string | undefined): boolean => encoding !== undefined && encoding !== 'identity';

/** Treats an empty body as `{}`. For long bodies, use `longJson`. */
export function parseJson(bytes: Buffer, maxKeys = MAX_KEYS): unknown {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw refusal('INVALID_JSON');
  const value = parsed(bytes.toString());
  refuseHostile(value, maxKeys);
  return value;
}

/** Used for clients of other gateways. Drops fields with forbidden names instead of rejecting them. */
export function parseLooseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw refusal('INVALID_JSON');
  const value = parsed(bytes.toString(), (name, one) => (isReserved(name) ? undefined : one));
  refuseHostile(value);
  return value;
}

function parsed(text: string, revive?: (name: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    throw refusal('INVALID_JSON');
  }
}

export interface Walk {
  keys: number;
  readonly maxKeys: number;
}

export function refuseHostile(value: unknown, maxKeys = MAX_KEYS): void {
  walk(value, '', 1, { keys: 0, maxKeys });
}

export function walk(value: unknown, name: string, depth: number, seen: Walk): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw invalidField(fieldAt([name].filter(Boolean), 'body'), broken(name));
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH) throw invalidField('body', TOO_DEEP);
    if (Array.isArray(value)) for (const item of value) walk(item, name, depth + 1, seen);
    else walkFields(value, depth, seen);
  }
}

function walkFields(value: object, depth: number, seen: Walk): void {
  for (const [name, child] of Object.entries(value)) {
    if (isReserved(name)) throw invalidField(fieldAt([name], 'body'), unknownField(name, null));
    if (++seen.keys > seen.maxKeys) throw invalidField('body', TOO_MANY_KEYS);
    walk(child, name, depth + 1, seen);
  }
}

/** Names like `header.1` are template variables, not paths, and are never stored as field names. */
const OF_PART = /^(?:header|button)\.\w{1,80}$/;

function isReserved(name: string): boolean {
  if (name.startsWith('$') || (name.includes('.') && !OF_PART.test(name)) || !name.isWellFormed()) return true;
  return name === '__proto__' || name === 'constructor' || name === 'prototype';
}

export const TOO_DEEP: Text = { en: 'the body is nested too deeply', id: 'isi permintaan terlalu dalam' };
export const TOO_MANY_KEYS: Text = { en: 'the body has too many fields', id: 'isi permintaan memiliki terlalu banyak kolom' };

function broken(name: string): Text {
  const field = fieldAt([name].filter(Boolean), 'body');
  return { en: `${field} is not valid Unicode text`, id: `${field} bukan teks Unicode yang valid` };
}
