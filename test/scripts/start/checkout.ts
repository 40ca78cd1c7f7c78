import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = resolve(import.meta.dirname, '../../..');
/** What `npm start` runs first, and what that needs. */
const STARTER = [
  ...['scripts/commands/run.js', 'scripts/commands/start.ts', 'scripts/start/kept.js', 'scripts/start/source-lines.js'],
  ...['scripts/start/build.ts', 'scripts/start/lines.ts', 'runtime/errors.ts', 'runtime/invariant.ts', 'runtime/shapes.ts', 'package.json'],
];

/** For root, too, the modes of files count then. */
const AS_OTHERS = ['setpriv', '--bounding-set=-dac_override'];

/** In place of the gateway: it loads a part and a package when it needs them, says how it was loaded, what its part says, and where it is, and keeps what was compiled. */
const GATEWAY = [
  "import { said } from './part.ts';",
  'declare const module: unknown;',
  'export async function startGateway(whenQuiet: () => void = () => {}): Promise<void> {',
  "  const { late } = await import('./late.ts');",
  "  await import('node:os');",
  "  console.log([typeof module === 'undefined' ? 'sources' : 'bundle', said, late, import.meta.url].join(' '));",
  "  console.log(new Error('here').stack?.split('\\n')[1]);",
  '  whenQuiet();',
  '}',
].join('\n');

export interface Ran {
  readonly exitCode: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

interface RunOptions {
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where nothing can be kept, because the directories may not be written. */
  readonly mayNotWrite?: boolean;
}

/** A checkout with a small program in place of the gateway, started as \`npm start` starts it. */
export class Checkout implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'checkout-'));
  readonly cache = join(this.root, 'node_modules/.cache/compiled');

  constructor() {
    for (const path of STARTER) cpSync(join(ROOT, path), join(this.root, path));
    mkdirSync(join(this.root, 'node_modules/@esbuild'), { recursive: true });
    for (const name of ['esbuild', ...readdirSync(join(ROOT, 'node_modules/@esbuild')).map((one) => `@esbuild/${one}`)])
      symlinkSync(join(ROOT, 'node_modules', name), join(this.root, 'node_modules', name));
    this.write('scripts/start/gateway.ts', GATEWAY);
    this.say('one');
    this.write('scripts/start/late.ts', "export const late = 'late';\n");
  }

  write(path: string, contents: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), contents);
  }

  say(word: string): void {
    this.write('scripts/start/part.ts', `export const said: string = '${word}';\n`);
  }

  /** The kept file whose name ends so. */
  kept(end: string): string {
    const names = readdirSync(this.cache).filter((one) => one.startsWith('start-') && one.endsWith(end));
    return join(this.cache, names.join());
  }

  async run({ options = [], env = {}, mayNotWrite = false }: RunOptions = {}): Promise<Ran> {
    const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, ...own } = process.env;
    const node = [process.execPath, '--max-semi-space-size=6', ...options, 'scripts/commands/run.js', 'start'];
    using _locked = mayNotWrite ? this.#locked() : null;
    const [command = '', ...args] = mayNotWrite && process.getuid?.() === 0 ? [...AS_OTHERS, ...node] : node;
    const child: ChildProcess = spawn(command, args, { cwd: this.root, env: { ...own, NODE_COMPILE_CACHE: this.cache, ...env } });
    const ended = once(child, 'exit');
    const [out, errors] = await Promise.all([child.stdout, child.stderr].map((stream) => (stream ? text(stream) : '')));
    const [exitCode] = await ended;
    return { exitCode, lines: (out ?? '').trim().split('\n'), errors: errors ?? '' };
  }

  #locked(): Disposable {
    const directories = [dirname(dirname(this.cache)), this.cache].filter((one) => existsSync(one));
    const allow = (mode: number): void => {
      for (const one of directories) chmodSync(one, mode);
    };
    allow(0o555);
    return { [Symbol.dispose]: () => allow(0o755) };
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
