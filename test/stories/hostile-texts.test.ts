import assert from 'node:assert/strict';
import { it } from 'node:test';
import { anAiShop, SARI, TONO } from '../actors/services/ai-reply/ai-fixture.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore, embedded } from '../support/stores.ts';
import { leastOfThree } from '../support/turns.ts';

/** Normalized as it is, it holds a thread for ten seconds. */
const FREEZING = `a${'\u0315'.repeat(32_500)}${'\u0300'.repeat(32_500)}`;
const MOST_MS = 50;

const withoutJoiners = (text: string): string => text.replaceAll('\u034f', '');

eachStore('a text with endless combining marks', (kind) => {
  it('is processed in short event-loop ticks, and does not prevent a later STOP', async (t) => {
    const { api, write, settled, received, device, gateway } = await anAiShop(t, kind);
    const rule = { name: 'Prices', trigger_type: 'contains', trigger_text: 'harga', reply_body: 'Mulai Rp 10.000.' };
    assert.equal((await api('POST', `${device.path}/auto-reply`, rule)).status, 201);
    write(TONO, 'berapa harga kaos?');
    await settled();
    assert.deepEqual(received(TONO), ['Mulai Rp 10.000.']);

    const turn = await leastOfThree(async () => {
      write(SARI, FREEZING);
      await settled();
    });
    assert.ok(turn < MOST_MS, `a turn of ${turn} ms`);

    const chat = `${SARI}@s.whatsapp.net`;
    const { messages } = (await api('GET', `${device.path}/messages?chat_id=${encodeURIComponent(chat)}`)).body;
    assert.equal(messages.length, 3);
    for (const { body } of messages) {
      assert.equal(withoutJoiners(body), FREEZING);
      assert.ok(body.length > FREEZING.length);
    }
    write(SARI, 'STOP');
    await gateway.until('she has opted out', async () => {
      const { current } = (await api('GET', `/v1/consent/history/+${SARI}`)).body;
      return current?.status === 'opted_out';
    });
  });
});

it('repeated requests with an Idempotency-Key are compared by their original bytes', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { api, linked } = await gateway.signUp();
  const { path } = await linked(PHONE);
  const send = (body: string) => api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body }, { 'idempotency-key': 'once' });
  const marks = `a${'\u0300'.repeat(40)}`;
  const first = await send(marks);
  assert.equal(first.status, 202);
  const { body: stored } = (await api('GET', `${path}/messages/${first.body.id}`)).body;
  assert.equal(stored, `a${'\u0300'.repeat(30)}\u034f${'\u0300'.repeat(10)}`);
  assert.deepEqual([(await send(marks)).status, (await send(marks)).body.id], [202, first.body.id]);
  assert.deepEqual([(await send(stored)).status, (await send(stored)).body.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
});
