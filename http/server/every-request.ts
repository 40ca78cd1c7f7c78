import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Cancel } from '../../runtime/clock.ts';
import { newId } from '../../runtime/ids.ts';
import { at } from '../../runtime/invariant.ts';
import type { Engine, Remembered } from '../core/engine.ts';
import type { Exchange } from '../core/exchange.ts';
import type { RequestMetrics } from '../core/metrics.ts';
import type { LimitResult } from '../limits/limits.ts';

export class Flight {
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

export interface Around {
  readonly flight: Flight;
  readonly metrics: RequestMetrics;
  answerHeaders(app: Partial<Remembered>): HeaderList;
  originHeaders(path: string, origin: unknown): HeaderList;
}

/** A flat list in which names and values alternate. */
export type HeaderList = readonly string[];

export function arrival(headers: IncomingHttpHeaders, { clock }: Engine): Pick<Remembered, 'id' | 'arrivedMs'> {
  return { id: idOf(headers, clock), arrivedMs: clock.monotonic() };
}

const SANE_ID = /^[\w.:-]{1,64}$/;

function idOf(headers: IncomingHttpHeaders, clock: Engine['clock']): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && SANE_ID.test(sent) ? sent : newId(clock.now());
}

const UNTOUCHED: LimitResult = { ok: true, limit: 300, remaining: 300, resetMs: 60_000 };

/** With `isHttps`, the headers also forbid browsers from using plain http. */
export const answerHeaders =
  (flight: Flight, isHttps: boolean) =>
  ({ id, verdict = UNTOUCHED }: Partial<Remembered>): HeaderList => [
    ...(isHttps ? HTTPS_ONLY : []),
    'X-Request-Id',
    id ?? '',
    'RateLimit-Limit',
    String(verdict.limit),
    'RateLimit-Remaining',
    String(verdict.remaining),
    'RateLimit-Reset',
    String(Math.max(1, Math.ceil(verdict.resetMs / 1000))),
    'X-Content-Type-Options',
    'nosniff',
    ...(flight.isDraining ? CLOSE : []),
  ];

const HTTPS_ONLY = ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'];
const CLOSE = ['Connection', 'close'];

export function setAll(res: ServerResponse, headers: HeaderList): void {
  for (let nth = 0; nth < headers.length; nth += 2) res.setHeader(at(headers, nth), at(headers, nth + 1));
}

/** Status in logs and metrics for a caller that has disconnected. It is never sent. */
const CALLER_LEFT = 499;

export function record({ app, method, raw: { res } }: Exchange, engine: Engine, metrics: RequestMetrics): void {
  const { arrivedMs = 0, refusedWith } = app;
  const status = res.headersSent ? res.statusCode : CALLER_LEFT;
  recordAnswer({ app, method, status, ms: engine.clock.monotonic() - arrivedMs }, engine, metrics);
  if (refusedWith !== undefined) metrics.refused(refusedWith);
}

interface Answered {
  readonly app: Partial<Remembered>;
  readonly status: number;
  readonly ms: number;
  /** Absent if the request could not be parsed. */
  readonly method?: string;
}

export function recordAnswer({ app, method, status, ms }: Answered, { log }: Engine, metrics: RequestMetrics): void {
  const { id, row, tenantId } = app;
  metrics.answered(row?.id ?? 'none', status, ms / 1000);
  const level = row?.probe ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  log[level]({ req: id, method, path: row?.path ?? 'none', status, ms: Math.round(ms * 10) / 10, tenant: tenantId }, 'request');
}
