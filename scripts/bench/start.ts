import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = new URL('./start/process.ts', import.meta.url);

export const START = 'start: to /ready, and idle after it';

export function benchStart({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  return runRounds({
    title: START,
    ceiling: 'imports',
    rounds,
    variants: ['imports', 'gateway'].map((name) => ({ name, script, args: [name, isQuick ? 'quick' : 'full'] })),
    metrics: [
      { key: 'cpuMs', title: 'CPU ms', digits: 0 },
      { key: 'rssMb', title: 'MB RSS', digits: 0 },
    ],
  });
}

export const START_NOTES = [
  'start: `npm start` with a sandbox in another process, after a start that filled the compile cache; CPU until /ready answers, memory five seconds later. `imports`: hapi, joi, mongodb, ioredis and Baileys, with the same cache.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(formatTable(await benchStart(roundsOptions(process.argv.slice(2)))));
  for (const note of START_NOTES) console.log(`- ${note}`);
}
