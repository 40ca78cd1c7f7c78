import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Distribution } from '../../runtime/metrics/distribution.ts';

export type Series = readonly [labels: Readonly<Record<string, string>>, value: number];

export type SpreadSeries = readonly [labels: Readonly<Record<string, string>>, values: Distribution];

interface Metric<S> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  read(): Iterable<S> | Promise<Iterable<S>>;
}

export function showCounter(registry: Registry, { name, help, labels = [], read }: Metric<Series>): void {
  new Counter({
    ...{ name, help, labelNames: [...labels], registers: [registry] },
    async collect() {
      const all = await read();
      this.reset();
      for (const [of, value] of all) this.inc(of, value);
    },
  });
}

export function showGauge(registry: Registry, { name, help, labels = [], read }: Metric<Series>): void {
  new Gauge({
    ...{ name, help, labelNames: [...labels], registers: [registry] },
    async collect() {
      const all = await read();
      this.reset();
      for (const [of, value] of all) this.set(of, value);
    },
  });
}

export function showHistogram(registry: Registry, metric: Metric<SpreadSeries>): void {
  new ReadHistogram(registry, metric);
}

/**
 * Reads values that are counted elsewhere, because prom-client's own histogram takes a microsecond
 * per value.
 */
class ReadHistogram extends Histogram {
  readonly #metric: Metric<SpreadSeries>;

  constructor(registry: Registry, metric: Metric<SpreadSeries>) {
    const { name, help, labels = [] } = metric;
    super({ name, help, labelNames: [...labels], buckets: [], registers: [registry] });
    this.#metric = metric;
  }

  async getForPromString() {
    const { name, help, read } = this.#metric;
    return { name, help, type: 'histogram', aggregator: 'sum', values: [...(await read())].flatMap((series) => linesOf(name, series)) };
  }
}

function linesOf(name: string, [labels, { buckets, sum }]: SpreadSeries) {
  let count = 0;
  const lines = buckets.map(({ upTo, count: own }) => {
    count += own;
    const le = upTo === Number.POSITIVE_INFINITY ? '+Inf' : String(upTo);
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [...lines, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: count }];
}
