import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Remembered } from './engine.ts';

/** A request that is served by hapi, or directly without it (http/server/direct.ts). */
export interface Exchange {
  readonly app: Partial<Remembered>;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly info: { readonly remoteAddress: string };
  readonly raw: { readonly req: IncomingMessage; readonly res: ServerResponse };
}
