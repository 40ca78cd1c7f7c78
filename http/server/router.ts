import { Router } from '@hapi/call';
import type { Lifecycle, Request, ResponseToolkit, Server } from '@hapi/hapi';
import { refusal } from '../../actors/domain/refusals.ts';
import type { Engine, RowFacts } from '../core/engine.ts';
import { answer, type Prepared } from './mount.ts';

const EVERY_PATH = '/{path*}';

/** hapi passes on the stream unread, so that credentials are checked before any of it is read. */
const UNREAD = {
  parse: false,
  output: 'stream',
  timeout: false,
  override: 'application/octet-stream',
  maxBytes: Number.MAX_SAFE_INTEGER,
} as const;

export type FindRow = (method: string, path: string) => RowFacts | undefined;

/** Two hapi routes serve all endpoints, because settings for each route would slow down startup. */
export function serveRows(server: Server, engine: Engine, rows: readonly Prepared[]): FindRow {
  const router = new Router<Prepared>();
  for (const row of rows) router.add(row.facts, row);
  const find = (method: string, path: string) => {
    const match = router.route(method, path);
    return match instanceof Error ? null : match;
  };
  const handler = (request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> => {
    const match = find(request.method, request.path);
    return match ? answer(match.route, Object.assign(request, { params: match.params }), h) : unknown(engine, request);
  };
  server.route([
    { method: 'GET', path: EVERY_PATH, handler },
    { method: ['POST', 'PUT', 'PATCH', 'DELETE'], path: EVERY_PATH, options: { payload: UNREAD }, handler },
  ]);
  return (method, path) => find(method, path)?.route.facts;
}

async function unknown({ intake }: Engine, request: Request): Promise<never> {
  await intake.discard(request.raw.req);
  throw refusal('NOT_FOUND', { reason: NO_SUCH_PATH });
}

const NO_SUCH_PATH = { en: 'this path does not exist; see /docs', id: 'alamat ini tidak ada; lihat /docs' };
