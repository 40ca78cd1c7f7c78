/**
 * Runs the tests: `npm test` all of them, each story on one store; `npm test FOLDER…` those of a folder, many files in a process;
 * `npm test FILE…` these files, each in a process of its own.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { groupsOf } from './test-groups.ts';

/** What happened to each test, and at the end which files took longest. */
const REPORTERS = ['spec', './test/support/slowest-files.ts'].flatMap((reporter) => [
  `--test-reporter=${reporter}`,
  '--test-reporter-destination=stdout',
]);
/** What a test makes is soon let go of: room for more of it means fewer collections. Node passes this on to the process of each file. */
const YOUNG = ['--min-semi-space-size=16', '--max-semi-space-size=32'];
const OPTIONS = [
  ...YOUNG,
  '--import=./test/support/untracked-promises.ts',
  '--test',
  '--test-global-setup=test/support/run.ts',
  ...REPORTERS,
];
/** Tests wait for the disk, for servers and for timers: one more than there are cores keeps these busy. Two more are no faster (measured on two cores). */
const AT_ONCE = availableParallelism() + 1;
/** The longest that a file may take, and a process of several: each of its files has the first bound. */
const FILE_MS = 240_000;
const GROUP_MS = 20 * 60_000;
/** Of a run of all tests: one story of so many is told of the embedded store, in place of the simulated server (test/support/stores.ts). */
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
    const found = globSync(under.map((folder) => join(folder, '**/*.test.ts')));
    const groups = groupsOf(found, AT_ONCE);
    const entries = groups.shared.map((group, nth) => entryOf(directory, group, nth));
    // Loading a gateway is half compiling, and nearly all processes load one.
    const compiled = process.env['NODE_COMPILE_CACHE'] ?? join(directory, 'compiled');
    // The runner sorts what it is given, and whole paths come before those from here.
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

/** The file that the runner is given for a group. */
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
