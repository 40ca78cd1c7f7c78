/**
 * Runs the tests. `npm test` runs all of them, each suite on one store. `npm test FOLDER…` runs the
 * tests in the folders, many files per process. `npm test FILE…` runs the given files, each in its
 * own process.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { groupsOf } from './test-groups.ts';

const REPORTERS = ['spec', './test/support/slowest-files.ts'].flatMap((reporter) => [
  `--test-reporter=${reporter}`,
  '--test-reporter-destination=stdout',
]);
/** Objects in tests are short-lived, so a larger young generation means fewer collections. */
const YOUNG = ['--min-semi-space-size=16', '--max-semi-space-size=32'];
const OPTIONS = [
  ...YOUNG,
  '--import=./test/support/untracked-promises.ts',
  '--test',
  '--test-global-setup=test/support/run.ts',
  ...REPORTERS,
];
/** Tests spend much time waiting, so more processes than cores run. */
const AT_ONCE = availableParallelism() * 2;
const FILE_MS = 240_000;
const GROUP_MS = 20 * 60_000;
/** In a full run, one in this many suites uses the embedded store. */
const EMBEDDED_SHARE = '3';

const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith('-'));
const files = words.filter((word) => !word.startsWith('-'));
const folders = files.filter((word) => statSync(word, { throwIfNoEntry: false })?.isDirectory());
const alone = files.filter((word) => !folders.includes(word));
const isWhole = words.length === options.length;
process.exitCode = folders.length > 0 || isWhole ? runGrouped(isWhole ? ['test'] : folders) : run(alone, FILE_MS);

function runGrouped(under: readonly string[]): number {
  const directory = mkdtempSync(join(tmpdir(), 'test-groups-'));
  try {
    const found = globSync(
      under.map((folder) => join(folder, '**/*.test.ts')),
      { exclude: ['**/node_modules/**'] },
    );
    const groups = groupsOf(found, AT_ONCE);
    const entries = groups.shared.map((group, nth) => entryOf(directory, group, nth));
    // All processes share a compile cache, because nearly every process loads a gateway and half of
    // that time is compiling.
    const compiled = process.env['NODE_COMPILE_CACHE'] ?? join(directory, 'compiled');
    // Uses absolute paths for the long files, because the runner sorts its arguments and then
    // starts these first.
    const long = groups.long.map((file) => resolve(file));
    return run([...alone, ...entries, ...long, ...groups.alone], GROUP_MS, {
      TEST_COSTS: join(directory, 'costs'),
      NODE_COMPILE_CACHE: compiled,
      ...(isWhole && { EMBEDDED_SHARE }),
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function entryOf(directory: string, files: readonly string[], nth: number): string {
  const entry = join(directory, `group-${String(nth).padStart(3, '0')}.mjs`);
  const together = pathToFileURL(resolve('test/support/together.ts'));
  writeFileSync(entry, `process.env.TEST_FILES = ${JSON.stringify(files.join(' '))};\nawait import('${together.href}');\n`);
  return entry;
}

function run(args: readonly string[], longestMs: number, more: NodeJS.ProcessEnv = {}): number {
  const bounds = [`--test-timeout=${longestMs}`, `--test-concurrency=${AT_ONCE}`];
  return (
    spawnSync(process.execPath, [...OPTIONS, ...bounds, ...options, ...args], { stdio: 'inherit', env: { ...process.env, ...more } })
      .status ?? 1
  );
}
