import { type RoundsOptions, runRounds, type Table } from './rounds.ts';

export async function benchMetrics({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const size = isQuick ? 'quick' : 'full';
  return runRounds({
    title: METRICS,
    ceiling: 'accepted send',
    rounds,
    metrics: [{ key: 'cpuUs', title: 'CPU µs/message', digits: 2 }],
    variants: [
      { name: 'accepted send', script: new URL('./http/gateway.ts', import.meta.url), args: [size] },
      { name: 'counting', script: new URL('./metrics/counting.ts', import.meta.url), args: [size] },
    ],
  });
}

export const METRICS = 'metrics: what is counted of a message';

export const METRICS_NOTES = [
  'metrics: counting is all that metrics do for a message until it is read (store operations as many as a real node needs for one, limits, the request, what becomes of it), over a store and limits that do nothing, less the same without what counts; the send is only accepted.',
];
