import { hash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Loader, type Plugin } from 'esbuild';
import { asError } from '../../runtime/errors.ts';
import { present } from '../../runtime/invariant.ts';
import { linesOf } from './lines.ts';

/**
 * `build.ts ROOT ENTRY START INDEX`: bundles ENTRY, a path from ROOT, and what it loads into `START-<hash>.cjs`, with a table of its lines, and names both and
 * every file that went into them in INDEX, which is written last, behind its hash. Each file appears whole or not at all. Exits 1 with a sentence where the bundle would not be the sources.
 */
const [root = '', entry = '', start = '', index = ''] = process.argv.slice(2);

/** Of a file that went into the bundle: path from the root, size, both times, and hash. */
type Made = readonly [path: string, size: number, mtimeMs: number, ctimeMs: number, contents: string];

/** What decides what the bundle is, beside what is in it: how it is made, and which packages are there. */
const DECIDE = [
  'scripts/start/build.ts',
  'scripts/start/lines.ts',
  'scripts/start/kept.js',
  'package.json',
  'node_modules/.package-lock.json',
];
/** Packages that are loaded only where they are used, or that load files of their own. */
const APART = [
  ...['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner', 'ioredis', 'mongodb'],
  ...['@whiskeysockets/baileys', 'jsdom', 'libsignal', 'piscina', 'recheck', 'whatsapp-rust-bridge'],
];
/** The library loads these by its own way, and each has to be there once. */
const LOADS_AS_SOURCES = /\/actors\/network\/whatsapp\/library\.ts$/;
/** A package that asks where it lies would be told another place. */
const ASKS_WHERE = /\b(__dirname|__filename|import\.meta|require\.resolve|require\.main)\b/;
/** They ask for what is not used: traces of `fetch`, and threads that write logs. */
const MAY_ASK = /\/node_modules\/(undici\/index|thread-stream\/index|pino\/lib\/transport)\.js$/;
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.json': 'json' };
const HOUR_MS = 3_600_000;

const made = new Map<string, Made>();

/** Reads a file as it goes into the bundle. Its times are asked before, so that a change meanwhile is a change since. */
function read(file: string): string {
  const stats: Stats = statSync(file);
  const bytes = readFileSync(file);
  const path = relative(root, file);
  made.set(path, [path, stats.size, stats.mtimeMs, stats.ctimeMs, hash('sha256', bytes)]);
  return bytes.toString();
}

/** Modules that ask for their address get that of their source, in front of their first line. */
function addressed(file: string, text: string): string {
  const isOurs = !file.includes('/node_modules/');
  if (!isOurs && ASKS_WHERE.test(text) && !MAY_ASK.test(file)) throw new Error(`${relative(root, file)} asks where it lies`);
  if (!isOurs || !text.includes('import.meta')) return text;
  return `const __url = ${JSON.stringify(pathToFileURL(file).href)}, __directory = ${JSON.stringify(dirname(file))}; ${text}`;
}

const asSources: Plugin = {
  name: 'as the sources',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, kind, importer }) => {
      if (kind !== 'dynamic-import') return undefined;
      if (!path.startsWith('.')) return { path, external: true };
      return LOADS_AS_SOURCES.test(importer) ? { path: pathToFileURL(join(dirname(importer), path)).href, external: true } : undefined;
    });
    onLoad({ filter: /./ }, ({ path }) => ({
      contents: addressed(path, read(path)),
      loader: LOADERS[extname(path)] ?? 'js',
      resolveDir: dirname(path),
    }));
  },
};

function writeWhole(file: string, contents: string | Uint8Array): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, contents);
  renameSync(unfinished, file);
}

/** Bundles of earlier sources; one that is young may just be read by another process. */
function removeEarlier(bundle: string): void {
  const now = statSync(index).mtimeMs;
  for (const name of readdirSync(dirname(start))) {
    const file = join(dirname(start), name);
    const isEarlier = name.startsWith(`${basename(start)}-`) && !name.includes(bundle);
    if (isEarlier && now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) > HOUR_MS) rmSync(file, { force: true });
  }
}

async function main(): Promise<void> {
  for (const path of DECIDE) if (statSync(join(root, path), { throwIfNoEntry: false })) read(join(root, path));
  const { outputFiles, warnings } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join(root, 'start.bundle.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    // As Node resolves them.
    mainFields: ['main'],
    conditions: [],
    tsconfigRaw: {},
    external: APART,
    define: { 'import.meta.url': '__url', 'import.meta.dirname': '__directory' },
    plugins: [asSources],
    charset: 'utf8',
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: '(function (exports, require, module) {' },
    footer: { js: '})' },
    sourcemap: 'external',
    sourcesContent: false,
    write: false,
    logLevel: 'silent',
  });
  const [warning] = warnings;
  if (warning) throw new Error(`${warning.location?.file}: ${warning.text}`);
  const files = [...made.values()];
  const [code, map] = ['.cjs', '.cjs.map'].map(
    (end) =>
      present(
        outputFiles.find(({ path }) => path.endsWith(end)),
        end,
      ).contents,
  );
  const bundle = hash('sha256', present(code, 'code'));
  const lines = linesOf(Buffer.from(present(map, 'map')).toString(), [...made.keys()]);
  writeWhole(`${start}-${bundle}.cjs`, present(code, 'code'));
  writeWhole(`${start}-${bundle}.lines`, lines);
  const named = JSON.stringify({ root, bundle, lines: { size: lines.length, contents: hash('sha256', lines) }, files });
  writeWhole(index, `${hash('sha256', named)}${named}`);
  removeEarlier(bundle);
}

try {
  await main();
} catch (cause) {
  process.stderr.write(`${asError(cause).message.replaceAll('\n', ' ')}\n`);
  process.exit(1);
}
