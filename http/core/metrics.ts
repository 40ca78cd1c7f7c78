import { collectDefaultMetrics, Registry } from 'prom-client';
import { present } from '../../runtime/invariant.ts';
import { Counts } from '../../runtime/metrics/counts.ts';
import { Distribution } from '../../runtime/metrics/distribution.ts';
import { type Series, type SpreadSeries, showCounter, showGauge, showHistogram } from './prometheus.ts';
import type { UnreadAnswers } from './unread-answers.ts';

export interface RequestMetrics {
  answered(row: string, status: number, seconds: number): void;
  refused(code: string): void;
}

interface Answers {
  readonly byStatus: Map<number, number>;
  readonly seconds: Distribution;
}

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

class RequestCounts implements RequestMetrics {
  readonly #rows = new Map<string, Answers>();
  readonly refusals: Counts;

  constructor(codes: Iterable<string>) {
    this.refusals = new Counts(codes);
  }

  answered(row: string, status: number, seconds: number): void {
    let answers = this.#rows.get(row);
    if (answers === undefined) {
      answers = { byStatus: new Map(), seconds: new Distribution(BOUNDS) };
      this.#rows.set(row, answers);
    }
    answers.byStatus.set(status, (answers.byStatus.get(status) ?? 0) + 1);
    answers.seconds.observe(seconds);
  }

  refused(code: string): void {
    this.refusals.add(code);
  }

  *answers(): Generator<Series> {
    for (const [row, { byStatus }] of this.#rows) for (const [status, n] of byStatus) yield [{ row, status: String(status) }, n];
  }

  *durations(): Generator<SpreadSeries> {
    for (const [row, { seconds }] of this.#rows) yield [{ row }, seconds];
  }
}

let processMetrics: Registry | null = null;

/**
 * Created once, because prom-client's observers cannot be stopped and keep their registry in
 * memory.
 */
function ofProcess(): Registry {
  if (processMetrics === null) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return processMetrics;
}

export function metricsIn(registry: Registry, codes: Iterable<string>): RequestMetrics {
  const shared = ofProcess();
  for (const { name } of shared.getMetricsAsArray()) registry.registerMetric(present(shared.getSingleMetric(name), name));
  const counts = new RequestCounts(codes);
  showCounter(registry, {
    name: 'http_requests_total',
    help: 'Finished requests, by operation (row) and status; 499 if the client disconnected',
    labels: ['row', 'status'],
    read: () => counts.answers(),
  });
  showHistogram(registry, {
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the last byte of its response',
    labels: ['row'],
    read: () => counts.durations(),
  });
  showCounter(registry, {
    name: 'gateway_refusals_total',
    help: 'Rejected requests, by error code',
    labels: ['code'],
    read: () => [...counts.refusals.entries()].map(([code, n]): Series => [{ code }, n]),
  });
  return counts;
}

export function showUnread(registry: Registry, unread: UnreadAnswers): void {
  showCounter(registry, {
    name: 'gateway_answers_dropped_total',
    help: 'Responses that were dropped because the client did not read them, by cause',
    labels: ['because'],
    read: () => [...unread.dropped.entries()].map(([because, n]): Series => [{ because }, n]),
  });
  showGauge(registry, {
    name: 'gateway_unsent_answer_bytes',
    help: 'Bytes of responses that clients have not read yet; above 24 MB, the largest responses are dropped',
    read: () => [[{}, unread.bytes]],
  });
}
