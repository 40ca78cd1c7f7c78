import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../runtime/random.ts';
import { ALL_POINTS, BETWEEN_SEND_AND_MARK, type Point } from '../../scripts/faults/points.ts';
import { run } from '../../scripts/faults/run.ts';
import { tableOf } from '../../scripts/faults/table.ts';
import { isClean } from '../../scripts/faults/verdict.ts';
import { aDatabase, type StoreKind, storesOfKills } from '../support/stores.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

/** Where two copies of the truth differ. */
const ALWAYS: readonly Point[] = [...BETWEEN_SEND_AND_MARK, 'after-retake', 'after-inbound'];

/** The short form of `npm run faults`, which goes through all points and often: of the other points some are drawn for each run. */
const SHORT: Readonly<Record<StoreKind['name'], readonly Point[]>> = { embedded: [...ALWAYS, ...drawn(2)], mongodb: ALWAYS };

function drawn(count: number): readonly Point[] {
  const random = seededRandom(seed);
  const lots = ALL_POINTS.filter((point) => !ALWAYS.includes(point)).map((point) => ({ point, lot: random() }));
  return lots
    .sort((a, b) => a.lot - b.lot)
    .slice(0, count)
    .map(({ point }) => point);
}

describe(`a gateway that crashes during its work (SEED=${seed})`, () => {
  for (const { name } of storesOfKills) {
    it(`loses no accepted work, sends nothing twice and reports nothing false (${name})`, { timeout: 600_000 }, async (t) => {
      const mongodbUrl = name === 'mongodb' ? aDatabase(t) : null;
      const lines = await run({ points: SHORT[name], kills: 1, seed, guard: 'on', mongodbUrl });
      assert.ok(lines.every(isClean), `\n${tableOf(lines)}`);
      assert.equal(lines.length, SHORT[name].length);
    });
  }
});
