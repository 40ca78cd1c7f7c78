import { pathToFileURL } from 'node:url';
import { drawTimes } from './felt/picture.ts';
import { formatTable, type RoundsOptions, type Runs, roundsOptions, runAll, type Table, tabulate } from './rounds.ts';

const FELT = 'felt: 99th percentiles at a share of the highest rate';

/** Shares in percent of the rate of sends at which one call in a hundred waits longer than 100 ms for its 202. */
export const LEVELS = [10, 50, 90] as const;

const METRICS = [
  { key: 'rate', title: 'sends/s', digits: 0 },
  { key: 'accept', title: 'accepted ms', digits: 0 },
  { key: 'ack', title: 'sent ms', digits: 0 },
  { key: 'webhook', title: 'inbound to webhook ms', digits: 0 },
  { key: 'painted', title: 'inbound to painted ms', digits: 0 },
];

export async function benchFelt({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const script = new URL('./felt/gateway.ts', import.meta.url);
  const order = { title: FELT, rounds, metrics: METRICS, ceiling: nameOf(LEVELS[0]), timeoutMs: 900_000 };
  const name = 'gateway';
  const runs = await runAll({ ...order, variants: [{ name, script, args: [isQuick ? 'quick' : 'full'] }] });
  const ofLevel = (level: number) =>
    (runs.get(name) ?? []).map((run) =>
      'figures' in run
        ? { figures: Object.fromEntries(METRICS.map(({ key }) => [key, run.figures[`${key}${level}`] ?? Number.NaN])) }
        : run,
    );
  const byLevel: Runs = new Map(LEVELS.map((level) => [nameOf(level), ofLevel(level)]));
  return tabulate({ ...order, variants: LEVELS.map((level) => ({ name: nameOf(level), script })) }, byLevel);
}

const nameOf = (level: number): string => `${level} %`;

export const FELT_NOTES = [
  'felt: callers send to 60 devices of one tenant at a fixed rate, whether or not earlier calls are answered; a time counts from when a call was due. One message in five more is inbound. Callers, people, the receiver of webhooks, the network’s double and Chromium share the machine with the gateway.',
  'felt: sent is the network’s acknowledgement; painted is the frame after the one in which the message is in the open chat.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const table = await benchFelt(roundsOptions(process.argv.slice(2)));
  console.log(`${formatTable(table)}\n`);
  for (const note of FELT_NOTES) console.log(`- ${note}`);
  if (process.env['PICTURE']) await drawTimes(table, process.env['PICTURE']);
}
