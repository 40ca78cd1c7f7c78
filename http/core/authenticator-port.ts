import type { Caller } from './row.ts';

export const API_KEY = /^[\w-]{43}$/;

export interface AuthContext {
  readonly caller: Caller;
  readonly auth: 'login' | 'api_key';
  /** The scopes of an API key; a login has all three. */
  readonly scopes: readonly ('read' | 'send' | 'manage')[];
  /** Requests per minute of this key; null for a login, to which no request limit applies. */
  readonly perMinute: number | null;
  /** The plan's cap on `perMinute`; logins see it in `RateLimit-Limit`. */
  readonly keyCap: number;
  readonly sendPerMinute: number;
  readonly limitKey: string;
  /** True if the account is about to be deleted; only rows with `whileEnding` are then served. */
  readonly isEnding?: true;
}

/** Checks credentials. The engine calls it before it processes anything else of a request; `now` is epoch ms. */
export interface Authenticator {
  /**
   * `token` is the text after `Bearer `, never empty. Fails with UNAUTHORIZED or FORBIDDEN (address not
   * allowed, tenant suspended).
   */
  bearer(token: string, address: string, now: number): AuthContext | Promise<AuthContext>;
  /**
   * Returns the operator's name. `withoutSession`: the secret alone is enough. Fails with
   * UNAUTHORIZED or FORBIDDEN.
   */
  operator(
    secret: string | undefined,
    session: string | undefined,
    address: string,
    now: number,
    withoutSession: boolean,
  ): string | Promise<string>;
}
