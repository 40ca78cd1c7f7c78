import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = (name: string): URL => new URL(`./auto-reply/${name}.ts`, import.meta.url);

export function benchAutoReply({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const size = isQuick ? 'quick' : 'full';
  return runRounds({
    title: 'auto-reply: 500 rules on a message of 64 KB',
    ceiling: 'native engine, in one go',
    rounds,
    metrics: [
      { key: 'cpuMs', title: 'CPU ms/message', digits: 2 },
      { key: 'heldMs', title: 'event loop held, p99 CPU ms', digits: 2 },
    ],
    variants: [
      { name: 'native engine, in one go', script: script('native'), args: [size] },
      { name: 'gateway', script: script('gateway'), args: [size] },
    ],
  });
}

export const AUTO_REPLY_NOTES = [
  'auto-reply: a third of the rules each keyword, contains and regex; regular expressions look at the first 4,096 characters. What is held is CPU time between two turns of somebody else in the event loop.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(formatTable(await benchAutoReply(roundsOptions(process.argv.slice(2)))));
  for (const note of AUTO_REPLY_NOTES) console.log(`- ${note}`);
}
