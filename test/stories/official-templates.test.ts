import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../support/gateway.ts';
import { anOfficialShop, NUMBER } from '../support/official.ts';
import { eachStore } from '../support/stores.ts';

const BUDI = '6281211110002';
const MOVED = '6281311110009';
const DAY_MS = 86_400_000;

const ORDER_READY = {
  name: 'order_ready',
  language: 'en_US',
  category: 'UTILITY',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['A-17'] } },
    { type: 'BODY', text: 'Hi {{1}}, your order {{2}} is ready.', example: { body_text: [['Anna', 'A-17']] } },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://shop.example/{{1}}', example: ['A-17'] }] },
  ],
};
const VARIABLES = { '1': '{{first_name|there}}', '2': 'A-17', 'header.1': 'A-17', 'button.0': 'A-17' };

eachStore("an official number's messaging window", (kind) => {
  it('allows free text for a day after an incoming message, and afterwards suggests templates', async (t) => {
    const { gateway, acme, path, id: sessionId, verbs, keys, send, reaches, wrote, chat } = await anOfficialShop(t, kind);
    const text = { chat_id: ANNA, type: 'text', body: 'Hello' };
    const accepted = () => gateway.sandbox.journal.of('accepted').filter(({ phone }) => phone === NUMBER).length;

    const never = await acme.api('POST', `${path}/messages`, text);
    assert.deepEqual([never.status, never.body.code, never.body.closed_at, never.body.templates], [409, 'WINDOW_CLOSED', null, []]);
    const bulk = await acme.api('POST', `${path}/messages/bulk`, { messages: [text] });
    assert.equal(bulk.body.results?.[0].code, 'WINDOW_CLOSED', JSON.stringify(bulk.body));
    assert.equal((await acme.api('POST', `${path}/messages`, { ...text, connect_only: false })).status, 409);
    assert.deepEqual((await acme.api('GET', `${path}/messages`)).body.messages, []);

    const made = await acme.api('POST', '/v1/templates', { official: { session_id: sessionId, ...ORDER_READY } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const template = async () => (await acme.api('GET', `/v1/templates/${made.body.id}`)).body;
    const approve = async (state: 'approved' | 'paused') => {
      verbs.changeOfficial(keys.phone_number_id, { templates: { 'order_ready:en_US': state } });
      await gateway.until(`it is ${state}`, async () => (await template()).official.status === state);
    };
    await approve('approved');

    verbs.write(ANNA, { to: NUMBER, body: 'Hi' });
    await gateway.until('the window is open', async () => (await chat(ANNA)).window_until > gateway.clock.now());
    assert.equal((await chat(ANNA)).window_until % 1_000, 0);
    await reaches(await send(text), 'read');
    // The platform judges otherwise: the window ends then, until the person writes again.
    await gateway.during(gateway.clock.advance(2_000));
    verbs.changeOfficial(keys.phone_number_id, { fault: { code: 131_047, late: true } });
    assert.equal((await reaches(await send(text), 'failed')).error, 'window_closed');
    await gateway.until('the window is corrected', async () => (await chat(ANNA)).window_until <= gateway.clock.now());
    const { window_until } = await chat(ANNA);
    const refused = await acme.api('POST', `${path}/messages`, text);
    assert.deepEqual([refused.status, refused.body.code, refused.body.closed_at], [409, 'WINDOW_CLOSED', window_until]);
    await gateway.during(gateway.clock.advance(2_000));
    verbs.write(ANNA, { to: NUMBER, body: 'Hello?' });
    await gateway.until('the window is open again', async () => (await chat(ANNA)).window_until > gateway.clock.now());
    await reaches(await send(text), 'read');

    // Webhooks came late and out of order: the window ends a day after the newest message was written.
    const wroteAt = Math.floor(gateway.clock.now() / 1_000) * 1_000 - DAY_MS + 90_000;
    await wrote(BUDI, wroteAt, 'Second');
    await wrote(BUDI, wroteAt - 60_000, 'First');
    await gateway.until('both came', async () => (await chat(BUDI)).unread_count === 2);
    assert.equal((await chat(BUDI)).window_until, wroteAt + DAY_MS);
    await acme.api('POST', `${path}/disconnect`);
    // What waits for longer than the window is open fails here, before anything leaves.
    const before = accepted();
    const waits = await send({ ...text, chat_id: BUDI, connect_only: false });
    await gateway.during(gateway.clock.advance(120_000));
    await acme.api('POST', `${path}/connect`);
    const failed = await reaches(waits, 'failed');
    assert.equal(failed.error, 'window_closed');
    assert.match(failed.reason, /24 hours/);
    assert.equal(accepted(), before);
    const closed = await acme.api('POST', `${path}/messages`, { ...text, chat_id: BUDI });
    assert.deepEqual([closed.status, closed.body.code, closed.body.closed_at], [409, 'WINDOW_CLOSED', wroteAt + DAY_MS]);
    assert.deepEqual(closed.body.templates, [
      { id: made.body.id, name: 'order_ready', language: 'en_US', category: 'utility', variables: ['1', '2', 'header.1', 'button.0'] },
    ]);
  });
});

eachStore('official templates', (kind) => {
  it('can be submitted and reviewed, are validated before sending, and are filled with variables', async (t) => {
    const { gateway, acme, path, id: sessionId, verbs, keys, reaches } = await anOfficialShop(t, kind);
    const made = await acme.api('POST', '/v1/templates', { name: 'Order ready', official: { session_id: sessionId, ...ORDER_READY } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { official, ...own } = made.body;
    assert.deepEqual([own.name, own.message_type, own.language], ['Order ready', 'text', 'en-US']);
    assert.equal(own.body, 'Hi {{1}}, your order {{2}} is ready.');
    const { synced_at: _at, ...shown } = official;
    assert.deepEqual(shown, {
      ...{ session_id: sessionId, name: 'order_ready', language: 'en_US', category: 'utility', status: 'pending', quality: null },
      ...{ format: 'positional', variables: ['1', '2', 'header.1', 'button.0'], reason: null },
    });
    const again = await acme.api('POST', '/v1/templates', { official: { session_id: sessionId, ...ORDER_READY } });
    assert.deepEqual([again.status, again.body.code], [409, 'CONFLICT']);
    // The platform's own words.
    const components = [{ type: 'BODY', text: '{{1}} is ready' }];
    const wrong = await acme.api('POST', '/v1/templates', { official: { session_id: sessionId, ...ORDER_READY, name: 'bad', components } });
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'VALIDATION_FAILED']);
    assert.match(wrong.body.error, /Variables can not be at the start/);

    const order = { chat_id: ANNA, type: 'text', template_id: made.body.id, variables: VARIABLES };
    const post = (body: object) => acme.api('POST', `${path}/messages`, body);
    const early = await post(order);
    assert.deepEqual([early.status, early.body.code], [409, 'CONFLICT'], JSON.stringify(early.body));
    const events = async () => (await acme.api('GET', '/v1/events/pull?events=template.updated&reader=shop')).body.events;
    assert.deepEqual(await events(), []);
    const judge = async (state: 'approved' | 'paused') => {
      verbs.changeOfficial(keys.phone_number_id, { templates: { 'order_ready:en_US': state } });
      const status = async () => (await acme.api('GET', `/v1/templates/${made.body.id}`)).body.official.status;
      await gateway.until(`it is ${state}`, async () => (await status()) === state);
    };
    await judge('approved');

    const told = await gateway.until('it is told', async () => (await events()).length > 0 && events());
    assert.deepEqual(
      told.map(({ data }: { data: object }) => data),
      [{ template_id: made.body.id, status: 'approved', category: 'utility', reason: null }],
    );

    const { '2': _second, ...few } = VARIABLES;
    const missing = await post({ ...order, variables: { ...few, '3': 'x' } });
    assert.equal(missing.status, 400);
    assert.deepEqual(
      missing.body.details.map(({ path: at }: { path: string }) => at),
      ['variables.2', 'variables.3'],
    );
    const empty = await post({ ...order, variables: { ...VARIABLES, '1': '{{first_name}}' } });
    assert.deepEqual([empty.status, empty.body.details[0].path], [400, 'variables.1']);
    assert.deepEqual(gateway.sandbox.journal.of('refused'), []);

    const sent = await post(order);
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    const read = await reaches(sent.body.id, 'read');
    assert.deepEqual([read.body, read.message_type], ['Hi there, your order A-17 is ready.', 'text']);
    assert.equal(verbs.messages(ANNA).messages[0]?.body, 'Hi there, your order A-17 is ready.');

    // A scheduled one is checked when it is stored, and checked and filled in again when it is due.
    const later = (body: object) =>
      acme.api('POST', `${path}/scheduled`, { ...order, scheduled_at: gateway.clock.now() + 60_000, ...body });
    const unfilled = await later({ variables: few });
    assert.deepEqual([unfilled.status, unfilled.body.details?.[0].path], [400, 'variables.2']);
    const due = async (id: string, state: string) => {
      await gateway.during(gateway.clock.advance(60_000));
      return gateway.until(`it is ${state}`, async () => {
        const found = (await acme.api('GET', `${path}/scheduled/${id}`)).body;
        return found.status === state && found;
      });
    };
    const waits = await later({});
    assert.deepEqual([waits.status, waits.body.body], [201, 'Hi there, your order A-17 is ready.'], JSON.stringify(waits.body));
    const changed = await acme.api('PATCH', `${path}/scheduled/${waits.body.id}`, { variables: { ...VARIABLES, '2': 'B-18' } });
    assert.equal(changed.body.body, 'Hi there, your order B-18 is ready.', JSON.stringify(changed.body));
    await acme.api('POST', '/v1/contacts', { phone: ANNA, name: 'Anna Lee' });
    await due(waits.body.id, 'sent');
    await gateway.until('it came', async () => verbs.messages(ANNA).messages[0]?.body === 'Hi Anna, your order B-18 is ready.');
    // A recurring one is filled in for each recipient when it runs.
    const { chat_id: _chat, type: _type, ...filled } = order;
    const news = { ...filled, name: 'News', targets: [ANNA, BUDI], schedule_type: 'daily' };
    const recurring = (body: object) => acme.api('POST', `${path}/recurring`, { ...news, ...body });
    for (const [body, at] of [
      [{ variables: few }, 'variables.2'],
      [{ message: 'Hi' }, 'template_id'],
      [{ template_id: undefined, message: 'Hi' }, 'variables'],
    ] as const)
      assert.equal((await recurring(body)).body.details?.[0].path, at);
    const repeats = await recurring({ variables: { ...VARIABLES, '1': '{{first_name}}' } });
    assert.deepEqual([repeats.status, repeats.body.message], [201, 'Hi {{1}}, your order {{2}} is ready.'], JSON.stringify(repeats.body));
    const rewritten = await acme.api('PATCH', `${path}/recurring/${repeats.body.id}`, {
      variables: { ...VARIABLES, '1': '{{first_name}}', '2': 'C-19' },
    });
    assert.deepEqual([rewritten.body.template_id, rewritten.body.variables?.['2']], [made.body.id, 'C-19'], JSON.stringify(rewritten.body));
    const logged = async (error: string | null) =>
      (await acme.api('GET', `${path}/messages?direction=outbound`)).body.messages.filter(
        (one: { error: string | null }) => one.error === error,
      );
    await acme.api('POST', `${path}/recurring/${repeats.body.id}/run`);
    await gateway.until('it came', async () => verbs.messages(ANNA).messages[0]?.body === 'Hi Anna, your order C-19 is ready.');
    const nameless = await gateway.until('the other failed', async () => (await logged('template_parameters'))[0]);
    assert.match(nameless.chat_id, new RegExp(BUDI));
    const late = await later({});
    await judge('paused');
    await acme.api('POST', `${path}/recurring/${repeats.body.id}/run`);
    await gateway.until('both failed', async () => (await logged('template_paused')).length === 2);
    assert.equal((await due(late.body.id, 'failed')).error, 'template_paused');
    assert.deepEqual(gateway.sandbox.journal.of('refused'), []);
    await judge('approved');

    const linked = await acme.api('POST', '/v1/sessions', {});
    const elsewhere = await acme.api('POST', `/v1/sessions/${linked.body.id}/messages`, { ...order, connect_only: false });
    assert.deepEqual([elsewhere.status, elsewhere.body.details[0].path], [400, 'template_id']);

    assert.equal((await acme.api('PATCH', `/v1/templates/${made.body.id}`, { body: 'Other' })).status, 409);
    assert.equal((await acme.api('PATCH', `/v1/templates/${made.body.id}`, { name: 'Ready' })).body.name, 'Ready');
    assert.equal((await acme.api('DELETE', `/v1/templates/${made.body.id}`)).status, 200);
    assert.deepEqual(verbs.changeOfficial(keys.phone_number_id, {}).templates, {});

    // Two pages that were made at the vendor: read in the background, and removed when the vendor removed them.
    const atVendor = async (method: string, query: string, json?: object) => {
      const headers = { authorization: `Bearer ${keys.access_token}`, 'content-type': 'application/json' };
      const url = `${await verbs.officialUrl()}/${keys.waba_id}/message_templates${query}`;
      const answer = await fetch(url, { method, headers, ...(json && { body: JSON.stringify(json) }) });
      assert.equal(answer.status, 200);
    };
    const names = Array.from({ length: 130 }, (_, nth) => `news_${nth}`);
    for (const name of names) await atVendor('POST', '', { ...ORDER_READY, name });
    const synced = async (expected: readonly string[]) => {
      const ordered = await acme.api('POST', `${path}/templates/sync`);
      assert.deepEqual([ordered.status, ordered.body], [202, { ok: true }]);
      const listed = async () => (await acme.api('GET', '/v1/templates')).body.templates.map(({ name }: { name: string }) => name).sort();
      await gateway.until('they are read', async () => (await listed()).join() === [...expected].sort().join());
    };
    await synced(names);
    await atVendor('DELETE', '?name=news_7');
    await synced(names.filter((name) => name !== 'news_7'));

    // The vendor's template changes, and the webhook about it does not come: the refusal leads to a sync.
    const eighth = async () =>
      (await acme.api('GET', '/v1/templates')).body.templates.find(({ name }: { name: string }) => name === 'news_8');
    const approveEighth = () => verbs.changeOfficial(keys.phone_number_id, { templates: { 'news_8:en_US': 'approved' } });
    approveEighth();
    await gateway.until('it is approved', async () => (await eighth()).official.status === 'approved');
    gateway.sandbox.official.hooks.habits = { held: true };
    await atVendor('DELETE', '?name=news_8');
    const three = [{ type: 'BODY', text: 'Hi {{1}}, order {{2}} is ready at {{3}} today.' }];
    await atVendor('POST', '', { ...ORDER_READY, name: 'news_8', components: three });
    approveEighth();
    const outdated = await post({ ...order, template_id: (await eighth()).id });
    assert.equal((await reaches(outdated.body.id, 'failed')).error, 'template_parameters');
    await gateway.until('it is synced', async () => (await eighth()).official.variables.join() === '1,2,3');
  });
});

eachStore("an official number's campaign", (kind) => {
  it('fills in its template for each recipient, and pauses if the platform pauses the template', async (t) => {
    const { gateway, acme, id: session_id, verbs, keys } = await anOfficialShop(t, kind);
    await acme.api('PUT', '/v1/settings', { send_window: { enabled: false } });
    const components = [{ type: 'BODY', text: 'Hi {{name}}, {{offer}} today.' }];
    const content = { name: 'sale', language: 'id', category: 'marketing', components };
    const made = await acme.api('POST', '/v1/templates', { official: { session_id, ...content } });
    assert.deepEqual([made.status, made.body.official.format, made.body.official.variables], [201, 'named', ['name', 'offer']]);
    const judge = async (state: 'approved' | 'paused') => {
      verbs.changeOfficial(keys.phone_number_id, { templates: { 'sale:id': state } });
      const status = async () => (await acme.api('GET', `/v1/templates/${made.body.id}`)).body.official.status;
      await gateway.until(`it is ${state}`, async () => (await status()) === state);
    };
    await judge('approved');
    const recipients = [{ phone: `+${ANNA}`, name: 'Anna', var1: 'all at 10%' }, { phone: `+${BUDI}` }];
    const body = { session_id, name: 'Sale', message_type: 'text', template_id: made.body.id, recipients };
    const wrong = await acme.api('POST', '/v1/blasts', { ...body, variables: { name: 'x' } });
    assert.deepEqual([wrong.status, wrong.body.details[0].path], [400, 'variables.offer']);
    const whole = { ...body, variables: { name: '{{first_name|there}}', offer: '{var1}' } };
    const preview = await acme.api('POST', '/v1/blasts/preview', whole);
    assert.deepEqual([preview.body.recipients, preview.body.skipped.no_template_value], [1, 1], JSON.stringify(preview.body));
    assert.equal(preview.body.sample[0].text, 'Hi Anna, all at 10% today.');
    const { template_id: _id, ...plain } = { ...body, body: 'Hello' };
    const free = await acme.api('POST', '/v1/blasts/preview', plain);
    assert.deepEqual([free.body.recipients, free.body.skipped.window_closed], [0, 2]);

    const draft = await acme.api('POST', '/v1/blasts', whole);
    assert.deepEqual([draft.status, draft.body.variables], [201, whole.variables], JSON.stringify(draft.body));
    const blast = async (id: string) => (await acme.api('GET', `/v1/blasts/${id}`)).body;
    const started = await acme.api('POST', `/v1/blasts/${draft.body.id}/start`);
    assert.equal(started.status, 200, JSON.stringify(started.body));
    await gateway.until('it is over', async () => (await blast(draft.body.id)).status === 'completed');
    const { sent_count, skipped } = await blast(draft.body.id);
    assert.deepEqual([sent_count, skipped], [1, { no_template_value: 1 }]);
    assert.equal(verbs.messages(ANNA).messages[0]?.body, 'Hi Anna, all at 10% today.');
    assert.deepEqual(verbs.messages(BUDI).messages, []);

    await judge('paused');
    const late = await acme.api('POST', '/v1/blasts', whole);
    await acme.api('POST', `/v1/blasts/${late.body.id}/start`);
    await gateway.until('it is paused', async () => (await blast(late.body.id)).status === 'paused');
    assert.equal((await blast(late.body.id)).pause_reason, 'template_paused');
    assert.equal(verbs.messages(ANNA).messages.length, 1);
  });
});

eachStore("a person who stops marketing in the network's app", (kind) => {
  it('is opted out of campaigns until the person resumes marketing, but still gets replies', async (t) => {
    const { gateway, acme, id: session_id, path, verbs, keys, send, reaches, inbound } = await anOfficialShop(t, kind);
    await acme.api('PUT', '/v1/consent/config', { enforce_api: true });
    for (const phone of [ANNA, BUDI]) verbs.write(phone, { to: NUMBER, body: 'Hi' });
    await gateway.until('they came', async () => (await inbound()).length === 2);
    const consentOf = async (phone: string) => (await acme.api('GET', `/v1/consent/history/${phone}`)).body.current;
    const becomes = (phone: string, status: string) =>
      gateway.until(`${phone} is ${status}`, async () => {
        const found = await consentOf(phone);
        return found?.status === status && found;
      });
    const prefers = async (marketing: 'stop' | 'resume') => {
      await gateway.during(gateway.clock.advance(2_000));
      verbs.act(ANNA, { act: 'preferences', to: NUMBER, marketing });
    };
    await prefers('stop');
    const stopped = await becomes(ANNA, 'opted_out');
    assert.deepEqual([stopped.source, stopped.note], ['network', 'marketing']);
    const body = { session_id, name: 'Sale', message_type: 'text', body: 'Sale', recipients: [{ phone: `+${ANNA}` }] };
    const preview = await acme.api('POST', '/v1/blasts/preview', body);
    assert.deepEqual([preview.body.recipients, preview.body.skipped.opted_out], [0, 1]);
    await reaches(await send({ chat_id: ANNA, type: 'text', body: 'Your order is ready' }), 'read');
    await prefers('resume');
    assert.equal((await becomes(ANNA, 'opted_in')).source, 'network');

    // STOP by word is more: resuming there does not lift it, and it bars answers.
    verbs.write(ANNA, { to: NUMBER, body: 'STOP' });
    await becomes(ANNA, 'opted_out');
    await prefers('stop');
    await prefers('resume');
    await gateway.during(gateway.clock.advance(60_000));
    assert.deepEqual([(await consentOf(ANNA)).status, (await consentOf(ANNA)).source], ['opted_out', 'keyword']);
    const barred = await acme.api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hi' });
    assert.deepEqual([barred.status, barred.body.code], [409, 'RECIPIENT_OPTED_OUT']);

    // The platform's own word with a failed message.
    verbs.changeOfficial(keys.phone_number_id, { fault: { code: 131_050, late: true } });
    const failed = await reaches(await send({ chat_id: BUDI, type: 'text', body: 'Sale' }), 'failed');
    assert.equal(failed.error, 'opted_out');
    assert.equal((await becomes(BUDI, 'opted_out')).source, 'network');

    // She moves to another number: her chat, contact and opt-out follow.
    await gateway.during(gateway.clock.advance(2_000));
    verbs.act(ANNA, { act: 'change_number', to: MOVED });
    await becomes(MOVED, 'opted_out');
    const chats = async (): Promise<readonly string[]> =>
      (await acme.api('GET', '/v1/inbox')).body.chats.map(({ phone }: { phone: string }) => phone).toSorted();
    await gateway.until('her chat follows', async () => (await chats()).includes(MOVED));
    assert.deepEqual(await chats(), [BUDI, MOVED]);
    const { contacts } = (await acme.api('GET', '/v1/contacts')).body;
    assert.deepEqual(contacts.map(({ phone }: { phone: string }) => phone).toSorted(), [BUDI, MOVED]);
    verbs.write(MOVED, { to: NUMBER, body: 'START' });
    await becomes(MOVED, 'opted_in');
    assert.deepEqual(await chats(), [BUDI, MOVED]);
  });
});
