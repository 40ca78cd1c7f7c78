/**
 * Prints the local reader's results as JSON. The first argument is the name of a set, `first sight`
 * or `second sight` for all sets in that folder, or `all` for all except `second sight`. The second
 * argument is optional, and names a word list to leave out.
 */
import { leaveOut } from './without-list.ts';

const [name = 'all', list] = process.argv.slice(2);
if (list !== undefined && list !== 'none') leaveOut(list);
const { judgeAll, judgeParts, judgeTogether, withInterval } = await import('./judge.ts');
const { EVALUATION_SETS, FIRST_SIGHT_SETS, SECOND_SIGHT_SETS } = await import('./sets.ts');

const every = [...EVALUATION_SETS, ...FIRST_SIGHT_SETS];
const groups = new Map([
  ['all', every],
  ['first sight', FIRST_SIGHT_SETS],
  ['second sight', SECOND_SIGHT_SETS],
]);
const sets = groups.get(name) ?? every.filter((set) => set.name === name);

function ablation() {
  const two = sets.map((set) => judgeParts(set, 2));
  const sum = (of: (one: (typeof two)[number]) => number): number => two.reduce((total, one) => total + of(one), 0);
  const together = judgeTogether(sets);
  return {
    two: sum(({ answered }) => answered) / sum(({ asked }) => asked),
    together: together.answered,
    wrongTogether: together.false,
  };
}

const { asked, first, answered, right, unanswerable, wrong } = judgeAll(sets);
console.log(
  JSON.stringify({
    first: first / asked,
    ...withInterval('answered', answered, asked),
    right: right / answered,
    ...withInterval('wrong', wrong, unanswerable),
    ...(list === undefined ? {} : ablation()),
  }),
);
