import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hired } from '../actors/services/agents/agents-fixture.ts';
import { ANSWERS, anAiShop, SARI, TONO } from '../actors/services/ai-reply/ai-fixture.ts';
import { PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const INBOX = '/v1/inbox';

eachStore('AI replies', (kind) => {
  it('use saved answers for questions in any wording, and record which answer they used', async (t) => {
    const { api, write, receives, received, settled, device } = await anAiShop(t, kind);
    write(SARI, 'halo kak');
    write(SARI, 'brp ongkirnya ke surabaya?');
    const [reply] = await receives(SARI, 1);
    assert.equal(reply, ANSWERS.shipping[1]);
    write(SARI, 'can you send it to malaysia?');
    assert.equal((await receives(SARI, 2))[1], ANSWERS.abroad[1]);
    await settled();
    assert.equal(received(SARI).length, 2, 'a greeting is not answered');

    const { messages } = (await api('GET', `${device.path}/messages?direction=outbound`)).body;
    const { ai } = await device.message(messages[0].id);
    assert.equal(ai.engine, 'local');
    assert.equal(ai.sources[0].name, ANSWERS.abroad[0]);
    assert.ok(ai.score >= ai.threshold && ai.threshold > 0.3);
    const settings = (await api('GET', '/v1/ai-reply')).body;
    assert.deepEqual(settings.quota, { used: 2, limit: 50 });
    assert.deepEqual(settings.engine, { name: 'local', ready: true });
    assert.equal((await api('GET', '/v1/usage')).body.ai_replies.used, 2);
  });

  it('answer several messages in one reply, and answer a repeated question once a day', async (t) => {
    const { write, receives, received, settled, gateway } = await anAiShop(t, kind);
    write(SARI, 'kak mau tanya');
    write(SARI, 'toko');
    await gateway.clock.advance(1_000);
    write(SARI, 'bukanya jam brp ya');
    assert.equal((await receives(SARI, 1))[0], ANSWERS.hours[1]);
    await settled();
    write(SARI, 'jam buka toko?');
    await settled();
    assert.equal(received(SARI).length, 1);
  });

  it('are not sent for unknown questions, each of which is listed once', async (t) => {
    const { api, write, received, settled, receives } = await anAiShop(t, kind);
    write(SARI, 'ada parkir mobil ga?');
    await settled();
    write(TONO, 'parkir mobil ada?');
    await settled();
    write(TONO, 'ok makasih');
    write(TONO, '👍');
    await settled();
    assert.deepEqual([received(SARI), received(TONO)], [[], []]);
    const { unanswered } = (await api('GET', '/v1/ai-reply/unanswered')).body;
    assert.equal(unanswered.length, 1);
    assert.equal(unanswered[0].asked, 2);
    assert.deepEqual(
      unanswered[0].chats.map((chat: { chat_id: string }) => chat.chat_id.split('@')[0]),
      [TONO, SARI],
    );

    const answer = 'Ada, parkir mobil gratis di belakang toko.';
    const made = await api('POST', `/v1/ai-reply/unanswered/${unanswered[0].id}/answer`, { answer, send: true });
    assert.equal(made.status, 201);
    assert.equal(made.body.source, 'unanswered');
    assert.deepEqual([await receives(SARI, 1), await receives(TONO, 1)], [[answer], [answer]]);
    assert.deepEqual((await api('GET', '/v1/ai-reply/unanswered')).body.unanswered, []);
    write('6281211110003', 'mobil saya bisa parkir?');
    assert.deepEqual(await receives('6281211110003', 1), [answer]);
  });

  it('can be tried on a question without sending or counting a message', async (t) => {
    const { api, gateway, received } = await anAiShop(t, kind);
    const ask = async (question: string) => (await gateway.during(api('POST', '/v1/ai-reply/ask', { question }))).body;
    const found = await ask('toko tutup jam brp');
    assert.equal(found.answer, ANSWERS.hours[1]);
    assert.equal(found.reason, 'saved_answer');
    assert.equal((await ask('ada lowongan kerja?')).answer, null);
    assert.equal((await ask('halo kak')).reason, 'not_a_question');
    assert.equal((await api('GET', '/v1/ai-reply')).body.quota.used, 0);
    assert.deepEqual(received(SARI), []);
  });

  it('are sent for questions in any wording, even with a single saved answer', async (t) => {
    const { gateway } = await anAiShop(t, kind);
    const { api } = await gateway.signUp('Toko Baru', '+62 811-0000-8888');
    const ask = async (question: string) => (await gateway.during(api('POST', '/v1/ai-reply/ask', { question }))).body;
    const hours = 'We are open Monday to Saturday, 9 am to 8 pm.';
    await api('POST', '/v1/ai-reply/answers', { question: 'What are your opening hours?', answer: hours });
    for (const question of ['when are you open?', 'kapan buka kak?', 'bukanya jam brp', 'until what time are you open?'])
      assert.equal((await ask(question)).answer, hours, question);
    for (const question of ['do you sell shoes?', 'when is the next train to bandung?', 'ada promo ga?', 'what time is it in tokyo'])
      assert.equal((await ask(question)).answer, null, question);
    await api('POST', '/v1/ai-reply/answers', { question: 'Berapa ongkos kirim ke luar kota?', answer: 'Rp 15.000.' });
    assert.equal((await ask('ongkir ke jakarta brp kak')).answer, 'Rp 15.000.');
    assert.equal((await ask('harga kaos polos brp')).answer, null);
    assert.equal((await ask('when are you open?')).answer, hours);
  });

  it('use a changed answer immediately', async (t) => {
    const { api, gateway } = await anAiShop(t, kind);
    const ask = async (question: string) => (await gateway.during(api('POST', '/v1/ai-reply/ask', { question }))).body.answer;
    const { answers } = (await api('GET', '/v1/ai-reply/answers')).body;
    const hours = answers.find((one: { question: string }) => one.question === ANSWERS.hours[0]);
    await api('PATCH', `/v1/ai-reply/answers/${hours.id}`, { answer: 'Mulai Senin buka pukul 08.00.' });
    assert.equal(await ask('jam buka?'), 'Mulai Senin buka pukul 08.00.');
    assert.equal((await api('DELETE', `/v1/ai-reply/answers/${hours.id}`)).status, 200);
    assert.equal(await ask('jam buka?'), null);
    assert.equal((await api('DELETE', `/v1/ai-reply/answers/${hours.id}`)).status, 404);
  });

  it('are sent only if no STOP word, handoff word or rule matches the message', async (t) => {
    const { api, device, write, receives, received, settled, becomes } = await anAiShop(t, kind);
    await api('POST', `${device.path}/auto-reply`, {
      name: 'r',
      trigger_type: 'contains',
      trigger_text: 'ongkir',
      reply_body: 'Lihat katalog kami.',
      cooldown_ms: 0,
    });
    write(SARI, 'ongkir ke bandung berapa?');
    assert.deepEqual(await receives(SARI, 1), ['Lihat katalog kami.']);
    await settled();
    assert.equal(received(SARI).length, 1, 'a rule answers alone');
    write(SARI, 'STOP');
    await becomes(SARI, 'opted_out');
    await settled();
    assert.equal(received(SARI).length, 2, 'only the confirmation');
    write(TONO, 'Agent!!');
    const [told] = await receives(TONO, 1);
    assert.match(told ?? '', /tim kami|our team/);
  });

  it('stop in a chat that was handed to a person, until the chat is resolved', async (t) => {
    const { api, gateway, device, write, receives, received, settled, eventually } = await anAiShop(t, kind);
    const dewi = await hired(gateway, api, 'Dewi', '6281311110001');
    await api('PUT', '/v1/assignment', { mode: 'round_robin', only_online: false });
    write(SARI, 'saya mau komplain barang rusak');
    write(SARI, 'operator');
    await receives(SARI, 1);
    const chat = await eventually('the chat is with Dewi', async () =>
      (await api('GET', INBOX)).body.chats.find(
        (one: { agent_id: string; status: string }) => one.agent_id === dewi.id && one.status === 'pending',
      ),
    );
    const path = `${device.path}/chats/${encodeURIComponent(chat.chat_id)}`;
    assert.match((await api('GET', path)).body.notes[0], /komplain barang rusak/);
    write(SARI, 'operator');
    write(SARI, 'jam buka toko?');
    await settled();
    assert.equal(received(SARI).length, 1, 'told once, and silent');
    await api('PATCH', path, { status: 'resolved' });
    write(SARI, 'jam buka toko?');
    assert.equal((await receives(SARI, 2))[1], ANSWERS.hours[1]);
  });

  it('leave a note with the earlier question and its source passages when a chat is handed to a person', async (t) => {
    const { api, device, write, receives, eventually, gateway } = await anAiShop(t, kind);
    write(SARI, 'ongkos kirim ke luar kota berapa?');
    await receives(SARI, 1);
    await gateway.clock.advance(5 * 60_000);
    write(SARI, 'operator');
    await receives(SARI, 2);
    const chat = await eventually('the chat waits', async () =>
      (await api('GET', INBOX)).body.chats.find((one: { status: string }) => one.status === 'pending'),
    );
    const [note] = (await api('GET', `${device.path}/chats/${encodeURIComponent(chat.chat_id)}`)).body.notes;
    assert.match(note, /ongkos kirim ke luar kota berapa\?/);
    assert.match(note, /Ongkos kirim dalam Pulau Jawa Rp 15\.000/);
  });

  it('stop in a chat as soon as a team member writes there', async (t) => {
    const { device, write, receives, received, settled } = await anAiShop(t, kind);
    await device.text(SARI, 'Saya bantu ya, kak.');
    await receives(SARI, 1);
    write(SARI, 'jam buka toko?');
    write(TONO, 'jam buka toko?');
    await receives(TONO, 1);
    await settled();
    assert.equal(received(SARI).length, 1);
  });

  it("stop at the plan's monthly limit", async (t) => {
    const { plansFrom } = await import('../../actors/domain/plans.ts');
    const { api, write, receives, received, settled } = await anAiShop(t, kind, { plans: plansFrom({ free: { ai_replies: 1 } }) });
    write(SARI, 'jam buka toko?');
    await receives(SARI, 1);
    write(TONO, 'jam buka toko?');
    await settled();
    assert.deepEqual(received(TONO), []);
    assert.deepEqual((await api('GET', '/v1/ai-reply')).body.quota, { used: 1, limit: 1 });
  });

  it("count towards the month in the business's time zone, just like handoff notices", async (t) => {
    const { api, write, receives } = await anAiShop(t, kind);
    // There the year has not begun.
    assert.equal((await api('PUT', '/v1/profile', { timezone: 'America/New_York' })).status, 200);
    write(SARI, 'jam buka toko?');
    await receives(SARI, 1);
    write(TONO, 'operator');
    await receives(TONO, 1);
    const { period, messages, ai_replies } = (await api('GET', '/v1/usage')).body;
    assert.deepEqual([period, messages.used, ai_replies.used], ['2025-12', 2, 1]);
  });

  it('are not sent to groups, to the business’s own numbers, or while they are disabled', async (t) => {
    const { api, tenant, gateway, write, received, settled } = await anAiShop(t, kind);
    const own = '6281100000002';
    await tenant.linked(own);
    gateway.sandbox.phone(own).write({ to: PHONE, content: { type: 'text', body: 'jam buka toko?' } });
    await settled();
    assert.deepEqual(
      received(own).filter((text) => text === ANSWERS.hours[1]),
      [],
    );
    await api('PUT', '/v1/ai-reply', { enabled: false });
    write(SARI, 'jam buka toko?');
    await settled();
    assert.deepEqual(received(SARI), []);
  });

  it('are sent once, even if the process crashes between the question and the reply', async (t) => {
    const shop = await anAiShop(t, kind);
    shop.write(SARI, 'jam buka toko?');
    await shop.gateway.clock.advance(1_500);
    const after = await shop.restarted();
    await after.receives(SARI, 1);
    const last = await after.restarted();
    await last.settled();
    assert.deepEqual(last.received(SARI), [ANSWERS.hours[1]]);
    assert.equal((await last.api('GET', '/v1/ai-reply')).body.quota.used, 1);
  });
});
