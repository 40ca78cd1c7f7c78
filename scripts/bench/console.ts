import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = (name: string): URL => new URL(`./console/${name}.ts`, import.meta.url);

export const SCRIPT_SIZES = 'console: script of a page, gzipped';
export const LIVE = 'console: from a phone’s write to painted';
export const SCROLLING = 'console: scrolling 10,000 chats';

export async function benchConsole(options: RoundsOptions, show: (table: Table) => void): Promise<void> {
  for (const bench of [benchSizes, benchLive, benchScrolling]) show(await bench(options));
}

function benchSizes(): Promise<Table> {
  return runRounds({
    title: SCRIPT_SIZES,
    ceiling: 'console',
    rounds: 1,
    metrics: [
      { key: 'heaviestKb', title: 'heaviest page KiB', digits: 1 },
      { key: 'signInKb', title: '/sign-in KiB', digits: 1 },
      { key: 'styleKb', title: 'style KiB', digits: 1 },
    ],
    variants: [{ name: 'console', script: script('sizes') }],
  });
}

function benchLive({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  return runRounds({
    title: LIVE,
    ceiling: 'console',
    rounds,
    metrics: [
      { key: 'paintedP50', title: 'p50 ms', digits: 0 },
      { key: 'paintedP99', title: 'p99 ms', digits: 0 },
    ],
    variants: [{ name: 'console', script: script('live'), args: [isQuick ? '20' : '100'] }],
  });
}

function benchScrolling({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  return runRounds({
    title: SCROLLING,
    ceiling: 'inbox',
    rounds,
    timeoutMs: 300_000,
    metrics: [
      { key: 'times', title: 'p95 against an empty page', digits: 2 },
      { key: 'frameP95', title: 'frame p95 ms', digits: 1 },
      { key: 'emptyP95', title: 'empty page p95 ms', digits: 1 },
      { key: 'frameCpu', title: 'CPU p95 ms a frame', digits: 1 },
      { key: 'emptyCpu', title: 'empty page CPU p95 ms a frame', digits: 1 },
      { key: 'rows', title: 'rows drawn', digits: 0 },
    ],
    variants: [{ name: 'inbox', script: script('scroll'), args: [isQuick ? '500' : '10000'] }],
  });
}

export const CONSOLE_NOTES = [
  'console: Debian’s Chromium (or CHROMIUM) without a window, on the machine that runs the gateway, too; painted is the frame after the one in which the message is in the page.',
  'scrolling: all chats are loaded; then six flicks of 120 frames, 120 px each, from six places of the list, in turns with the console’s page for an unknown path in another tab. A frame takes 16.7 ms or a multiple of it, so on a busy machine its length says how long the page waited for a processor; CPU says how long its main thread used one, and below 16.7 ms is in time where a processor is free.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchConsole(roundsOptions(process.argv.slice(2)), (table) => console.log(`${formatTable(table)}\n`));
  for (const note of CONSOLE_NOTES) console.log(`- ${note}`);
}
