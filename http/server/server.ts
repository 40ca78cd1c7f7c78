/**
 * A node's HTTP server. It serves the endpoints of all areas and guards every request against bad
 * framing, pipelining, slow bodies and unread responses.
 */

import { createServer as createHttpServer } from 'node:http';
import hapi, { type Lifecycle, type Request, type ResponseToolkit, type Server } from '@hapi/hapi';
import { Registry } from 'prom-client';
import type { OtherGateway } from '../../actors/domain/other-gateways.ts';
import { REFUSALS, refusal } from '../../actors/domain/refusals.ts';
import { Refusal } from '../../runtime/errors.ts';
import { mcp } from '../areas/mcp/rows.ts';
import { metricsArea, type Readiness, service } from '../areas/service/rows.ts';
import { countUnknown, isServedTo } from '../auth/admit.ts';
import { type DoorServices, doorArea } from '../compat/door.ts';
import { COMPAT_DOORS } from '../compat/doors.ts';
import { type BoundArea, bind } from '../core/bind.ts';
import { BodyIntake } from '../core/body-intake.ts';
import type { Engine, RowFacts } from '../core/engine.ts';
import { metricsIn, showUnread } from '../core/metrics.ts';
import { type MetricsListener, serveMetrics } from '../core/metrics-listener.ts';
import { MetricsPage } from '../core/metrics-page.ts';
import { oneAtATime } from '../core/one-at-a-time.ts';
import { isTakenOver } from '../core/ongoing.ts';
import { UnreadAnswers } from '../core/unread-answers.ts';
import { HeavyCalls } from '../limits/heavy-calls.ts';
import { createConfirmations } from '../mcp/confirmations.ts';
import { createReadNotes, type ReadNotes } from '../mcp/read-notes.ts';
import { createMcpServer } from '../mcp/server.ts';
import type { AnyTool } from '../mcp/tool.ts';
import { type Documents, documentsOf } from '../openapi/documents.ts';
import { serveDirectly } from './direct.ts';
import { type Around, answerHeaders, arrival, Flight, record, setAll } from './every-request.ts';
import { handedOver } from './handed-over.ts';
import { refuseMisframed } from './misframed.ts';
import { type Prepared, prepare, refused } from './mount.ts';
import { allowOrigins, headersForOrigins, knownOrigins } from './origins.ts';
import { type FindRow, serveRows } from './router.ts';
import { rowCalls } from './row-calls.ts';
import { refuseUnreadable } from './unreadable.ts';

export interface ServerOptions extends Omit<Engine, 'isDraining' | 'checkAnswers' | 'intake' | 'unread' | 'heavyCalls' | 'isKnownOrigin'> {
  readonly host: string;
  readonly port: number;
  readonly areas: readonly BoundArea[];
  readonly readiness: Readiness;
  readonly checkAnswers?: boolean;
  /**
   * If set, /metrics is served only on this port, and 0 picks a free port. Otherwise, it is served
   * with the other endpoints.
   */
  readonly metricsPort?: number | null;
  readonly intake?: BodyIntake;
  readonly unread?: UnreadAnswers;
  /** Maximum number of connections; further sockets are closed immediately. Default: 10,000. */
  readonly maxConnections?: number;
  readonly baseUrl?: string;
  readonly corsOrigins?: readonly string[];
  readonly compat?: readonly OtherGateway[];
  /** `secret` is used to sign confirmations. If `agents` is absent, /mcp does not exist. */
  readonly agents?: { readonly tools: readonly AnyTool[]; readonly secret: string };
  readonly metrics?: Registry;
}

export interface HttpServer {
  readonly url: string;
  readonly metricsUrl: string | null;
  readonly rows: readonly RowFacts[];
  readonly listener: Server['listener'];
  start(): Promise<void>;
  /** Rejects new work with 503, waits up to `timeoutMs` for requests in progress, and then closes. */
  stop(options: { readonly timeoutMs: number }): Promise<void>;
}

/** Longer than load balancers keep idle connections; otherwise requests could be lost (502). */
const IDLE_MS = 75_000;
const MAX_CONNECTIONS = 10_000;

