import type { Call, Caller } from './row.ts';

/** What is asked of a row: as its path, query and JSON body would be. */
export interface RowInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whose call it is, and in which request. */
export type Asking = Pick<Call<unknown, unknown, unknown>, 'caller' | 'lang' | 'langAsked' | 'address' | 'requestId' | 'now'>;

/** The endpoints, for one that does its work with others (MCP): the caller may do there what they may do here, and no more. */
export interface RowCalls {
  /** May this caller use the row at all? Which devices and records is decided by the call. */
  isAllowed(id: string, caller: Caller): boolean;
  /**
   * Does what the row does for such a request, under its rules: who may use it, its limits (but not the one of requests, which counted the outer
   * call), its validation, its audit entry. Refuses as the row does, but for a key's device that it may not use, which is NOT_FOUND.
   */
  call(id: string, input: RowInput, asking: Asking): Promise<unknown>;
}
