/**
 * Runs the test files in TEST_FILES in one process, one after the other, each as a suite with its name. Loading and
 * compiling is most of the cost of a small file. Loaded by the file that `npm test` writes for each group
 * (scripts/commands/test.ts).
 */
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { after, before, describe } from 'node:test';
import { restartIds } from '../../runtime/ids.ts';
import { cpuOfEndedChildren } from './cpu.ts';
import { endProcess } from './shared-process.ts';

/** Longer than a file takes next to ten other busy processes. */
const FILE_MS = 480_000;
/** Time that the process may continue after its last test, in ms. */
const ENDS_WITHIN_MS = Number(process.env['TEST_ENDS_WITHIN_MS'] ?? 60_000);

// An import would complete only after the suite's function has returned.
const load = createRequire(import.meta.url);
const files = (process.env['TEST_FILES'] ?? '').split(' ').filter((file) => file !== '');
for (const file of files)
  describe(file, { timeout: FILE_MS }, () => {
    let [since, cpuBefore] = [0, 0];
    before(() => {
      // The clocks of the previous file may have been years ahead.
      restartIds();
      [since, cpuBefore] = [performance.now(), cpuSeconds()];
    });
    load(resolve(file));
    after(() => note({ file, seconds: (performance.now() - since) / 1_000, cpuSeconds: cpuSeconds() - cpuBefore }));
  });

// A test that never ended or left a resource open would keep the process alive until the time limit of the whole group.
after(async () => {
  setTimeout(endAnyway, ENDS_WITHIN_MS).unref();
  await endProcess();
});

function endAnyway(): void {
  console.error(`something was left open in one of these files: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + (cpuOfEndedChildren() ?? 0);
}

/** Writes a note for the reporter of the run. */
function note(cost: object): void {
  const costs = process.env['TEST_COSTS'];
  if (costs) appendFileSync(costs, `${JSON.stringify(cost)}\n`);
}
