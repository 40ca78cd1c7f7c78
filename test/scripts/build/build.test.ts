import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundleOf } from '../../../scripts/build/bundle.ts';
import { SmallGateway } from './small-gateway.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PART = 'scripts/build/part.ts';
/** A tenth and a quarter above the bundle of the day on which this was written: 1,839 modules and 5.7 MB. */
const [MOST_MODULES, MOST_BYTES] = [2_025, 7_100_000];
const PROGRAM = [
  "import { said } from './part.ts';",
  "const { late } = await import('./late.ts');",
  'console.log([said, late, import.meta.url].join(" "));',
  "console.log(new Error('here').stack?.split('\\n')[1]?.trim());",
].join('\n');

function aGateway(): SmallGateway {
  const gateway = new SmallGateway(PROGRAM);
  gateway.write(PART, "export const said: string = 'one';\n");
  gateway.write('scripts/build/late.ts', "export const late = 'late';\n");
  return gateway;
}

describe('npm start', () => {
  it('prints the build command if nothing has been built', async () => {
    using gateway = aGateway();
    const { exitCode, lines, errors } = await gateway.start();
    assert.deepEqual([exitCode, lines, errors], [1, [''], 'dist/ has no gateway. Run npm run build.\n']);
  });

  it('runs the bundle, and reports source paths and line numbers', async () => {
    using gateway = aGateway();
    await gateway.build();
    const source = pathToFileURL(join(gateway.root, 'scripts/build/gateway.ts')).href;
    const { exitCode, lines, errors } = await gateway.start();
    assert.deepEqual([exitCode, lines[0], errors], [0, `one late ${source}`, '']);
    assert.match(lines[1] ?? '', /scripts\/build\/gateway\.ts:4:/);
  });

  it('rejects a bundle that is older than a source file, even if the file size is unchanged', async () => {
    using gateway = aGateway();
    await gateway.build();
    gateway.write(PART, "export const said: string = 'two';\n");
    const { exitCode, errors } = await gateway.start();
    assert.deepEqual([exitCode, errors], [1, `dist/ is older than ${PART}. Run npm run build.\n`]);
  });

  it('runs a bundle whose sources were copied or touched, but not changed', async () => {
    using gateway = aGateway();
    await gateway.build();
    utimesSync(join(gateway.root, PART), 1_700_000_000, 1_700_000_000);
    assert.equal((await gateway.start()).exitCode, 0);
  });

  it('exits on a signal that arrives before the gateway handles signals', async () => {
    using gateway = new SmallGateway("process.kill(process.pid, 'SIGTERM');\nsetTimeout(() => console.log('it began'), 1_000);\n");
    await gateway.build();
    const { exitCode, lines } = await gateway.start();
    assert.deepEqual([exitCode, lines], [0, ['']]);
  });

  it('leaves signals to the gateway as soon as the gateway handles them', async () => {
    const drains = "process.once('SIGTERM', () => setTimeout(() => console.log('drained'), 100));";
    using gateway = new SmallGateway(`${drains}\nsetTimeout(() => {}, 1_000);\nprocess.kill(process.pid, 'SIGTERM');\n`);
    await gateway.build();
    const { exitCode, lines } = await gateway.start();
    assert.deepEqual([exitCode, lines], [0, ['drained']]);
  });
});

describe('npm run build', () => {
  it('fails if a package depends on the path of its own file', async () => {
    using gateway = new SmallGateway("import 'asks';\n");
    gateway.write('node_modules/asks/package.json', '{"name": "asks", "main": "main.js"}');
    gateway.write('node_modules/asks/main.js', 'console.log(__dirname);\n');
    await assert.rejects(gateway.build(), /node_modules\/asks\/main\.js asks for its own path/);
  });
});

describe('the gateway bundle', () => {
  const directory = mkdtempSync(join(tmpdir(), 'bundle-'));
  const built = bundleOf({ root: ROOT, entry: 'scripts/build/gateway.ts', directory }).then(() => {
    const sources: readonly (readonly [string])[] = JSON.parse(readFileSync(join(directory, 'gateway.sources.json'), 'utf8'));
    const { size } = statSync(join(directory, 'gateway.mjs'));
    rmSync(directory, { recursive: true });
    return { paths: sources.map(([path]) => path), size };
  });

  it('stays below its limits for modules and code size', async () => {
    const { paths, size } = await built;
    assert.ok(paths.length > 0 && paths.length <= MOST_MODULES, `${paths.length} modules`);
    assert.ok(size > 0 && size <= MOST_BYTES, `${size} bytes`);
  });

  it('contains the modules needed at startup, but no lazily loaded packages', async () => {
    const { paths } = await built;
    assert.ok(paths.includes('scripts/wiring/node.ts') && paths.includes('node_modules/@hapi/hapi/lib/index.js'));
    assert.deepEqual(
      paths.filter((path) => /node_modules\/(@whiskeysockets|mongodb|ioredis|@aws-sdk|jsdom|stripe|web-push)/.test(path)),
      [],
    );
  });

  it('contains no code that reads or converts media, which only child processes load', async () => {
    const { paths } = await built;
    const convert = 'actors/services/media/convert';
    assert.deepEqual(paths.filter((path) => path.startsWith(`${convert}/`)).toSorted(), [
      `${convert}/converter.ts`,
      `${convert}/ffmpeg.ts`,
      `${convert}/recipes.ts`,
      `${convert}/unconvertible.ts`,
    ]);
    assert.deepEqual(
      paths.filter((path) => /node_modules\/(@img|sharp|opusscript|mpg123-decoder|unpdf|file-type)\//.test(path)),
      [],
    );
  });

  it('shares only stateless modules with code that the client library loads from source', async () => {
    const { paths } = await built;
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
