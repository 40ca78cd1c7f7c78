import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALL_POINTS, BETWEEN_SEND_AND_MARK } from '../../scripts/faults/points.ts';
import { run } from '../../scripts/faults/run.ts';
import { tableOf } from '../../scripts/faults/table.ts';
import { isClean } from '../../scripts/faults/verdict.ts';
import { aDatabase, stores } from '../support/stores.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

/** The short form of `npm run faults`; MongoDB gets the points where two copies of the truth differ. */
const SHORT = {
  embedded: { points: ALL_POINTS, kills: 2 },
  mongodb: { points: [...BETWEEN_SEND_AND_MARK, 'after-claim', 'after-retake', 'after-inbound'], kills: 1 },
} as const;

describe(`a gateway that is killed in the middle of its work (SEED=${seed})`, () => {
  for (const { name } of stores) {
    it(`loses nothing it answered for, sends nothing twice and says nothing untrue (${name})`, { timeout: 300_000 }, async (t) => {
      const mongodbUrl = name === 'mongodb' ? aDatabase(t) : null;
      const lines = await run({ ...SHORT[name], seed, guard: 'on', mongodbUrl });
      assert.ok(lines.every(isClean), `\n${tableOf(lines)}`);
      assert.equal(lines.length, SHORT[name].points.length);
    });
  }
});
