import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runTrial } from '../support/online-stores/trial.ts';
import { eachStore } from '../support/stores.ts';

/** MongoDB takes about ten times as long for each. */
const CUSTOMERS = { embedded: 30, mongodb: 8 };

// `npm run faults:stores` is the long form: an hour of two nodes' time takes minutes on a server's.
eachStore('customers of two stores', (kind) => {
  it('receive each message exactly once and never after the purchase, even if nodes crash', async (t) => {
    const customers = CUSTOMERS[kind.name];
    const { wrong, isWooActive, orders, kills, messages, repeated } = await runTrial(t, { kind, customers, kills: 2, seed: 7 });
    assert.deepEqual(wrong, []);
    assert.deepEqual([isWooActive, kills], [true, 2]);
    assert.ok(orders > customers / 4 && messages > customers / 4, `${orders} orders, ${messages} messages`);
    assert.ok(repeated > 0, 'no webhook was repeated');
  });
});
