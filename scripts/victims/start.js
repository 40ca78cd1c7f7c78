/**
 * `start.js NAME`: what is forked to be killed, one of VICTIMS (victims.ts), from a bundle of all that they load (scripts/start/kept.js), for
 * loading it file by file is most of what a kill costs. Plain JavaScript, so that what strips types is not loaded.
 */

import { flushCompileCache } from 'node:module';
import { loadKept } from '../start/kept.js';

const kept = loadKept('victims', 'scripts/victims/victims.ts');
const { startVictim } = kept?.exports ?? (await import('./victims.ts'));

await startVictim(process.argv[2], () => {
  kept?.keepCompiled();
  flushCompileCache();
});
