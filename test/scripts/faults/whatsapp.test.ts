import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom } from '../../../runtime/random.ts';
import type { Point } from '../../../scripts/faults/whatsapp/points.ts';
import { killRun } from '../../../scripts/faults/whatsapp/run.ts';
import { gatewaySilence } from '../../../scripts/faults/whatsapp/silence.ts';
import { harmOf } from '../../../scripts/faults/whatsapp/verdict.ts';

/** Before a row is written, after secrets are, after a file is stored, at a frame that was received, at one that was sent, and after an event: `npm run check:night` has all points. */
const POINTS: readonly Point[] = [
  ...(['before-consents.insertMany', 'after-secrets', 'files/after-file'] as const),
  ...(['received-ack', 'pre-keys/after-wire-iq-registration', 'groups/after-events.insertMany'] as const),
];

it('a gateway that crashes neither loses nor duplicates messages, and does not reuse keys', async () => {
  const lines = await killRun({ points: POINTS, kills: 1, random: seededRandom(3), mongodbUrl: null, asksAgain: false });
  for (const line of lines) {
    assert.deepEqual(
      Object.entries(harmOf(line)).filter(([, count]) => count > 0),
      [],
      line.point,
    );
    assert.ok(line.kills === 1 && line.written > 0);
  }
});

it('messages accepted while the network was silent before a disconnect are not lost', async () => {
  const { accepted, lost, doubled } = await gatewaySilence(60, null);
  assert.deepEqual([accepted, lost, doubled], [60, 0, 0]);
});
