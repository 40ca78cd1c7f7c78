import { basename, dirname, extname, join, relative } from 'node:path';
import { build, type Loader, type Plugin } from 'esbuild';
import { readSource, type Source, writeSources } from './sources.ts';

/** Packages are bundled too, because loading their 1,500 files would use half of the CPU time at startup. */
export interface Bundled {
  readonly root: string;
  readonly entry: string;
  readonly directory: string;
}

const EXTERNAL = [
  ...['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner', 'ioredis', 'mongodb'],
  ...['@whiskeysockets/baileys', 'jsdom', 'libsignal', 'piscina', 'recheck', 'whatsapp-rust-bridge'],
];
/** Modules that this loader imports are shared with the library, so each must exist only once. */
const LOADS_SOURCES = /\/actors\/network\/whatsapp\/library\.ts$/;
/** Matches code that reads its own path. In the bundle, that would be the bundle's path. */
const ASKS_FOR_ITS_PATH = /\b(__dirname|__filename|import\.meta|require\.resolve|require\.main)\b/;
/** Packages that read their path only in code that the gateway does not run. */
const MAY_ASK = /\/node_modules\/(undici\/index|thread-stream\/index|pino\/lib\/transport)\.js$/;
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.json': 'json' };
/** CommonJS packages need `require`, and sources derive their own URLs from `__root`. */
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
    // Resolves packages by their `main` field, as Node does.
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

/** Changes only the first line, so that line numbers stay the same. */
function addressed(path: string, text: string): string {
  const isOurs = !path.startsWith('node_modules/');
  if (!isOurs && ASKS_FOR_ITS_PATH.test(text) && !MAY_ASK.test(`/${path}`)) throw new Error(`${path} asks for its own path`);
  if (!isOurs || !text.includes('import.meta')) return text;
  return `const __url = new URL(${JSON.stringify(path)}, __root).href, __directory = __dirnameOf(__pathOf(__url)); ${text}`;
}
