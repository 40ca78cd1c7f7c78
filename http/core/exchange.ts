import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Remembered } from './engine.ts';

/** A request and its response as rows need them, either hapi's or served without hapi (http/server/direct.ts). */
export interface Exchange {
  readonly app: Partial<Remembered>;
  /** Lower case. */
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly info: { readonly remoteAddress: string };
  readonly raw: { readonly req: IncomingMessage; readonly res: ServerResponse };
}
