import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const byHand = new URL('./store-by-hand.ts', import.meta.url);
const embedded = new URL('./store-embedded.ts', import.meta.url);

export function benchStore({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const args = isQuick ? ['--quick'] : [];
  return runRounds({
    title: 'store: 50 concurrent, ~600-byte rows, 4 indexes',
    ceiling: 'by hand, columns',
    rounds,
    variants: [
      { name: 'by hand, columns', script: byHand, args },
      { name: 'by hand, expression indexes', script: byHand, args: ['expressions', ...args] },
      { name: 'embedded store', script: embedded, args },
    ],
    metrics: [
      { key: 'insertsPerSecond', title: 'inserts/s', digits: 0 },
      { key: 'insertCpu', title: 'insert CPU µs', digits: 1 },
      { key: 'insertLoopCpu', title: 'of it on the loop', digits: 1 },
      { key: 'findCpu', title: 'findOne CPU µs', digits: 1 },
      { key: 'claimCpu', title: 'guarded update CPU µs', digits: 1 },
      { key: 'claimLoopCpu', title: 'of it on the loop', digits: 1 },
    ],
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(formatTable(await benchStore(roundsOptions(process.argv.slice(2)))));
}
