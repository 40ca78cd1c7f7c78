import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = (name: string): URL => new URL(`./stores/${name}.ts`, import.meta.url);

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
      { name: 'bare route, and a row', script: script('bare-route'), args: [size, 'row'] },
      { name: 'gateway, receipt', script: script('gateway'), args: [size, 'receipt'] },
      { name: 'gateway, and decision', script: script('gateway'), args: [size, 'decision'] },
      { name: 'gateway, and message', script: script('gateway'), args: [size, 'orders'] },
      { name: 'gateway, repetitions', script: script('gateway'), args: [size, 'repetitions'] },
    ],
  });
}

export const STORE_NOTES = [
  'stores: the bare route keeps nothing; `and a row` adds one small durable row, with the indexes of a webhook’s, and nothing else: the least that storing before the answer costs. The gateway stores each webhook before it answers; what happens behind the answer, in the same process, is counted. `receipt`: sealed, stored and answered, and left unread, as where no commit can hold its consequences, too (MongoDB). `and decision`: read, decided, remembered, stored, and its message in the scheduled queue, in one commit, which stands in place of the receipt’s. `and message`: its message handed to its device, too. Those are new orders, each of which is a message; most webhooks in life repeat what is known (`repetitions`, whole).',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const table = await benchStores(roundsOptions(process.argv.slice(2)));
  console.log(formatTable(table));
  for (const note of STORE_NOTES) console.log(`- ${note}`);
}
