/**
 * Ceilings for the calls to the store that a text needs from its request to its receipts, because the store is what
 * tenants share. Each ceiling is a quarter above the figure at the time it was set (39.1 and 9.3). CPU time has its
 * ceilings in the nightly run (scripts/bench/goals.ts).
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { SimulatedMongo } from '../support/simulated-mongo/simulated-mongo.ts';
import { turns, turnsPassage } from '../support/simulated-mongo/turns.ts';
import type { StoreKind } from '../support/stores.ts';

const TEXTS = 20;
const MOST_ALONE = 48.8;
const MOST_TOGETHER = 11.6;
const SETTLED_MS = 5_000;

it('sending a message takes few database calls, and even fewer when many are sent together', async (t) => {
  const pass = turnsPassage(1);
  let calls = 0;
  const kind: StoreKind = {
    name: 'mongodb',
    fresh: async () =>
      new SimulatedMongo().store((apply, call) => {
        calls += 1;
        return pass(apply, call);
      }, turns),
  };
  const gateway = await aGateway(t, { kind });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  await acme.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false }, send_window: { enabled: false } });
  const delivered = async (texts: readonly string[]): Promise<void> => {
    await gateway.until('all are on the phone', () => {
      const bodies = new Set(
        gateway.sandbox
          .phone(ANNA)
          .messages(1_000)
          .map(({ content }) => content.type === 'text' && content.body),
      );
      return texts.every((text) => bodies.has(text));
    });
    await gateway.clock.advance(SETTLED_MS);
  };
  const texts = (name: string): readonly string[] => Array.from({ length: TEXTS }, (_, nth) => `${name} ${nth}`);
  const callsOf = async (work: () => Promise<void>): Promise<number> => {
    const before = calls;
    await work();
    return calls - before;
  };
  await device.text(ANNA, 'first');
  await delivered(['first']);

  const idle = await callsOf(() => gateway.clock.advance(SETTLED_MS));
  const alone = await callsOf(async () => {
    for (const text of texts('alone')) {
      await device.text(ANNA, text);
      await delivered([text]);
    }
  });
  const together = await callsOf(async () => {
    await Promise.all(texts('together').map((text) => device.text(ANNA, text)));
    await delivered(texts('together'));
  });
  const each = { alone: alone / TEXTS - idle, together: (together - idle) / TEXTS };
  t.diagnostic(`calls to the store for a text: ${each.alone} alone, ${each.together} together`);
  assert.ok(each.alone <= MOST_ALONE, `${each.alone} alone`);
  assert.ok(each.together <= MOST_TOGETHER, `${each.together} together`);
});
