import assert from 'node:assert/strict';
import type { Guards } from './guards.ts';
import type { Broken } from './oracle.ts';
import { play } from './run.ts';

/** How many worlds there are to play: `MODEL_SEEDS=50000` for a long night. `SEED=…` replays one and prints what happened in it. */
const SEEDS = Number(process.env['MODEL_SEEDS'] ?? 2_000);
/** Of these a run for each change has time for; `NIGHT` plays all. */
export const EVERY_DAY = process.env['NIGHT'] || process.env['MODEL_SEEDS'] ? SEEDS : 200;
const REPLAYED = process.env['SEED'] === undefined ? null : Number(process.env['SEED']);
const LAST_WORDS = 60;

/** Plays the worlds from `first` on; fails with the seed and the story of the first in which a promise is broken. */
export async function keepsItsPromises(first: number, count: number): Promise<void> {
  const seeds = REPLAYED === null ? Array.from({ length: count }, (_, i) => first + i) : [REPLAYED];
  let playing = first;
  const tellWhich = (): void => console.error(`SEED=${playing}: nobody handled a rejection`);
  process.on('unhandledRejection', tellWhich);
  for (const seed of seeds) {
    playing = seed;
    const { violation, story } = await play(seed);
    if (REPLAYED !== null) console.log(story.join('\n'));
    const how = `SEED=${seed} node --test test/runtime/cluster/model/lease-protocol.test.ts`;
    assert.equal(violation, null, `${violation?.message}\n${how}\n${story.slice(-LAST_WORDS).join('\n')}`);
  }
  process.off('unhandledRejection', tellWhich);
}

/** Plays worlds in which a guard is missing until one of the promises is broken that it keeps. */
export async function isMissed(guards: Guards, promises: readonly Broken[]): Promise<void> {
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const { violation } = await play(seed, guards);
    if (violation !== null && promises.includes(violation.broken)) return;
  }
  assert.fail(`${SEEDS} worlds did not need it`);
}
