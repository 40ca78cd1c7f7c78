import type { Call, Caller } from './row.ts';

export interface RowInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The content that the fingerprint of an idempotency key covers, if it differs from the body. */
  readonly sent?: unknown;
}

export type Asking = Pick<Call<unknown, unknown, unknown>, 'caller' | 'lang' | 'langAsked' | 'address' | 'requestId' | 'now'>;

/** Calls API endpoints on behalf of another endpoint (MCP), with exactly the caller's permissions. */
export interface RowCalls {
  /** Whether the caller may call the endpoint. The call itself also checks devices and records. */
  isAllowed(id: string, caller: Caller): boolean;
  /** Does not count towards the request limit. Fails with NOT_FOUND for a device outside the key's list. */
  call(id: string, input: RowInput, asking: Asking): Promise<unknown>;
}
