import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Checkout, type Ran } from './checkout.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const SHA256 = 64;
/** A tenth and a quarter above what the bundle of a start had when this was written: 1,839 modules and 5.7 MB. */
const [MOST_MODULES, MOST_BYTES] = [2_025, 7_100_000];
const A_TIME = 1_700_000_000;

const says = (checkout: Checkout, from: 'bundle' | 'sources', word: string, { exitCode, lines, errors }: Ran): void => {
  const url = pathToFileURL(join(checkout.root, 'scripts/start/gateway.ts')).href;
  assert.deepEqual({ exitCode, said: lines[0] }, { exitCode: 0, said: `${from} ${word} late ${url}` }, errors);
};

describe('npm start from a bundle of its sources', () => {
  it('makes the bundle once, and keeps what was compiled of it', async () => {
    using checkout = new Checkout();
    says(checkout, 'bundle', 'one', await checkout.run());
    const made = ['.cjs', '.code', '.json'].map((end) => statSync(checkout.kept(end)).mtimeMs);
    says(checkout, 'bundle', 'one', await checkout.run());
    assert.deepEqual(
      ['.cjs', '.code', '.json'].map((end) => statSync(checkout.kept(end)).mtimeMs),
      made,
    );
  });

  it('says nothing of how it loads what is used later', async () => {
    using checkout = new Checkout();
    await checkout.run();
    const { lines, errors } = await checkout.run();
    assert.match(lines[0] ?? '', /^bundle /);
    assert.equal(errors, '');
  });

  it('notices a changed source, also one of the same size and time', async () => {
    using checkout = new Checkout();
    const part = join(checkout.root, 'scripts/start/part.ts');
    utimesSync(part, A_TIME, A_TIME);
    await checkout.run();
    checkout.say('two');
    utimesSync(part, A_TIME, A_TIME);
    says(checkout, 'bundle', 'two', await checkout.run());
    rmSync(join(checkout.root, 'scripts/start/late.ts'));
    assert.notEqual((await checkout.run()).exitCode, 0);
  });

  it('stays where files were only touched, and remembers their times', async () => {
    using checkout = new Checkout();
    await checkout.run();
    const made = ['.cjs', '.json'].map((end) => statSync(checkout.kept(end)).mtimeMs);
    checkout.say('one');
    says(checkout, 'bundle', 'one', await checkout.run());
    const after = ['.cjs', '.json'].map((end) => statSync(checkout.kept(end)).mtimeMs);
    assert.deepEqual([after[0] === made[0], after[1] === made[1]], [true, false]);
    says(checkout, 'bundle', 'one', await checkout.run());
    assert.equal(statSync(checkout.kept('.json')).mtimeMs, after[1]);
  });

  it('heals what is half written, spoilt or gone', async () => {
    using checkout = new Checkout();
    await checkout.run();
    for (const end of ['.cjs', '.json', '.code', '.lines']) {
      const whole = readFileSync(checkout.kept(end));
      const spoilt = Buffer.from(whole).fill(0x20, whole.length >> 1, (whole.length >> 1) + 8);
      const harms = [
        (file: string): void => truncateSync(file, whole.length >> 1),
        (file: string): void => truncateSync(file, 0),
        (file: string): void => writeFileSync(file, spoilt),
        (file: string): void => rmSync(file),
      ];
      for (const harm of harms) {
        harm(checkout.kept(end));
        says(checkout, 'bundle', 'one', await checkout.run());
        // Of a spoilt table of lines it is found when a stack is asked for, which then names the bundle.
        if (end === '.lines' && harm === harms[2]) continue;
        const healed = readFileSync(checkout.kept(end));
        assert.deepEqual([healed.length, healed.equals(spoilt)], [whole.length, false], end);
      }
    }
  });

  it('two that start at once do not hurt each other', async () => {
    using checkout = new Checkout();
    for (const word of ['one', 'two', 'six']) {
      checkout.say(word);
      for (const ran of await Promise.all([checkout.run(), checkout.run(), checkout.run()])) says(checkout, 'bundle', word, ran);
    }
    assert.deepEqual(
      readdirSync(checkout.cache).filter((name) => /\.\d+$/.test(name)),
      [],
    );
  });

  it('the sources run where nothing can be kept, and where Node was told to do something unusual', async () => {
    using checkout = new Checkout();
    checkout.write('before.mjs', '');
    says(checkout, 'sources', 'one', await checkout.run({ env: { NODE_COMPILE_CACHE: join(checkout.root, 'package.json/no') } }));
    says(checkout, 'sources', 'one', await checkout.run({ env: { NODE_DISABLE_COMPILE_CACHE: '1' } }));
    says(checkout, 'sources', 'one', await checkout.run({ options: ['--import', './before.mjs'] }));
    says(checkout, 'sources', 'one', await checkout.run({ env: { NODE_OPTIONS: '--import ./before.mjs' } }));
    says(checkout, 'sources', 'one', await checkout.run({ env: { NODE_V8_COVERAGE: join(checkout.root, 'coverage') } }));
  });

  it('who may not write uses what was made, whenever it was copied', async () => {
    using checkout = new Checkout();
    says(checkout, 'sources', 'one', await checkout.run({ mayNotWrite: true }));
    await checkout.run();
    // Who looked at the contents would see that this is another file.
    const late = join(checkout.root, 'scripts/start/late.ts');
    const { atimeMs, mtimeMs } = statSync(late);
    writeFileSync(late, "export const late = 'LATE';\n");
    utimesSync(late, atimeMs / 1_000, Math.floor(mtimeMs / 1_000));
    says(checkout, 'bundle', 'one', await checkout.run({ mayNotWrite: true }));
    writeFileSync(late, "export const late = 'late';\n");
    checkout.say('three');
    says(checkout, 'sources', 'three', await checkout.run({ mayNotWrite: true }));
  });

  it('the sources run, and it is said why, where a package asks where it lies', async () => {
    using checkout = new Checkout();
    checkout.write('node_modules/asks/package.json', '{"name":"asks","main":"main.js"}');
    checkout.write('node_modules/asks/main.js', 'module.exports.here = __dirname;\n');
    checkout.write('scripts/start/part.ts', "import { here } from 'asks';\nexport const said: string = here.split('/').at(-1);\n");
    const ran = await checkout.run();
    says(checkout, 'sources', 'asks', ran);
    assert.match(ran.errors, /^The sources run as they are, because they could not be bundled: .*asks\/main\.js asks where it lies/);
  });

  it('the sources run, and it is said why, where the bundle cannot be loaded', async () => {
    using checkout = new Checkout();
    const throws = "declare const module: unknown;\nif (typeof module !== 'undefined') throw new Error('not here');\n";
    checkout.write('scripts/start/part.ts', `${throws}export const said: string = 'one';\n`);
    for (let nth = 0; nth < 2; nth++) {
      const ran = await checkout.run();
      says(checkout, 'sources', 'one', ran);
      assert.equal(ran.errors, 'The sources run as they are, because the bundle could not be loaded: not here\n');
    }
  });

  it('who failed keeps no code', async () => {
    using checkout = new Checkout();
    checkout.write('scripts/start/gateway.ts', 'export const startGateway = async (): Promise<void> => process.exit(1);\n');
    assert.equal((await checkout.run()).exitCode, 1);
    assert.equal(checkout.kept('.code'), checkout.cache);
  });

  it('stacks name the lines of the sources', async () => {
    using checkout = new Checkout();
    for (let nth = 0; nth < 2; nth++) {
      const { lines } = await checkout.run();
      assert.match(lines[1] ?? '', /^ {4}at (async )?startGateway \(file:\/\/\S+\/scripts\/start\/gateway\.ts:7\)$/);
    }
  });

  it('stacks name them also when a later start has removed what belonged to earlier sources', async () => {
    using checkout = new Checkout();
    const program = [
      "import { readdirSync, rmSync } from 'node:fs';",
      'const cache: string = process.env.NODE_COMPILE_CACHE ?? "";',
      'export async function startGateway(): Promise<void> {',
      "  for (const name of readdirSync(cache)) if (name.endsWith('.lines')) rmSync(cache + '/' + name);",
      "  console.log(new Error('here').stack?.split('\\n')[1]?.trim());",
      "  console.log(new Error('there').stack?.split('\\n')[1]?.trim());",
      '}',
    ].join('\n');
    checkout.write('scripts/start/gateway.ts', program);
    const { lines } = await checkout.run();
    assert.equal(checkout.kept('.lines'), checkout.cache);
    const source = pathToFileURL(join(checkout.root, 'scripts/start/gateway.ts')).href;
    assert.deepEqual(
      lines,
      [5, 6].map((line) => `at startGateway (${source}:${line})`),
    );
  });
});

