import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type AiShop, ANSWERS, anAiShop, SARI, TONO } from '../actors/services/ai-reply/ai-fixture.ts';
import { eachStore } from '../support/stores.ts';

const QUESTIONS = ['jam buka toko?', 'ongkos kirim ke luar kota berapa?', 'bagaimana cara menukar barang?', 'do you ship abroad?'] as const;

/** In steps that a machine's answer fits into, however long it takes. */
async function machineHears({ heard, gateway }: AiShop, count: number): Promise<void> {
  while (heard(SARI).length < count) {
    await pause(5);
    await gateway.clock.advance(100);
  }
}

eachStore('AI replies', (kind) => {
  it('end a conversation with another machine, in that chat only', async (t) => {
    const shop = await anAiShop(t, kind);
    const { write, hears, heard, settled } = shop;
    for (const [nth, question] of QUESTIONS.entries()) {
      write(SARI, question);
      if (nth < 3) await machineHears(shop, nth + 1);
    }
    await settled();
    assert.equal(heard(SARI).length, 3);
    write(TONO, QUESTIONS[0]);
    assert.deepEqual(await hears(TONO, 1), [ANSWERS.hours[1]]);
  });

  it('stop where their own words come back', async (t) => {
    const { write, hears, heard, settled } = await anAiShop(t, kind);
    write(SARI, QUESTIONS[0]);
    const [reply = ''] = await hears(SARI, 1);
    await settled();
    write(SARI, reply);
    await settled();
    write(SARI, QUESTIONS[1]);
    await settled();
    assert.equal(heard(SARI).length, 1);
  });
});
