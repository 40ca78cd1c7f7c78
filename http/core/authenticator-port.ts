import type { Caller } from './row.ts';

export const API_KEY = /^[\w-]{43}$/;

export interface AuthContext {
  readonly caller: Caller;
  readonly auth: 'login' | 'api_key';
  readonly scopes: readonly ('read' | 'send' | 'manage')[];
  /** Requests allowed per minute; null for a login, which has no request limit. */
  readonly perMinute: number | null;
  /** The plan's cap on `perMinute`, which logins see in `RateLimit-Limit`. */
  readonly keyCap: number;
  readonly sendPerMinute: number;
  readonly limitKey: string;
  /**
   * True if the account will soon be deleted. Only endpoints with `whileEnding` are then served.
   */
  readonly isEnding?: true;
}

export interface Authenticator {
  /** Fails with UNAUTHORIZED or FORBIDDEN. */
  bearer(token: string, address: string, now: number): AuthContext | Promise<AuthContext>;
  /** `withoutSession`: the secret alone is sufficient. Fails with UNAUTHORIZED or FORBIDDEN. */
  operator(
    secret: string | undefined,
    session: string | undefined,
    address: string,
    now: number,
    withoutSession: boolean,
  ): string | Promise<string>;
}
