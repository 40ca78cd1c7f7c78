#!/usr/bin/env node
/**
 * The `gateway` command (`npx gateway` in a checkout). It is plain JavaScript, because an older
 * Node cannot read the other files. In an older Node, it starts the Node that was installed with
 * the packages, or reports what is missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR = 24;
const OWN_NODE = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));
const HERE = fileURLToPath(import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
  module.enableCompileCache();
  await import('./shell.ts');
} else if (existsSync(OWN_NODE)) {
  const { status } = spawnSync(OWN_NODE, [HERE, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  process.stderr.write(`The gateway needs Node ${NODE_MAJOR} or later, and this is ${process.versions.node}: run npm ci first.\n`);
  process.exitCode = 1;
}
