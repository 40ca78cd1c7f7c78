import { MAX_ROW_BYTES } from './read-rows.ts';

export type JsonFault = 'json' | 'rows';

interface JsonRows {
  readonly head: { readonly optIn: boolean } | { readonly fault: JsonFault };
  readonly rows: readonly Uint8Array[];
}

export function jsonRows(bytes: Uint8Array): JsonRows {
  const fault = (which: JsonFault): JsonRows => ({ head: { fault: which }, rows: [] });
  const body = parsed(bytes);
  if (body === undefined) return fault('json');
  if (typeof body !== 'object' || body === null || !('rows' in body) || !Array.isArray(body.rows)) return fault('rows');
  if (Object.keys(body).some((name) => name !== 'rows' && name !== 'opt_in')) return fault('rows');
  if (body.rows.length === 0 || !body.rows.every(isRecord)) return fault('rows');
  const optIn: unknown = 'opt_in' in body ? body.opt_in : false;
  if (typeof optIn !== 'boolean') return fault('rows');
  const rows = body.rows.map((row) => Buffer.from(`${JSON.stringify(row)}\n`));
  return rows.some(({ length }) => length > MAX_ROW_BYTES) ? fault('rows') : { head: { optIn }, rows };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Maximum depth, as for the bodies of other requests. With more, the stack could overflow. */
const MAX_DEPTH = 32;

const isRecord = (row: unknown): boolean => typeof row === 'object' && row !== null && !Array.isArray(row) && isShallow(row, MAX_DEPTH);

function isShallow(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return most > 0 && Object.values(value).every((inner) => isShallow(inner, most - 1));
}
