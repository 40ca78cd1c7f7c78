import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refusing } from '../../../../support/refusing-store.ts';
import { eachStore } from '../../../../support/stores.ts';
import { ANSWERS, anAiShop, SARI } from '../ai-fixture.ts';
import { engineDouble, honest } from '../engine-double.ts';

const MINUTE = 60_000;
const HOURS = 'jam buka toko?';

eachStore('an AI reply that cannot be stored', (kind) => {
  it('does not trigger repeated engine calls, and is sent once when the store works again', async (t) => {
    let isFull = false;
    const store = refusing(kind, ['ai_chats', 'ai_reply_counts'], () => isFull);
    const engine = await engineDouble(t);
    const shop = await anAiShop(t, store, { ai_url: engine.url, ai_model: 'small' });
    shop.gateway.clock.waitWhile(engine.isBusy, 'the engine');
    engine.mind = (asked) => {
      isFull = true;
      return honest(asked);
    };
    shop.write(SARI, HOURS);
    await shop.eventually('the engine is asked', () => engine.asked.length > 0);
    await shop.settled();
    await shop.gateway.clock.advance(MINUTE);
    await shop.settled();
    assert.equal(engine.asked.length, 1);
    engine.mind = honest;
    isFull = false;
    assert.deepEqual(await shop.receives(SARI, 1), [ANSWERS.hours[1]]);
    await shop.settled();
    assert.deepEqual([shop.received(SARI).length, engine.asked.length], [1, 2]);
    assert.equal((await shop.api('GET', '/v1/ai-reply')).body.quota.used, 1);
  });
});
