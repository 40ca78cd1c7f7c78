import { basename, dirname, extname, join, relative } from 'node:path';
import { build, type Loader, type Plugin } from 'esbuild';
import { readSource, type Source, writeSources } from './sources.ts';

/**
 * Bundles an entry and everything it loads into one ES module with a source map. Also writes
 * `<name>.sources.json`, the list of bundled files that `current.js` compares with the tree before
 * a start.
 *
 * Loading 1,500 files one by one takes half of the CPU time of a start, so packages are bundled
 * too. Three kinds of modules stay outside: packages that load files of their own, packages that
 * are loaded on demand, and modules that threads and child processes load. Each bundled module
 * keeps its own `import.meta.url`, so it still finds the files next to its source.
 */
export interface Bundled {
  readonly root: string;
  readonly entry: string;
  readonly directory: string;
}

/** Packages that are loaded on demand, or that load files of their own. */
const EXTERNAL = [
  ...['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner', 'ioredis', 'mongodb'],
  ...['@whiskeysockets/baileys', 'jsdom', 'libsignal', 'piscina', 'recheck', 'whatsapp-rust-bridge'],
];
/** The client library's loader passes these modules to the library; each must exist only once. */
const LOADS_SOURCES = /\/actors\/network\/whatsapp\/library\.ts$/;
/** Finds code in a package that reads its own path, which would be the path of the bundle. */
const ASKS_FOR_ITS_PATH = /\b(__dirname|__filename|import\.meta|require\.resolve|require\.main)\b/;
/** Packages that read their path only in code that the gateway does not run: `fetch` tracing and log threads. */
const MAY_ASK = /\/node_modules\/(undici\/index|thread-stream\/index|pino\/lib\/transport)\.js$/;
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.json': 'json' };
/** CommonJS packages call `require`; sources derive their own URLs from the root. */
const BANNER = [
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
  "import { dirname as __dirnameOf } from 'node:path';",
  "import { fileURLToPath as __pathOf } from 'node:url';",
  "const __root = new URL('..', import.meta.url);",
].join(' ');

/** Throws an Error that names the file if the bundle would behave differently from its sources. */
export async function bundleOf({ root, entry, directory }: Bundled): Promise<void> {
  const sources = new Map<string, Source>();
  const name = basename(entry, '.ts');
  const { warnings } = await build({
    absWorkingDir: root,
    entryPoints: { [name]: entry },
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Same resolution as Node.
    mainFields: ['main'],
    conditions: [],
    tsconfigRaw: {},
    external: EXTERNAL,
    define: { 'import.meta.url': '__url', 'import.meta.dirname': '__directory' },
    plugins: [sourcesOf(root, sources)],
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: BANNER },
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'silent',
  });
  const [warning] = warnings;
  if (warning) throw new Error(`${warning.location?.file}: ${warning.text}`);
  writeSources(directory, name, [...sources.values()]);
}

function sourcesOf(root: string, sources: Map<string, Source>): Plugin {
  return {
    name: 'sources',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, kind, importer }) => {
        if (kind !== 'dynamic-import') return undefined;
        if (!path.startsWith('.')) return { path, external: true };
        if (!LOADS_SOURCES.test(importer)) return undefined;
        return { path: `../${relative(root, join(dirname(importer), path))}`, external: true };
      });
      onLoad({ filter: /./ }, ({ path }) => {
        const { source, text } = readSource(root, path);
        sources.set(path, source);
        return { contents: addressed(source[0], text), loader: LOADERS[extname(path)] ?? 'js', resolveDir: dirname(path) };
      });
    },
  };
}

/** Sets `import.meta.url` of a module to its source, within the first line, so that line numbers stay. */
function addressed(path: string, text: string): string {
  const isOurs = !path.startsWith('node_modules/');
  if (!isOurs && ASKS_FOR_ITS_PATH.test(text) && !MAY_ASK.test(`/${path}`)) throw new Error(`${path} asks for its own path`);
  if (!isOurs || !text.includes('import.meta')) return text;
  return `const __url = new URL(${JSON.stringify(path)}, __root).href, __directory = __dirnameOf(__pathOf(__url)); ${text}`;
}
