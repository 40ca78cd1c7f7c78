import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BETWEEN_SEND_AND_MARK } from '../../../scripts/faults/points.ts';
import { run } from '../../../scripts/faults/run.ts';
import { tableOf } from '../../../scripts/faults/table.ts';
import { atNight } from '../../support/night.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const short = { seed, kills: 1, mongodbUrl: null } as const;

atNight('crash runs', () => {
  describe(`the crash run without its safeguards (SEED=${seed})`, () => {
    it('detects duplicate messages if every transmission has a new id', { timeout: 600_000 }, async () => {
      const lines = await run({ ...short, kills: 2, guard: 'fresh-ids', points: BETWEEN_SEND_AND_MARK });
      assert.ok(
        lines.every(({ doubled }) => doubled > 0),
        `\n${tableOf(lines)}`,
      );
    });

    it('detects lost incoming messages if they are acknowledged before they are stored', { timeout: 600_000 }, async () => {
      const lines = await run({ ...short, guard: 'early-acknowledge', points: ['before-inbound'] });
      assert.ok(
        lines.every(({ inboundLost }) => inboundLost > 0),
        `\n${tableOf(lines)}`,
      );
    });
  });
});
