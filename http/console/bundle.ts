import { createHash } from 'node:crypto';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { SerialQueue } from '../../runtime/serial-queue.ts';
import type { BuiltFile, BuiltFiles } from './built-files.ts';

export interface Bundle extends BuiltFiles {
  /**
   * Gzipped size in bytes of the scripts that must load before a module can run, by the module's
   * path.
   */
  readonly weights: ReadonlyMap<string, number>;
  readonly sources: readonly string[];
}

const APP = join(import.meta.dirname, 'app');

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)];
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

const queue = new SerialQueue();

/** Runs calls one after the other, because they share one compiler process. */
export function buildBundle(options: { readonly isDevelopment: boolean }): Promise<Bundle> {
  return queue.run(() => compiled(options));
}

async function compiled({ isDevelopment }: { readonly isDevelopment: boolean }): Promise<Bundle> {
  // esbuild is a development package. A gateway that runs from `dist/` never loads it.
  const { build, stop } = await import('esbuild');
  const result = await build({
    absWorkingDir: APP,
    entryPoints: { app: 'main.tsx', boot: 'boot.ts', style: 'styles/all.css', icon: 'icon.svg' },
    loader: { '.svg': 'copy', '.woff2': 'file' },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    outdir: '/console',
    entryNames: '[name]',
    chunkNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
    define: { IS_DEVELOPMENT: String(isDevelopment), 'process.env.NODE_ENV': '"production"' },
    write: false,
    metafile: true,
    logLevel: 'silent',
  }).finally(stop);
  const files = new Map<string, BuiltFile>();
  for (const { path, contents } of result.outputFiles)
    files.set(relative('/console', path), await builtFile(relative('/console', path), contents));
  const sources = Object.keys(result.metafile.inputs).map((path) => join(APP, path));
  return { id: idOf(files), files, weights: weightsOf(result.metafile, files), sources };
}

async function builtFile(path: string, contents: Uint8Array): Promise<BuiltFile> {
  const bytes = Buffer.from(contents);
  const [br, gz] = await Promise.all([brotli(bytes, BROTLI), gzipped(bytes)]);
  const type = TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
  return { bytes, br, gzip: gz, type, etag: `"${hashOf([bytes])}"`, isForever: path.startsWith('assets/') };
}

function idOf(files: ReadonlyMap<string, BuiltFile>): string {
  return hashOf([...files].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([path, { etag }]) => [path, etag])).slice(0, 12);
}

function hashOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\n');
  return hash.digest('base64url').slice(0, 22);
}

function weightsOf({ outputs }: Metafile, files: ReadonlyMap<string, BuiltFile>): ReadonlyMap<string, number> {
  const nameOf = (output: string): string => output.replace(/^.*?console\//, '');
  const loaded = (output: string, seen: Set<string>): Set<string> => {
    if (seen.has(output)) return seen;
    seen.add(output);
    for (const { path, kind } of outputs[output]?.imports ?? []) if (kind === 'import-statement') loaded(path, seen);
    return seen;
  };
  const sizeOf = (some: ReadonlySet<string>): number => [...some].reduce((sum, one) => sum + (files.get(nameOf(one))?.gzip.length ?? 0), 0);
  const start = Object.keys(outputs).filter((one) => ['app.js', 'boot.js'].includes(basename(one)));
  const weights = new Map<string, number>();
  for (const [output, { entryPoint }] of Object.entries(outputs))
    if (entryPoint && output.endsWith('.js'))
      weights.set(entryPoint, sizeOf([...start, output].reduce((seen, one) => loaded(one, seen), new Set<string>())));
  return weights;
}
