import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = import.meta.dirname;
const COMPILE = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--lib', 'esnext,dom,dom.iterable'];
/** If one function accepts both a form and bytes, orval's output does not compile. */
const ORVAL_CONFIG = `export default {
  gateway: {
    input: './openapi.json',
    output: { target: './orval.ts', client: 'fetch', override: { splitByContentType: true } },
  },
};
`;
const MODULES = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'esnext'];

async function tool(name: string, ...args: string[]): Promise<void> {
  await run(join(HERE, 'node_modules/.bin', name), args, { maxBuffer: 64 * 1024 * 1024 }).catch(({ stdout, stderr }) => {
    throw new Error(`${name} failed\n${stdout}\n${stderr}`);
  });
  console.log(`${name}: fine`);
}

async function compiled(name: string, files: readonly string[]): Promise<void> {
  await run(join(HERE, '../../node_modules/.bin/tsc'), [...COMPILE, ...MODULES, ...files]).catch(({ stdout }) => {
    throw new Error(`what ${name} wrote does not compile\n${stdout}`);
  });
  console.log(`${name}: its client compiles`);
}

async function main(): Promise<void> {
  const address = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080';
  await run('npm', ['ci', '--prefix', HERE, '--ignore-scripts', '--no-audit', '--no-fund']);
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  try {
    const document = join(folder, 'openapi.json');
    await writeFile(document, await (await fetch(`${address}/openapi.json`)).text());
    const ruleset = join(folder, 'spectral.yaml');
    await writeFile(ruleset, 'extends: ["spectral:oas"]\n');
    await tool('redocly', 'lint', document);
    await tool('spectral', 'lint', '--ruleset', ruleset, document);
    await tool('openapi-typescript', document, '-o', join(folder, 'types.ts'));
    await compiled('openapi-typescript', [join(folder, 'types.ts')]);
    await writeFile(join(folder, 'orval.config.mjs'), ORVAL_CONFIG);
    await tool('orval', '--config', join(folder, 'orval.config.mjs'));
    await compiled('orval', [join(folder, 'orval.ts')]);
    await tool('openapi-ts', '-i', document, '-o', join(folder, 'client'));
    const files = await readdir(join(folder, 'client'), { recursive: true });
    const sources = files.filter((name) => name.endsWith('.ts')).map((name) => join(folder, 'client', name));
    await compiled('@hey-api/openapi-ts', sources);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
