import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PUBLISHED = 'libsignal@6.0.0';

export interface Baseline {
  readonly env: Readonly<Record<string, string>>;
  readonly execArgv: readonly string[];
  readonly is: string;
}

/** If npm cannot fetch the package, the library uses our faster code, which makes ratios stricter. */
export function baseline(): Baseline {
  fetched ??= fetch();
  return fetched;
}

let fetched: Baseline | null = null;

function fetch(): Baseline {
  const there = process.env['PUBLISHED_SIGNAL'];
  if (there) return published(there);
  const directory = mkdtempSync(join(tmpdir(), 'published-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  try {
    execFileSync('npm', ['install', '--prefix', directory, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', PUBLISHED], {
      stdio: 'ignore',
    });
  } catch {
    return { env: {}, execArgv: [], is: `bare: the client library over our own Signal code, because npm could not fetch ${PUBLISHED}` };
  }
  return published(directory);
}

function published(directory: string): Baseline {
  return {
    env: { PUBLISHED_SIGNAL: directory },
    execArgv: ['--import', join(import.meta.dirname, 'use-published.ts')],
    is: `bare: the client library as it is published, with ${PUBLISHED}`,
  };
}
