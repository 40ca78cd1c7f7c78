import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The runs of a night, in their order. Each says itself what it leaves out, and ends with another code than 0 where it failed. */
const RUNS: readonly { readonly title: string; readonly file: string }[] = [
  { title: 'the stall guard: hostile input to every surface of one node', file: '../guard/main.ts' },
  { title: 'the stall guard: the text that stopped a cluster', file: '../guard/cluster-main.ts' },
];

/** `npm run check:night`: what is too long for each change. Runs all, also after one failed. */
let failed = 0;
for (const { title, file } of RUNS) {
  process.stdout.write(`\n${title}\n`);
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], { stdio: 'inherit' });
  if (status !== 0) failed += 1;
}
process.stdout.write(`\n${failed === 0 ? 'all runs of the night passed' : `${failed} of ${RUNS.length} runs FAILED`}\n`);
process.exitCode = failed === 0 ? 0 : 1;
