import type { Call, Caller } from './row.ts';

export interface RowInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  /** For a row with `bytes`, the handler's body (`Bytes` or `Upload`). */
  readonly body?: unknown;
  /** Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type Asking = Pick<Call<unknown, unknown, unknown>, 'caller' | 'lang' | 'langAsked' | 'address' | 'requestId' | 'now'>;

/** Calls rows on behalf of another endpoint (MCP), with exactly the permissions of the caller. */
export interface RowCalls {
  /** Whether this caller may use the row at all. The call itself decides about devices and records. */
  isAllowed(id: string, caller: Caller): boolean;
  /**
   * Runs a row under its own rules, except the request limit. Fails with NOT_FOUND for a device outside
   * the key's list.
   */
  call(id: string, input: RowInput, asking: Asking): Promise<unknown>;
}
