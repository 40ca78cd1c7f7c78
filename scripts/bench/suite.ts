import { type RoundsOptions, runRounds, type Table } from './rounds.ts';

export const SUITE = 'suite: npm test';

export function benchSuite({ isQuick }: RoundsOptions): Promise<Table> {
  return runRounds({
    title: SUITE,
    ceiling: 'suite',
    rounds: 1,
    timeoutMs: 7_200_000,
    variants: [{ name: 'suite', script: new URL('./suite/run.ts', import.meta.url), args: [isQuick ? 'quick' : 'full'] }],
    metrics: [{ key: 'minutes', title: 'minutes', digits: 1 }],
  });
}

export const SUITE_NOTES = ['suite: the wall of one `npm test`, so it needs a quiet machine; with --quick of one small folder.'];
