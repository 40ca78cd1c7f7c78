import { pathToFileURL } from 'node:url';
import { EVALUATION_SETS, FIRST_SIGHT_SETS } from './ai/sets.ts';
import { WORD_LISTS } from './ai/without-list.ts';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = (name: string): URL => new URL(`./ai/${name}.ts`, import.meta.url);

const named = ({ name }: { readonly name: string }): string => name;
const shares = (key: string, title: string) => [
  { key, title, digits: 3 },
  { key: `${key}From`, title: 'from', digits: 3 },
  { key: `${key}To`, title: 'to', digits: 3 },
];

export async function benchAi({ rounds, isQuick }: RoundsOptions, show: (table: Table) => void): Promise<void> {
  show(
    await runRounds({
      title: 'ai: questions to twenty saved answers, with 95 % intervals',
      ceiling: 'all',
      rounds: 1,
      metrics: [
        { key: 'first', title: 'right one first', digits: 3 },
        ...shares('answered', 'answered'),
        { key: 'right', title: 'right of answered', digits: 3 },
        ...shares('wrong', 'answered without an answer'),
      ],
      variants: ['all', ...EVALUATION_SETS.map(named), 'first sight', ...FIRST_SIGHT_SETS.map(named), 'second sight'].map((name) => ({
        name,
        script: script('faq'),
        args: [name],
      })),
    }),
  );
  show(
    await runRounds({
      title: 'ai: without one of the word lists',
      ceiling: 'none',
      rounds: 1,
      metrics: [
        { key: 'answered', title: 'answered, of twenty answers', digits: 3 },
        { key: 'right', title: 'right of answered', digits: 3 },
        { key: 'wrong', title: 'answered without an answer', digits: 3 },
        { key: 'two', title: 'answered, of two answers', digits: 3 },
        { key: 'together', title: 'answered, of all answers in one', digits: 3 },
        { key: 'wrongTogether', title: 'without an answer, of all in one', digits: 3 },
      ],
      variants: ['none', ...WORD_LISTS].map((name) => ({ name, script: script('faq'), args: ['all', name] })),
    }),
  );
  show(
    await runRounds({
      title: `ai: a question over ${isQuick ? '500' : '5,000'} passages of 120 words`,
      ceiling: 'local reader',
      rounds,
      metrics: [
        { key: 'p50', title: 'CPU ms, p50', digits: 2 },
        { key: 'p95', title: 'CPU ms, p95', digits: 2 },
        { key: 'buildMs', title: 'build, CPU ms', digits: 0 },
        { key: 'memoryMb', title: 'memory, MB', digits: 0 },
      ],
      variants: [{ name: 'local reader', script: script('passages'), args: [isQuick ? 'quick' : 'full'] }],
    }),
  );
}

export const AI_NOTES = [
  'ai: goals for saved answers: answered at least 0.75, right of answered at least 0.92, answered without an answer at most 0.03; for a question over 5,000 passages 20 ms of CPU at the 95th percentile. An index is built in a thread of its own.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchAi(roundsOptions(process.argv.slice(2)), (table) => console.log(`${formatTable(table)}\n`));
  for (const note of AI_NOTES) console.log(`- ${note}`);
}
