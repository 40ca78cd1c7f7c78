import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../runtime/random.ts';
import { ALL_POINTS, BETWEEN_SEND_AND_MARK, type Point } from '../../scripts/faults/points.ts';
import { run } from '../../scripts/faults/run.ts';
import { tableOf } from '../../scripts/faults/table.ts';
import { isClean } from '../../scripts/faults/verdict.ts';
import { isNight } from '../support/night.ts';
import { aDatabase, type StoreKind, storesOfKills } from '../support/stores.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

/** The points where two copies of the truth differ. */
const APART: readonly Point[] = [...BETWEEN_SEND_AND_MARK, 'after-retake', 'after-inbound'];
const OTHERS: readonly Point[] = ALL_POINTS.filter((point) => !APART.includes(point));

/**
 * A short form of `npm run faults`, which kills often and at all points. By day, some points are drawn for each run.
 * At night, no point of APART is left out.
 */
const SHORT: Readonly<Record<StoreKind['name'], readonly Point[]>> = {
  embedded: [...drawn(APART, isNight ? APART.length : 2), ...drawn(OTHERS, isNight ? 2 : 1)],
  mongodb: APART,
};

function drawn(points: readonly Point[], count: number): readonly Point[] {
  const random = seededRandom(seed);
  const lots = points.map((point) => ({ point, lot: random() }));
  return lots
    .sort((a, b) => a.lot - b.lot)
    .slice(0, count)
    .map(({ point }) => point);
}

describe(`a gateway that crashes while it is working (SEED=${seed})`, () => {
  for (const { name } of storesOfKills) {
    it(`does not lose accepted work, send anything twice or report a false status (${name})`, { timeout: 600_000 }, async (t) => {
      const mongodbUrl = name === 'mongodb' ? aDatabase(t) : null;
      const lines = await run({ points: SHORT[name], kills: 1, seed, guard: 'on', mongodbUrl });
      assert.ok(lines.every(isClean), `\n${tableOf(lines)}`);
      assert.equal(lines.length, SHORT[name].length);
    });
  }
});
