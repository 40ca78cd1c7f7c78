import { pathToFileURL } from 'node:url';
import { formatTable, type Metric, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const RENEWALS: readonly Metric[] = [
  { key: 'ms', title: 'ms', digits: 1 },
  { key: 'clientCpuMs', title: 'client CPU ms', digits: 1 },
  { key: 'redisCpuMs', title: 'Redis CPU ms', digits: 1 },
  { key: 'redisMsPerCall', title: 'Redis ms/call', digits: 2 },
];
const ASKS: readonly Metric[] = [
  { key: 'p50Us', title: 'p50 µs', digits: 0 },
  { key: 'p99Us', title: 'p99 µs', digits: 0 },
  { key: 'rate', title: 'asks/s, 50 in flight', digits: 0 },
];

export async function benchCluster(options: RoundsOptions, show: (table: Table) => void): Promise<void> {
  show(await benchRenewals(options));
  show(await benchAsks(options));
}

function benchRenewals({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const args = [isQuick ? 'quick' : 'full'];
  return runRounds({
    title: 'cluster: 10,000 lease renewals',
    ceiling: 'one Lua call',
    rounds,
    variants: [
      { name: 'one Lua call', script: new URL('./cluster/renew-at-once.ts', import.meta.url), args },
      { name: 'keeper', script: new URL('./cluster/renew-keeper.ts', import.meta.url), args },
    ],
    metrics: RENEWALS,
  });
}

function benchAsks({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const args = [isQuick ? 'quick' : 'full'];
  return runRounds({
    title: 'cluster: ask across processes, 300-byte body',
    ceiling: 'Node IPC',
    rounds,
    variants: [
      { name: 'Node IPC', script: new URL('./cluster/ask-ipc.ts', import.meta.url), args },
      { name: 'bare Redis', script: new URL('./cluster/ask-redis.ts', import.meta.url), args },
      { name: 'wire', script: new URL('./cluster/ask-wire.ts', import.meta.url), args },
    ],
    metrics: ASKS,
  });
}

export const CLUSTER_NOTES = [
  'cluster: renewals are one whole round of the keeper, 1,000 keys a call; asks go one by one for the latencies, then 50 at a time for the rate. `bare Redis` publishes question and answer as they are, the least that the way through Redis costs: four sockets instead of two, and two turns of a third process. Redis and the answering process share the machine.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchCluster(roundsOptions(process.argv.slice(2)), (table) => console.log(`${formatTable(table)}\n`));
  for (const note of CLUSTER_NOTES) console.log(`- ${note}`);
}
