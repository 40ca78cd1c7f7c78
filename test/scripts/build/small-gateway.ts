import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { bundleOf } from '../../../scripts/build/bundle.ts';
import { writeSources } from '../../../scripts/build/sources.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** What `npm start` runs before the bundle. */
const STARTER = ['package.json', 'scripts/commands/run.js', 'scripts/build/current.js'];

interface Ran {
  readonly exitCode: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

/** A tree with a small program in place of the gateway, built and started as the gateway is. */
export class SmallGateway implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'small-gateway-'));

  constructor(program: string) {
    for (const path of STARTER) cpSync(join(ROOT, path), join(this.root, path));
    this.write('scripts/build/gateway.ts', program);
  }

  write(path: string, contents: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), contents);
  }

  async build(): Promise<void> {
    const directory = join(this.root, 'dist');
    mkdirSync(directory, { recursive: true });
    await bundleOf({ root: this.root, entry: 'scripts/build/gateway.ts', directory });
    writeSources(directory, 'console', []);
  }

  async start(): Promise<Ran> {
    const child = spawn(process.execPath, ['scripts/commands/run.js', 'start'], { cwd: this.root });
    const ended = once(child, 'exit');
    const [out = '', errors = ''] = await Promise.all([child.stdout, child.stderr].map((stream) => text(stream)));
    const [exitCode] = await ended;
    return { exitCode, lines: out.trim().split('\n'), errors };
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
