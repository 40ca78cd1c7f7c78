import { formatTable, roundsOptions, runRounds } from './rounds.ts';

const { rounds, isQuick } = roundsOptions(process.argv);
const args = isQuick ? ['--quick'] : [];
const byHand = new URL('./store-by-hand.ts', import.meta.url);

/** The embedded store against the same work written by hand on node:sqlite: 50 at a time, full synchronous, four indexes. */
const table = await runRounds({
  title: 'Embedded store, 50 concurrent, ~600-byte rows, 4 indexes',
  ceiling: 'by hand, columns',
  rounds,
  variants: [
    { name: 'by hand, columns', script: byHand, args },
    { name: 'by hand, expression indexes', script: byHand, args: ['expressions', ...args] },
    { name: 'embedded store', script: new URL('./store-embedded.ts', import.meta.url), args },
  ],
  metrics: [
    { key: 'insertsPerSecond', title: 'inserts/s', digits: 0 },
    { key: 'insertCpu', title: 'insert CPU µs', digits: 1 },
    { key: 'findCpu', title: 'findOne CPU µs', digits: 1 },
    { key: 'claimCpu', title: 'guarded update CPU µs', digits: 1 },
  ],
});
console.log(formatTable(table));
