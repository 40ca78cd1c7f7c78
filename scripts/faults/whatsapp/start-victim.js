/**
 * What is forked to be killed: victim.ts, from a bundle of all that it loads (scripts/start/kept.js), for loading it file by file is most of what a kill
 * costs. Plain JavaScript, so that what strips types is not loaded.
 */

import { flushCompileCache } from 'node:module';
import { loadKept } from '../../start/kept.js';

const kept = loadKept('victim', 'scripts/faults/whatsapp/victim.ts');
const { runVictim } = kept?.exports ?? (await import('./victim.ts'));

await runVictim(() => {
  kept?.keepCompiled();
  flushCompileCache();
});
