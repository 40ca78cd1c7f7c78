import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = (name: string): URL => new URL(`./stores/${name}.ts`, import.meta.url);

/** A store's webhook that is accepted, against a bare route that checks the same signature. */
export function benchStores({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const size = isQuick ? 'quick' : 'full';
  return runRounds({
    title: 'stores: a webhook of 1.2 KB, 50 connections',
    ceiling: 'bare route',
    rounds,
    metrics: [
      { key: 'cpuUs', title: 'CPU µs/webhook', digits: 1 },
      { key: 'rate', title: 'webhooks/s', digits: 0 },
      { key: 'p99', title: 'p99 ms', digits: 1 },
    ],
    variants: [
      { name: 'bare route', script: script('bare-route'), args: [size] },
      { name: 'gateway, answers alone', script: script('gateway'), args: [size, 'answers'] },
      { name: 'gateway', script: script('gateway'), args: [size] },
    ],
  });
}

export const STORE_NOTES = [
  'stores: the bare route keeps nothing. The gateway stores each webhook before it answers and decides behind the answer; its actors run in the same process and are counted, most of the webhooks being repetitions, as they are in life. `answers alone` leaves them unread in the store: the rest of the figure is what working them off costs.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(formatTable(await benchStores(roundsOptions(process.argv.slice(2)))));
  for (const note of STORE_NOTES) console.log(`- ${note}`);
}