export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const flight = new Flight();
  const { intake = new BodyIntake(), unread = new UnreadAnswers() } = options;
  const { host, port, baseUrl, metricsPort = null, corsOrigins = [] } = options;
  const fixedAddress = baseUrl ?? (port === 0 ? null : `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  const address = (): string => fixedAddress ?? server.info.uri;
  const engine: Engine = {
    ...{ ...options, intake, unread, heavyCalls: new HeavyCalls() },
    checkAnswers: options.checkAnswers ?? false,
    isDraining: () => flight.isDraining,
    isKnownOrigin: knownOrigins(address, corsOrigins),
  };
  const registry = options.metrics ?? new Registry();
  const page = new MetricsPage(registry, engine.clock);
  // misframed.ts rejects requests without a host instead, because Node would send no body with the
  // error.
  const listener = createHttpServer({ requireHostHeader: false });
  const server = hapi.server({
    ...{ host: options.host, port: options.port, listener, debug: false },
    routes: { cors: false, state: { parse: false } },
  });
  server.listener.keepAliveTimeout = IDLE_MS;
  server.listener.requestTimeout = 120_000;
  server.listener.headersTimeout = 15_000;
  server.listener.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  const areas: BoundArea[] = [...options.areas];
  const documents = documentsOf(areas, address, () => engine.clock.now());
  const readNotes = options.audit && createReadNotes({ audit: options.audit, clock: engine.clock, log: engine.log });
  const prepared = (of: readonly BoundArea[]): readonly Prepared[] => of.flatMap((area) => area.rows).map((row) => prepare(engine, row));
  const offered = prepared(areas);
  const added = [...agentsOf(options, engine, offered, readNotes), ...serviceOf(options, engine, page, documents)];
  areas.push(...added);
  const own = [...offered, ...prepared(added)];
  const rows = [...own, ...doorsTo(own, engine, options.compat ?? [])];
  let metricsListener: MetricsListener | null = null;
  const findRow = serveRows(server, engine, rows);
  const originHeaders = headersForOrigins(corsOrigins);
  allowOrigins(server, originHeaders);
  const around: Around = {
    flight,
    metrics: metricsIn(registry, Object.keys(REFUSALS)),
    answerHeaders: answerHeaders(flight, options.baseUrl?.startsWith('https:') ?? false),
    originHeaders,
  };
  showUnread(registry, unread);
  watch(server, engine, around, findRow);
  serveDirectly(server.listener, engine, rows, around);
  refuseMisframed(server.listener, engine, around);
  unread.watch(server.listener, engine.log);
  oneAtATime(server.listener);
  refuseUnreadable(server.listener, engine, around);
  return {
    get url() {
      return server.info.uri;
    },
    rows: rows.map(({ facts }) => facts),
    listener: server.listener,
    get metricsUrl() {
      return metricsListener?.url ?? null;
    },
    async start() {
      if (metricsPort !== null) metricsListener = await serveMetrics({ page, unread, log: engine.log }, host, metricsPort);
      await server.start();
    },
    async stop({ timeoutMs }) {
      await flight.land(engine, timeoutMs);
      await readNotes?.flush();
      intake.stop();
      unread.stop();
      await Promise.all([server.stop({ timeout: 0 }), metricsListener?.stop()]);
    },
  };
}

function serviceOf(
  { readiness, metricsPort = null }: ServerOptions,
  engine: Engine,
  metrics: MetricsPage,
  documents: Documents,
): BoundArea[] {
  const own = bind(service, { readiness, documents, isDraining: engine.isDraining });
  return metricsPort === null ? [own, bind(metricsArea, { metrics })] : [own];
}

function doorsTo(rows: readonly Prepared[], engine: Engine, open: readonly OtherGateway[]): readonly Prepared[] {
  const services: DoorServices = { rows: rowCalls(rows), clock: engine.clock };
  const areas = open.map((name) => bind(doorArea(COMPAT_DOORS[name]), services));
  return areas.flatMap((area) => area.rows).map((row) => prepare(engine, row));
}

function agentsOf(
  { agents, limits, log, isStoreDown, audit }: ServerOptions,
  engine: Engine,
  offered: readonly Prepared[],
  readNotes: ReadNotes | undefined,
): BoundArea[] {
  if (!agents) return [];
  const rows = rowCalls(offered);
  const confirmations = createConfirmations(agents.secret);
  const server = createMcpServer({
    tools: agents.tools,
    rows,
    numbers: engine.numbers,
    limits,
    confirmations,
    log,
    isStoreDown,
    ...(audit && readNotes && { audit, readNotes }),
  });
  return [bind(mcp, { mcp: server })];
}

function watch(server: Server, engine: Engine, { flight, metrics, answerHeaders }: Around, findRow: FindRow): void {
  server.ext('onRequest', (request, h) => {
    flight.begin();
    Object.assign(request.app, handedOver(request.raw.req) ?? arrival(request.raw.req.headers, engine));
    return h.continue;
  });
  const finished = (request: Request, h: ResponseToolkit, tooMany: unknown): Lifecycle.ReturnValue => {
    setAll(request.raw.res, answerHeaders(request.app));
    if (isTakenOver(request)) {
      engine.unread.release(request.raw.req.socket);
      return h.abandon;
    }
    const failed = tooMany ?? unreadable(request) ?? unrouted(findRow, request) ?? ('isBoom' in request.response ? request.response : null);
    const answered = failed ? refused(engine, request, h, failed) : request.response;
    if ('header' in answered && !CACHEABLE.test(request.path) && !answered.headers['cache-control'])
      answered.header('cache-control', 'no-store');
    return failed ? answered : h.continue;
  };
  server.ext('onPreResponse', (request, h) =>
    request.app.row ? finished(request, h, null) : overLimit(engine, request).then((tooMany) => finished(request, h, tooMany)),
  );
  server.events.on('response', (request) => {
    flight.end();
    record(request, engine, metrics);
  });
}

async function overLimit(engine: Engine, request: Request): Promise<unknown> {
  try {
    await countUnknown(engine, request, engine.clock.now());
    return null;
  } catch (cause) {
    return cause;
  }
}

/** Paths that may be cached. Other responses may contain tokens or personal data. */
const CACHEABLE = /^\/(openapi\.json|docs(\/.*)?|llms\.txt)$/;

/** A path that cannot be decoded matches neither an endpoint nor an id. */
function unreadable({ app, response, route }: Request): Refusal | null {
  if (app.row || String(route.method) !== '_special' || !('isBoom' in response)) return null;
  return response instanceof Refusal || response.output.statusCode !== 400 ? null : refusal('NOT_FOUND');
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

function unrouted(findRow: FindRow, request: Request): Refusal | null {
  const { response } = request;
  if (request.app.row || !('isBoom' in response) || !(response instanceof Refusal || response.output.statusCode === 404)) return null;
  const allowed = METHODS.filter((method) => {
    const row = findRow(method, request.path);
    return row && isServedTo(row, request);
  });
  if (allowed.length === 0) return null;
  const allow = allowed.join(', ').toUpperCase();
  return refusal('METHOD_NOT_ALLOWED', { allow, reason: { en: `use ${allow}`, id: `gunakan ${allow}` } });
}
