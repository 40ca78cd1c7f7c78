/**
 * `start.js NAME`: what is forked to be killed, one of VICTIMS (victims.ts). It runs from `dist/victims.mjs` where `npm run build -- --tests` made it of the
 * present sources, because loading a thousand files one by one is most of what a kill costs; else from the sources.
 */
import { flushCompileCache } from 'node:module';
import { whyNotCurrent } from '../build/current.js';

const { startVictim } = whyNotCurrent('victims') ? await import('./victims.ts') : await import('../../dist/victims.mjs');

await startVictim(process.argv[2], flushCompileCache);
