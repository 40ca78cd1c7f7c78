import { pathToFileURL } from 'node:url';
import { formatTable, type Metric, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const METRICS: readonly Metric[] = [
  { key: 'cpuUs', title: 'CPU µs/delivery', digits: 2 },
  { key: 'rate', title: 'deliveries/s', digits: 0 },
  { key: 'heapKb', title: 'heap KB/idle stream', digits: 1 },
  { key: 'rssKb', title: 'RSS KB/idle stream', digits: 1 },
];

const script = (name: string): URL => new URL(`./sse/${name}.ts`, import.meta.url);

const STALLED_METRICS: readonly Metric[] = [
  { key: 'growthMb', title: 'growth MB', digits: 1 },
  { key: 'closed', title: 'closed', digits: 0 },
  { key: 'p50', title: "others' p50 ms", digits: 0 },
  { key: 'p99', title: "others' p99 ms", digits: 0 },
];

export function benchSse({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const size = isQuick ? 'quick' : 'full';
  return runRounds({
    title: 'sse: 300-byte events to 1,000 streams',
    ceiling: 'framed once, one write an event',
    rounds,
    metrics: METRICS,
    variants: [
      { name: 'framed once, one write an event', script: script('socket'), args: [size] },
      { name: 'gateway', script: script('gateway'), args: [size] },
      { name: 'gateway, 10 events a turn', script: script('gateway'), args: [size, 'burst'] },
    ],
  });
}

export function benchStalled({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const size = isQuick ? 'quick' : 'full';
  return runRounds({
    title: 'sse: 200 readers that stop reading',
    ceiling: 'all read',
    rounds,
    metrics: STALLED_METRICS,
    variants: [
      { name: 'all read', script: script('stalled'), args: [size, 'read'] },
      { name: '200 stop', script: script('stalled'), args: [size, 'stall'] },
    ],
  });
}

export const SSE_NOTES = [
  'readers that stop: 1,200 events of 32 KB; growth is the highest resident memory beyond that with all of them connected, of which most comes and goes with the events themselves.',
  'gateway: a whole node whose 1,000 clients came in over HTTP with tickets of one tenant; the clients are in a second process, and the deliveries come from memory.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const options = roundsOptions(process.argv.slice(2));
  for (const run of [benchSse, benchStalled]) console.log(`${formatTable(await run(options))}\n`);
  for (const note of SSE_NOTES) console.log(`- ${note}`);
}
