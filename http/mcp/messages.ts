import { isUtf8 } from 'node:buffer';
import { isRecord } from '../../runtime/shapes.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const CODES = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  headers: -32_020,
  version: -32_022,
} as const;

export class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: Fields | undefined;

  constructor(code: number, message: string, { status = 400, data }: { readonly status?: number; readonly data?: Fields } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

/** If `id` is null, the message is a notification or response and is not answered. */
export interface RpcMessage {
  readonly id: string | number | null;
  readonly method: string;
  readonly params: Fields;
}

/** Rejects batches, which no revision since 2025-06-18 supports. */
export function readMessage(bytes: Buffer): RpcMessage {
  const value = parsed(bytes);
  if (!isRecord(value) || Array.isArray(value) || value['jsonrpc'] !== '2.0')
    throw new RpcError(CODES.request, 'Send one JSON-RPC 2.0 message, not a batch');
  const { id, method, params = {} } = value;
  if (typeof method !== 'string') {
    if ('result' in value || 'error' in value) return { id: null, method: 'response', params: {} };
    throw new RpcError(CODES.request, '`method` is missing');
  }
  if (id !== undefined && !isId(id)) throw new RpcError(CODES.request, '`id` must be a string or an integer');
  if (!isRecord(params) || Array.isArray(params)) throw new RpcError(CODES.params, '`params` must be an object');
  return { id: id ?? null, method, params };
}

function parsed(bytes: Buffer): unknown {
  try {
    if (isUtf8(bytes)) return JSON.parse(bytes.toString());
  } catch {
    // Falls through to the error below, which is also thrown if the bytes are not text.
  }
  throw new RpcError(CODES.parse, 'The body is not valid JSON');
}

const LONGEST_ID = 200;
const isId = (id: unknown): id is string | number =>
  (typeof id === 'string' && id.length <= LONGEST_ID && id.isWellFormed()) || Number.isSafeInteger(id);
