import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleOf } from './bundle.ts';
import { writeConsole } from './console.ts';

/**
 * `npm run build`: creates `dist/`, which `npm start` runs. `npm ci` calls it through `prepare`.
 *
 * `dist/gateway.mjs` is the gateway in one file, with a source map and a list of its sources;
 * `dist/console/` is the console as browsers load it. `--tests` adds `dist/victims.mjs`, the gateways that
 * tests kill. The new directory replaces the old one in one step, so a killed build leaves the old one
 * intact.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const DIST = join(ROOT, 'dist');

const { values } = parseArgs({ options: { tests: { type: 'boolean', default: false } } });
const unfinished = join(ROOT, `dist.${process.pid}`);
try {
  mkdirSync(unfinished);
  await bundleOf({ root: ROOT, entry: 'scripts/build/gateway.ts', directory: unfinished });
  if (values.tests) await bundleOf({ root: ROOT, entry: 'scripts/victims/victims.ts', directory: unfinished });
  await writeConsole(ROOT, unfinished);
  if (existsSync(DIST)) renameSync(DIST, join(unfinished, 'before'));
  renameSync(unfinished, DIST);
  rmSync(join(DIST, 'before'), { recursive: true, force: true });
} finally {
  rmSync(unfinished, { recursive: true, force: true });
}
