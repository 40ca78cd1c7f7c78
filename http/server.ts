import hapi, { type Request, type Server } from '@hapi/hapi';
import { Registry } from 'prom-client';
import type { Cancel } from '../runtime/clock.ts';
import { newId } from '../runtime/ids.ts';
import { type Readiness, service } from './areas/service.ts';
import { docsPage } from './docs.ts';
import type { Engine, RowFacts } from './engine.ts';
import { metricsIn, type RequestMetrics } from './metrics.ts';
import { type BoundArea, bind, refused, toHapi } from './mount.ts';
import { isTakenOver } from './ongoing.ts';
import { openApi } from './openapi.ts';

export interface ServerOptions extends Omit<Engine, 'isDraining' | 'checkAnswers'> {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly areas: readonly BoundArea[];
  readonly readiness: Readiness;
  readonly checkAnswers?: boolean;
  /** The public address shown in the documents; default: where it listens. */
  readonly baseUrl?: string;
  /** What /metrics shows; HTTP's own are added. */
  readonly metrics?: Registry;
}

export interface HttpServer {
  /** `http://host:port`; the real port once started. */
  readonly url: string;
  /** Every row that is served. */
  readonly rows: readonly RowFacts[];
  /** Node's own server, for connections that upgrade. */
  readonly listener: Server['listener'];
  start(): Promise<void>;
  /** Refuses new work with 503 at once, waits for the requests in flight at most `timeoutMs`, then closes. */
  stop(options: { readonly timeoutMs: number }): Promise<void>;
}

/** Longer than load balancers keep an idle connection: who closes it first while the other one writes loses a request (a 502 at the balancer). */
const IDLE_MS = 75_000;

/** The HTTP side of a node: every area's rows, and the service area over all of them. */
export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const flight = new Flight();
  const engine: Engine = { ...options, checkAnswers: options.checkAnswers ?? false, isDraining: () => flight.isDraining };
  const registry = options.metrics ?? new Registry();
  const server = hapi.server({ host: options.host, port: options.port, debug: false, routes: { cors: false, state: { parse: false } } });
  server.listener.keepAliveTimeout = IDLE_MS;
  server.listener.requestTimeout = 120_000;
  server.listener.headersTimeout = 15_000;
  const rows = withService(options, engine, registry, server).flatMap((area) => area.rows);
  server.route(rows.map((row) => toHapi(engine, row)));
  watch(server, engine, flight, metricsIn(registry));
  return {
    get url() {
      return server.info.uri;
    },
    rows: rows.map(({ facts }) => facts),
    listener: server.listener,
    start: () => server.start(),
    async stop({ timeoutMs }) {
      await flight.land(engine, timeoutMs);
      await server.stop({ timeout: 0 });
    },
  };
}

function withService(
  { areas, readiness, baseUrl }: ServerOptions,
  engine: Engine,
  metrics: Registry,
  server: Server,
): readonly BoundArea[] {
  const all: BoundArea[] = [...areas];
  const once = <T>(make: () => T): (() => T) => {
    let made: T | undefined;
    return () => (made ??= make());
  };
  const address = (): string => baseUrl ?? server.info.uri;
  const openapi = once(() => openApi(all, address()));
  const docs = once(() => docsPage(all, address()));
  all.push(bind(service, { readiness, metrics, openapi, docs, isDraining: engine.isDraining }));
  return all;
}

/** The requests that are being answered, and whether any more are taken. */
class Flight {
  isDraining = false;
  #aloft = 0;
  #landed: () => void = () => {};

  begin(): void {
    this.#aloft++;
  }

  end(): void {
    if (--this.#aloft === 0) this.#landed();
  }

  land({ clock }: Engine, timeoutMs: number): Promise<void> {
    this.isDraining = true;
    return new Promise((resolve) => {
      if (this.#aloft === 0) return resolve();
      const cancel: Cancel = clock.after(timeoutMs, resolve);
      this.#landed = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** Around every request, also those that no row answers: its id, the headers of every answer, one log line, the metrics. */
function watch(server: Server, engine: Engine, flight: Flight, metrics: RequestMetrics): void {
  server.ext('onRequest', (request, h) => {
    flight.begin();
    request.app.id = requestId(request, engine);
    request.app.arrivedMs = engine.clock.monotonic();
    return h.continue;
  });
  server.ext('onPreResponse', (request, h) => {
    stamp(request, flight.isDraining);
    if (isTakenOver(request)) return h.abandon;
    return 'isBoom' in request.response ? refused(engine, request, h, request.response) : h.continue;
  });
  server.events.on('response', (request) => {
    flight.end();
    record(request, engine, metrics);
  });
}

const SANE_ID = /^[\w.:-]{1,64}$/;

function requestId({ headers }: Request, { clock }: Engine): string {
  const sent: unknown = headers['x-request-id'];
  return typeof sent === 'string' && SANE_ID.test(sent) ? sent : newId(clock.now());
}

/** The limit shown where none was looked at: the default one, untouched (spec.md part 8). */
const UNTOUCHED = { limit: 300, remaining: 300, resetMs: 60_000 };

function stamp({ app, raw: { res } }: Request, isDraining: boolean): void {
  const { limit, remaining, resetMs } = app.verdict ?? UNTOUCHED;
  res.setHeader('X-Request-Id', app.id ?? '');
  res.setHeader('RateLimit-Limit', limit);
  res.setHeader('RateLimit-Remaining', remaining);
  res.setHeader('RateLimit-Reset', Math.max(1, Math.ceil(resetMs / 1000)));
  res.setHeader('X-Content-Type-Options', 'nosniff');
  if (isDraining) res.setHeader('Connection', 'close');
}

/** In logs and metrics only: the caller went away before the answer. */
const CALLER_LEFT = 499;

function record(request: Request, { log, clock }: Engine, metrics: RequestMetrics): void {
  const { id, row, tenantId, arrivedMs = 0 } = request.app;
  const ms = clock.monotonic() - arrivedMs;
  const { headersSent, statusCode } = request.raw.res;
  const status = headersSent ? statusCode : CALLER_LEFT;
  metrics.answered(row?.id ?? 'none', status, ms / 1000);
  const level = row?.probe ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  log[level](
    { req: id, method: request.method, path: row?.path ?? 'none', status, ms: Math.round(ms * 10) / 10, tenant: tenantId },
    'request',
  );
}
