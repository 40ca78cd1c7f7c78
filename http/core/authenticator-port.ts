import type { Caller } from './row.ts';

/** Who is let in with a bearer token, and how much they may ask. */
export interface AuthContext {
  readonly caller: Caller;
  readonly auth: 'login' | 'api_key';
  /** The scopes of an API key; a login has all three. */
  readonly scopes: readonly ('read' | 'send' | 'manage')[];
  /** Requests a minute of this key; null: a login, free of this limit and of all others. */
  readonly perMinute: number | null;
  /** The plan's cap on `perMinute`; what logins see in `RateLimit-Limit`. */
  readonly keyCap: number;
  /** The plan's sends a minute (`limit: 'send'` rows). */
  readonly sendPerMinute: number;
  /** Names the key among the limits. */
  readonly limitKey: string;
  /** The account is about to be deleted: only rows that say so (`whileEnding`) are served. */
  readonly isEnding?: true;
}

/** Checks credentials. The engine calls it before anything else of a request is looked at; `now` is epoch ms. */
export interface Authenticator {
  /** `token` is the text after `Bearer `, never empty. Throws or rejects with Refusal UNAUTHORIZED or FORBIDDEN (address not allowed, tenant suspended). */
  bearer(token: string, address: string, now: number): AuthContext | Promise<AuthContext>;
  /** `X-Admin-Secret` and `X-Admin-Session` as sent; gives the operator's name. `withoutSession`: the secret is enough. Throws or rejects with Refusal UNAUTHORIZED or FORBIDDEN. */
  operator(
    secret: string | undefined,
    session: string | undefined,
    address: string,
    now: number,
    withoutSession: boolean,
  ): string | Promise<string>;
}
