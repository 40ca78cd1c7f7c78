/**
 * `start.js NAME`: starts a gateway that a test will kill, one of VICTIMS (victims.ts). Uses
 * `dist/victims.mjs` if `npm run build -- --tests` created it from the current sources, and
 * otherwise the sources. Loading a thousand files one by one would make up most of the cost of a
 * kill.
 */
import { flushCompileCache } from 'node:module';
import { whyNotCurrent } from '../build/current.js';

const { startVictim } = whyNotCurrent('victims') ? await import('./victims.ts') : await import('../../dist/victims.mjs');

await startVictim(process.argv[2], flushCompileCache);
