import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A proof removes one fix from a copy of the sources, and expects a failure. Arguments: `[NAME…]`. */
interface Proof {
  readonly name: string;
  /** Each `from` must occur exactly once in its file. */
  readonly without: readonly (readonly [file: string, from: string, to: string])[];
  readonly run:
    | { readonly parts: string; readonly only: string }
    | { readonly file: string; readonly test: string; readonly atNight?: true };
}

const ONE_AT_A_TIME = 'http/core/one-at-a-time.ts';

const UNSAFE_TEXTS: Proof['without'] = [
  ['runtime/safe-text.ts', '  if (isSafe(made)) return made;', '  if (isSafe(made) || made) return text as SafeText;'],
  ['runtime/safe-text.ts', '  return areSafe(value) ? value : madeSafe(value);', '  return value;'],
  ['actors/domain/matched-part.ts', 'MATCHED_CHARACTERS = 400', 'MATCHED_CHARACTERS = 100_000'],
];

const PROOFS: readonly Proof[] = [
  {
    name: 'marks: texts are made safe, and matched by their first 400 characters',
    without: UNSAFE_TEXTS,
    run: { parts: 'inbound', only: 'received text: combining marks in the wrong order' },
  },
  {
    name: 'cluster: the same beside leases',
    without: UNSAFE_TEXTS,
    run: { file: 'test/scripts/guard/cluster.test.ts', test: 'keeps its leases', atNight: true },
  },
  {
    name: 'reader: attempts at a file are counted before it is read',
    without: [['actors/services/ai-reply/reading/reader.ts', 'if (again !== null) throw', 'if (again === 0) throw']],
    run: { file: 'test/stories/ai-documents.test.ts', test: 'crashing the parser' },
  },
  {
    name: 'pages: a page ends at 1 MB',
    without: [['store/paging/page.ts', 'PAGE_BYTES = 2 ** 20', 'PAGE_BYTES = 2 ** 40']],
    run: { parts: 'pages', only: '/messages?limit=200, once' },
  },
  {
    name: 'descriptors: connections take half of them, and a child that cannot be started fails its own work only',
    without: [
      ['scripts/wiring/http.ts', ', openAtMost()),', '),'],
      ['runtime/child-processes/watched-process.ts', "child.once('spawn', resolve).on('error', reject);", "child.once('spawn', resolve);"],
    ],
    run: { parts: 'descriptors', only: '' },
  },
  {
    name: 'fields: a refusal names 50 faults',
    without: [
      ['actors/domain/refusals.ts', 'MAX_FAULTS = 50', 'MAX_FAULTS = 1e9'],
      ['http/core/faults.ts', 'MAX_COMPARED = 10', 'MAX_COMPARED = 1e9'],
    ],
    run: { parts: 'endpoints', only: 'createContact: body is 1,990 unknown fields' },
  },
  {
    name: 'metrics: the page is made in several turns, once for all who ask together',
    without: [
      ['http/core/metrics-page.ts', '    if (this.#making) return this.#making;\n', ''],
      ['http/core/metrics-page.ts', '      await nextTurn();\n', ''],
      ['http/core/metrics-page.ts', '    if (this.#last !== null && this.#left < 1) return this.#last;\n', ''],
    ],
    run: { file: 'test/http/core/metrics-page.test.ts', test: 'generated once|flood|never blocks an event-loop tick' },
  },
  {
    name: 'time: what files of a tenant may cost in an hour, whatever bytes are changed',
    without: [['runtime/child-processes/cpu-budget.ts', '    this.#spent.set(owner, minutes.set', '    new Map().set(owner, minutes.set']],
    run: { file: 'test/actors/services/ai-reply/reading/stopped-reader.test.ts', test: 'variants' },
  },
  {
    name: 'redis: what it says passes a guard',
    without: [
      [
        'runtime/cluster/redis/guarded-socket.ts',
        'for (const reply of this.#guard.checked(bytes)) if (!this.push(reply)) this.#bare.pause();',
        'if (!this.push(bytes)) this.#bare.pause();',
      ],
    ],
    run: { parts: 'bus', only: 'Redis says nil replies' },
  },
  {
    name: 'pipelining: a request of a connection begins in a turn of its own',
    without: [[ONE_AT_A_TIME, '    else setImmediate(() => this.#serveNext(line));', '    else this.#serveNext(line);']],
    run: { file: 'test/http/core/one-at-a-time.test.ts', test: 'started one per event-loop tick' },
  },
  {
    name: 'chunks: small ones are joined, and read once a turn',
    without: [[ONE_AT_A_TIME, 'if (isChunked(one.req))', 'if (0)']],
    run: { parts: 'streams', only: 'chunks of one byte' },
  },
  {
    name: 'stanzas: so many children, and nobody twice',
    without: [['actors/network/whatsapp/session/noise-handler.ts', 'const stanza = bounded(whole);', 'const stanza = whole;']],
    run: { parts: 'wire', only: 'somebody writes in a group: stanzas with lists' },
  },
  {
    name: 'keys: what is no key starts no session',
    without: [['actors/network/whatsapp/signal/sessions.ts', 'if (!isOfKeys(bundle))', 'if (!isOfKeys(bundle) && !bundle)']],
    run: { file: 'test/actors/network/whatsapp/sessions.test.ts', test: 'that are too long' },
  },
];

