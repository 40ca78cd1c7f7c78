import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleOf } from './bundle.ts';
import { writeConsole } from './console.ts';

/** The new directory replaces the old one in one step, so a killed build leaves the old one intact. */
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
