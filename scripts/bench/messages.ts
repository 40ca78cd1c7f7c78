import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = new URL('./whole/messages.ts', import.meta.url);

export const MESSAGES = 'messages: texts of one device, the whole way';

const WAYS = ['together', 'one by one', 'campaign'];

export function benchMessages({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const size = isQuick ? 'quick' : 'full';
  return runRounds({
    title: MESSAGES,
    ceiling: 'together',
    rounds,
    timeoutMs: 300_000,
    variants: [
      ...WAYS.map((name) => ({ name, script, args: [size, name] })),
      ...(process.env['MONGODB_URL'] ? WAYS.map((name) => ({ name: `${name}, MongoDB`, script, args: [size, name, 'mongodb'] })) : []),
    ],
    metrics: [
      { key: 'statements', title: 'statements', digits: 1 },
      { key: 'commits', title: 'commits', digits: 2 },
      { key: 'commands', title: 'MongoDB commands', digits: 1 },
      { key: 'cpuMs', title: 'CPU ms', digits: 2 },
      { key: 'rate', title: 'messages/s', digits: 0 },
    ],
  });
}

export const MESSAGE_NOTES = [
  'messages: a whole node over the embedded store, or over MongoDB where MONGODB_URL names one, without pace or webhooks, the sandbox network in another process; statements and commits of the event loop’s thread from the request until the delivery receipt and its consequences are stored. `together`: 30 requests at once; `one by one`: each waits for the delivery of the last, so its CPU includes looking; `campaign`: from its start.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(formatTable(await benchMessages(roundsOptions(process.argv.slice(2)))));
  for (const note of MESSAGE_NOTES) console.log(`- ${note}`);
}
