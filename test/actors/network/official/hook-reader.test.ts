import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MockAgent } from 'undici';
import { HookReader } from '../../../../actors/network/official/hook-reader.ts';
import { tokenOf } from '../../../../actors/network/port.ts';
import { anOfficialLogin } from '../../../support/official-login.ts';

const STATUSES = 2_000;
/** The reader hands over at most 50 at once. */
const MOST_PER_TICK = 60;

it('the reader of official webhooks spreads the statuses of one webhook over many event-loop ticks', async () => {
  const statuses = Array.from({ length: STATUSES }, (_, nth) => ({
    ...{ id: `wamid.${nth}`, status: 'read', timestamp: '1767225600', recipient_id: `6281${nth}` },
  }));
  const hook = { id: 'h', changes: async () => [{ field: 'messages', value: { statuses } }] };
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const stored = [[hook], []];
  const login = anOfficialLogin(new MockAgent(), { hooks: async () => stored.shift() ?? [], hooksDone: async () => resolve() });
  let given = 0;
  let inTick = 0;
  let most = 0;
  let isOver = false;
  const reader = new HookReader(login, {
    // The embedded store confirms within the same tick.
    say: (event) => {
      given += 1;
      inTick += 1;
      most = Math.max(most, inTick);
      if (event.type === 'receipt') queueMicrotask(() => reader.acknowledge(tokenOf(event)));
    },
    settle: async () => undefined,
    refused: () => undefined,
    came: () => undefined,
    account: async () => undefined,
    failed: (cause) => assert.fail(String(cause)),
  });
  const watching = (async () => {
    while (!isOver) {
      inTick = 0;
      await nextTurn();
    }
  })();
  reader.read();
  await done;
  isOver = true;
  await watching;
  reader.close();
  assert.equal(given, STATUSES);
  assert.ok(most <= MOST_PER_TICK, `${most} statuses were handed over in one tick`);
});