const LIMIT_SECONDS = 5 * 60;
/** Exit status of `timeout`. */
const TIMED_OUT = 124;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['actors', 'http', 'runtime', 'scripts', 'store', 'test', 'docs', 'package.json', 'tsconfig.json'];

type Outcome = 'fails without it' | 'PASSES WITHOUT IT' | 'COULD NOT RUN' | 'DID NOT END';

function tried({ without, run }: Proof): Outcome {
  // The copy is inside this repository, because hard links need one disk and children may read only
  // below the root.
  const directory = mkdtempSync(join(ROOT, '.guard-proof-'));
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(directory, name), { recursive: true });
    spawnSync('cp', ['-al', join(ROOT, 'node_modules'), directory]);
    for (const change of without) takeOut(directory, change);
    const { status, stdout } = runIn(directory, run);
    // Without its fix, a case may retry forever. A timeout is a proof only if the case ends with
    // the fix.
    if (status === TIMED_OUT) return runIn(ROOT, run).status === 0 ? 'fails without it' : 'DID NOT END';
    // A node that has stalled for a long time resets its connections.
    if (/FAILED|AssertionError|ECONNRESET/.test(stdout)) return 'fails without it';
    // A test that is skipped or left to the nightly run proves nothing.
    const hasRun = !/^Left to npm run check:night|^ℹ skipped [1-9]/m.test(stdout);
    return status === 0 && hasRun ? 'PASSES WITHOUT IT' : 'COULD NOT RUN';
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function runIn(directory: string, run: Proof['run']): { readonly status: number | null; readonly stdout: string } {
  const args =
    'file' in run
      ? ['--import=./test/support/untracked-promises.ts', '--test', `--test-name-pattern=${run.test}`, run.file]
      : ['scripts/guard/main.ts'];
  const asked = 'file' in run ? { NIGHT: run.atNight && '1' } : { PARTS: run.parts, ONLY: run.only, STORES: 'embedded' };
  const env = { ...process.env, ...asked, NODE_COMPILE_CACHE: '' };
  // Also stops the processes that the test has started.
  const limited = ['--kill-after=10', `${LIMIT_SECONDS}`, process.execPath, ...args];
  const { status, stdout, stderr } = spawnSync('timeout', limited, { cwd: directory, env, encoding: 'utf8' });
  process.stdout.write(said(stdout + stderr));
  if (status === TIMED_OUT) process.stdout.write('    did not end\n');
  return { status, stdout };
}

function takeOut(directory: string, [file, from, to]: Proof['without'][number]): void {
  const path = join(directory, file);
  const [before, after, ...more] = readFileSync(path, 'utf8').split(from);
  if (before === undefined || after === undefined || more.length > 0) throw new Error(`${file} does not hold once: ${from}`);
  writeFileSync(path, before + to + after);
}

const said = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /cases,|FAILED|✖|AssertionError|Error:/.test(line))
    .slice(0, 6)
    .map((line) => `    ${line.trim()}\n`)
    .join('');

const names = process.argv.slice(2);
let missed = 0;
for (const proof of PROOFS.filter(({ name }) => names.length === 0 || names.some((one) => name.startsWith(one)))) {
  process.stdout.write(`${proof.name}\n`);
  const outcome = tried(proof);
  if (outcome !== 'fails without it') missed += 1;
  process.stdout.write(`  ${outcome}\n`);
}
process.exitCode = missed === 0 ? 0 : 1;
