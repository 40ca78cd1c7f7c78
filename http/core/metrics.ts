import { Counter, collectDefaultMetrics, Histogram, type Registry } from 'prom-client';

/** Counts answered requests. `row` is the row's id, or `none` for unknown paths. */
export interface RequestMetrics {
  answered(row: string, status: number, seconds: number): void;
}

/** Registers the process's own metrics (memory, CPU, event-loop delay) and those of HTTP. */
export function metricsIn(registry: Registry): RequestMetrics {
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const answered = new Counter({ name: 'http_requests_total', help: 'Answered requests', labelNames: ['row', 'status'], registers });
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the last byte of its answer',
    labelNames: ['row'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const counters = new Map<string, ReturnType<typeof answered.labels>>();
  const timers = new Map<string, ReturnType<typeof seconds.labels>>();
  return {
    answered(row, status, took) {
      kept(counters, `${row} ${status}`, () => answered.labels(row, String(status))).inc();
      kept(timers, row, () => seconds.labels(row)).observe(took);
    },
  };
}

function kept<T>(children: Map<string, T>, key: string, make: () => T): T {
  let child = children.get(key);
  if (child === undefined) {
    child = make();
    children.set(key, child);
  }
  return child;
}
