import { judge, judgeAll } from './judge.ts';
import { EVALUATION_SETS } from './sets.ts';

const set = EVALUATION_SETS.find(({ name }) => name === process.argv[2]);
if (set) {
  const { threshold, first, answered, right, false: wrong } = judge(set);
  console.log(JSON.stringify({ first, answered, right, wrong, threshold }));
} else {
  const { answered, right, false: wrong, first } = judgeAll(EVALUATION_SETS);
  console.log(JSON.stringify({ first, answered, right, wrong }));
}
