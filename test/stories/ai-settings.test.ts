import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hired } from '../actors/services/agents/agents-fixture.ts';
import { type AiShop, ANSWERS, anAiShop, SARI, TONO } from '../actors/services/ai-reply/ai-fixture.ts';
import { aReceiver, SECRET } from '../actors/services/webhooks/receiver.ts';
import { eachStore } from '../support/stores.ts';

const AI = '/v1/ai-reply';
const HOUR = 3_600_000;
const DEWI = '6281211110003';
const HOURS = 'jam buka toko?';
const SHIPPING = 'ongkos kirim ke luar kota berapa?';
const RETURNS = 'bagaimana cara menukar barang?';
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

/** Opens the business for one hour, starting `hours` from now. `text` is the reply outside these hours. */
async function openIn({ gateway, api }: AiShop, hours: number, text: string | null = null): Promise<void> {
  const hour = new Date(gateway.clock.now() + 7 * HOUR).getUTCHours() + hours + 24;
  const [start, end] = [hour, hour + 1].map((at) => `${String(at % 24).padStart(2, '0')}:00`);
  const away = { enabled: text !== null, text, hours: { start, end, days: EVERY_DAY } };
  assert.equal((await api('PUT', '/v1/settings', { away })).status, 200);
}

eachStore('AI reply settings', (kind) => {
  it('limit replies per chat and hour, and pause them for a day if the limit is exceeded', async (t) => {
    const receiver = await aReceiver(t);
    const shop = await anAiShop(t, kind, { egress_allow: [receiver.place] }, { max_per_chat_hour: 2 });
    const { gateway, api, device, write, receives, received, settled, eventually } = shop;
    await api('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: ['ai.paused'] });
    for (const [nth, question] of [HOURS, SHIPPING].entries()) {
      write(SARI, question);
      await receives(SARI, nth + 1);
      // Nobody who reads answers within three seconds.
      await gateway.clock.advance(10_000);
    }
    write(SARI, RETURNS);
    const { data } = (await eventually('the owner is told', () => receiver.of('ai.paused')[0])).body;
    assert.deepEqual([data.session_id, data.phone, data.reason], [device.id, SARI, 'max_per_chat_hour']);
    write(TONO, RETURNS);
    assert.deepEqual(await receives(TONO, 1), [ANSWERS.returns[1]], 'only there');
    gateway.clock.jump(23 * HOUR);
    write(SARI, RETURNS);
    await settled();
    assert.equal(received(SARI).length, 2);
    gateway.clock.jump(2 * HOUR);
    write(SARI, RETURNS);
    assert.equal((await receives(SARI, 3))[2], ANSWERS.returns[1]);
  });

  it('can limit replies to times outside opening hours, unassigned chats or certain devices, and can be changed separately', async (t) => {
    const shop = await anAiShop(t, kind, {}, { only_when: 'outside_hours', persona: 'Ramah' });
    const { gateway, tenant, api, device, write, receives, received, settled } = shop;
    await openIn(shop, 0);
    write(SARI, HOURS);
    await settled();
    assert.deepEqual(received(SARI), [], 'people are there');
    await openIn(shop, 3);
    write(SARI, HOURS);
    await receives(SARI, 1);

    assert.equal((await gateway.during(api('PUT', AI, { only_when: 'unassigned' }))).body.persona, 'Ramah');
    const dewi = await hired(gateway, api, 'Dewi', '6281311110001');
    const chat = (await api('GET', `${device.path}/chats`)).body.chats[0];
    await api('POST', `${device.path}/chats/${encodeURIComponent(chat.chat_id)}/assign`, { agent_id: dewi.id });
    write(SARI, SHIPPING);
    write(TONO, SHIPPING);
    assert.deepEqual(await receives(TONO, 1), [ANSWERS.shipping[1]]);
    await settled();
    assert.equal(received(SARI).length, 1, 'it is the chat of Dewi');

    const second = await tenant.linked('6281100000002');
    const { body } = await gateway.during(api('PUT', AI, { only_when: 'always', session_ids: [second.id] }));
    assert.deepEqual([body.only_when, body.session_ids, body.persona, body.enabled], ['always', [second.id], 'Ramah', true]);
    write(DEWI, HOURS);
    await settled();
    assert.deepEqual(received(DEWI), [], 'another device answers');
    await gateway.during(api('PUT', AI, { session_ids: null }));
    write(DEWI, HOURS);
    assert.deepEqual(await receives(DEWI, 1), [ANSWERS.hours[1]]);
  });

  it('set the language and the handoff words, and can add the next opening hours to replies', async (t) => {
    const shop = await anAiShop(t, kind, {}, { language: 'en', handoff_keywords: ['Tolong Orang'] });
    const { gateway, api, write, received, settled, eventually } = shop;
    const told = (who: string) => received(who).find((text) => /our team|tim kami/.test(text));
    await openIn(shop, 3, 'Kami tutup.');
    write(SARI, 'agent');
    await settled();
    assert.equal(told(SARI), undefined, 'it is not their word any more');
    write(SARI, '¡tolong orang!!');
    assert.match(await eventually('it is passed on', () => told(SARI)), /our team.* back on \w+day at \d\d:00\.$/);
    await gateway.during(api('PUT', AI, { language: 'auto' }));
    write(TONO, 'tolong orang');
    assert.match(await eventually('it is passed on', () => told(TONO)), /tim kami.* kembali hari \w+ pukul \d\d:00\.$/i);
  });
});