describe('the bundle of the gateway', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  const index = join(folder, 'start.json');
  execFileSync(process.execPath, [
    join(ROOT, 'scripts/start/build.ts'),
    `${ROOT}/`,
    'scripts/start/gateway.ts',
    join(folder, 'start'),
    index,
  ]);
  const { files } = JSON.parse(readFileSync(index, 'utf8').slice(SHA256));
  const bytes = readdirSync(folder).map((name) => (name.endsWith('.cjs') ? statSync(join(folder, name)).size : 0));
  rmSync(folder, { recursive: true });
  const paths: readonly string[] = files.map(([path]: [string]) => path);

  it('has what a start loads, and no package that is loaded where it is used', () => {
    assert.ok(paths.includes('scripts/wiring/node.ts') && paths.includes('node_modules/@hapi/hapi/lib/index.js'));
    assert.deepEqual(
      paths.filter((path) => /node_modules\/(@whiskeysockets|mongodb|ioredis|@aws-sdk|jsdom|stripe|web-push)/.test(path)),
      [],
    );
  });

  it('stays below its ceilings: modules, and bytes of code', () => {
    const code = bytes.reduce((sum, one) => sum + one, 0);
    assert.ok(paths.length > 0 && paths.length <= MOST_MODULES, `${paths.length} modules`);
    assert.ok(code > 0 && code <= MOST_BYTES, `${code} bytes`);
  });

  it('shares with what the client library loads from the sources only modules that remember nothing', () => {
    const shared = new Set<string>();
    const follow = (path: string): void => {
      for (const [, to = ''] of readFileSync(join(ROOT, path), 'utf8').matchAll(/^(?:import|export) (?!type)[^;]*? from '(\.[^']+)'/gm)) {
        const next = join(dirname(path), to);
        if (paths.includes(next)) shared.add(next);
        follow(next);
      }
    };
    const own = 'actors/network/whatsapp';
    for (const name of ['libsignal/index.ts', 'libsignal/session.ts', 'session/frame-crypto.ts', 'session/encode-node.ts'])
      follow(`${own}/${name}`);
    assert.deepEqual([...shared].toSorted(), [
      `${own}/libsignal/record.ts`,
      `${own}/sealed-as.ts`,
      'runtime/invariant.ts',
      'runtime/recent-cache.ts',
    ]);
  });
});
