import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { AiPausedSchema } from '../../http/areas/ai-reply/schemas.ts';
import { type AiShop, ANSWERS, anAiShop, SARI, TONO } from '../actors/services/ai-reply/ai-fixture.ts';
import { aReceiver, SECRET } from '../actors/services/webhooks/receiver.ts';
import { PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const QUESTIONS = ['jam buka toko?', 'ongkos kirim ke luar kota berapa?', 'bagaimana cara menukar barang?', 'do you ship abroad?'] as const;

const MACHINE = '6281100000002';
/** Answers of each side. */
const LONG = 12;
/** Words that have nothing in common. */
const word = (nth: number): string => WORDS[nth] ?? 'akhir';
const WORDS = (
  'melati bandeng kursi gerobak pelangi tembok cangkul sepeda jendela harimau bantal lemari gunting payung telaga kelapa rumput menara ' +
  'perahu jembatan kancing petani sandal obeng teropong'
).split(' ');

/** In steps that a machine's answer fits into, however long it takes. */
async function machineReceives({ received, gateway }: AiShop, count: number): Promise<void> {
  while (received(SARI).length < count) {
    await pause(5);
    await gateway.clock.advance(100);
  }
}

eachStore('AI replies to other bots', (kind) => {
  it('stop in a chat with another bot, but continue in other chats', async (t) => {
    const shop = await anAiShop(t, kind);
    const { write, receives, received, settled } = shop;
    for (const [nth, question] of QUESTIONS.entries()) {
      write(SARI, question);
      if (nth < 3) await machineReceives(shop, nth + 1);
    }
    await settled();
    assert.equal(received(SARI).length, 3);
    write(TONO, QUESTIONS[0]);
    assert.deepEqual(await receives(TONO, 1), [ANSWERS.hours[1]]);
  });

  it('stop in a chat that sends their own text back', async (t) => {
    const { write, receives, received, settled } = await anAiShop(t, kind);
    write(SARI, QUESTIONS[0]);
    const [reply = ''] = await receives(SARI, 1);
    await settled();
    write(SARI, reply);
    await settled();
    write(SARI, QUESTIONS[1]);
    await settled();
    assert.equal(received(SARI).length, 1);
  });

  it('stop if two businesses reply to each other, and both owners are notified', async (t) => {
    const receiver = await aReceiver(t);
    const shop = await anAiShop(t, kind, { egress_allow: [receiver.place] });
    const { gateway, api, eventually, settled } = shop;
    const [schema, { key }] = await Promise.all([
      gateway.api('GET', '/openapi.json'),
      api('POST', '/v1/api-keys', { name: 'a program' }).then(({ body }) => body),
    ]);
    const other = await gateway.signUp('Toko Lain', '+62 811-0000-8888');
    const machine = await other.linked(MACHINE);
    await other.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    // Each answer asks the next question of the other: without rules they would talk through all of it, and again tomorrow.
    for (let nth = 0; nth < LONG; nth += 1) {
      const [mine, theirs] = [api, other.api];
      await mine('POST', '/v1/ai-reply/answers', { question: `tanya ${word(2 * nth)}`, answer: `jawab ${word(2 * nth + 1)}` });
      await theirs('POST', '/v1/ai-reply/answers', { question: `jawab ${word(2 * nth + 1)}`, answer: `tanya ${word(2 * nth + 2)}` });
    }
    await gateway.during(other.api('PUT', '/v1/ai-reply', { enabled: true }));
    for (const one of [api, other.api]) await one('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: ['ai.paused'] });
    // A program begins; a person who wrote would silence its own side.
    await gateway.as(key)('POST', `${shop.device.path}/messages`, { chat_id: MACHINE, type: 'text', body: `jawab ${word(1)}` });
    const paused = await eventually('an owner is told', () => receiver.of('ai.paused')[0]);
    await settled();
    const { data } = paused.body;
    const { error } = AiPausedSchema.validate(data);
    assert.equal(error, undefined);
    assert.deepEqual(Object.keys(schema.body.components.schemas.AiPausedData.properties), Object.keys(data));
    const said = async (): Promise<number> => {
      const pages = await Promise.all([
        api('GET', `${shop.device.path}/messages?direction=outbound&limit=200`),
        other.api('GET', `${machine.path}/messages?direction=outbound&limit=200`),
      ]);
      return pages.flatMap(({ body }) => body.messages).length;
    };
    const ended = await said();
    assert.ok(ended >= 3 && ended <= 2 * 6 + 1, `${ended} messages`);
    await gateway.clock.advance(10 * 60_000);
    await settled();
    assert.equal(await said(), ended);
    assert.notEqual(MACHINE, PHONE);
  });
});
