import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { restartIds } from '../../runtime/ids.ts';
import { aCampaign, aCampaignFixture, textsOn } from '../actors/campaign/campaign-fixture.ts';
import { DORA, lived, received, remembering } from '../actors/services/privacy/erasure-fixture.ts';
import { aReceiver, SECRET } from '../actors/services/webhooks/receiver.ts';
import { aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { mapped } from '../support/personal-data.ts';
import { eachStore } from '../support/stores.ts';

const erase = (api: Gateway['api'], more: object = { confirm: true }) =>
  api('POST', '/v1/privacy/erasures', { phone: `+${DORA}`, ...more });

const erased = (gateway: Gateway, api: Gateway['api'], id: string) =>
  gateway.until('she is erased', async () => {
    const { body } = await api('GET', `/v1/privacy/erasures/${id}`);
    return body.status === 'done' ? body : null;
  });

eachStore('an erasure', (kind) => {
  it('removes the number from all collections, and leaves only an opt-out without the number', async (t) => {
    const receiver = await aReceiver(t);
    const store = remembering(kind);
    const gateway = await aGateway(t, { kind: store.kind, config: { egress_allow: [receiver.place] } });
    const { api, device, both } = await lived(gateway, receiver.url);
    const map = mapped();
    assert.deepEqual(
      [...store.opened.keys()].filter((name) => !map.has(name)),
      [],
      'a collection of which docs/personal-data.md does not tell',
    );
    const before = await store.traces();
    for (const name of [
      'contacts',
      'messages',
      'chats',
      'scheduled',
      'recurring',
      'campaign_recipients',
      'deliveries',
      'consents',
      'consent_history',
      'media',
    ])
      assert.ok(before[name], `${name} names her before`);
    // A file of hers that was deleted by hand, whose message still names it.
    sandboxVerbs(gateway.sandbox).write(DORA, { to: PHONE, type: 'document', file: { base64: 'eA==', filename: 'x.txt' } });
    await received(gateway, api, device.path, 3);
    const { key } = (await api('GET', '/v1/media')).body.media.find(({ filename }: { filename: string }) => filename === 'x.txt');
    assert.ok((await api('DELETE', `/v1/media/${key}`)).status < 300);
    assert.equal((await erase(api, {})).body.code, 'CONFIRMATION_REQUIRED');
    const { status, body } = await erase(api);
    assert.equal(status, 202);
    const done = await erased(gateway, api, body.id);
    assert.deepEqual(await store.traces(), {});
    assert.ok(done.counts.messages >= 3 && done.counts.media === 1 && done.proof, JSON.stringify(done.counts));
    assert.equal((await api('GET', '/v1/privacy/erasures')).body.erasures[0].id, body.id);
    assert.equal((await api('GET', '/v1/audit/verify')).body.ok, true);
    const [entry] = (await api('GET', '/v1/audit?action=privacy.erase')).body.entries;
    assert.equal(entry.target.id, body.id);
    assert.deepEqual([done.counts.scheduled, done.counts.campaign_recipients, done.counts.contacts], [1, 1, 1]);
    // Others stay.
    assert.deepEqual((await api('GET', `${device.path}/recurring/${both.id}`)).body.targets, ['6281255550005@s.whatsapp.net']);
    assert.equal((await api('GET', `${device.path}/messages?chat_id=6281255550005`)).body.messages[0].body, 'ask Dora, +erased');
    // She stays opted out, and nobody can list her.
    assert.deepEqual((await api('GET', '/v1/consent')).body.consent, []);
    assert.equal((await api('GET', `/v1/consent/history/+${DORA}`)).body.current.source, 'privacy_erasure');
    gateway.sandbox.phone(DORA).write({ to: PHONE, content: { type: 'text', body: 'Me again' } });
    await received(gateway, api, device.path, 1);
    assert.equal((await api('GET', `/v1/consent/history/+${DORA}`)).body.current.status, 'opted_out');
  });

  for (const [outcome, isOffline] of [
    ['failed', true],
    ['sent', false],
  ] as const)
    it(`waits for an unacknowledged message, and removes the event that says the message was ${outcome}`, async (t) => {
      restartIds();
      const receiver = await aReceiver(t);
      const store = remembering(kind);
      const gateway = await aGateway(t, { kind: store.kind, config: { egress_allow: [receiver.place] } });
      const { api, linked } = await gateway.signUp();
      const device = await linked(PHONE);
      const events = ['message.received', 'message.sent', 'message.failed'];
      await api('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events });
      gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 30_000 });
      await device.text(DORA, 'Hello');
      await gateway.clock.advance(10_000);
      if (isOffline) await api('POST', `${device.path}/disconnect`);
      const { body } = await erase(api);
      await gateway.clock.advance(1_000);
      if (!isOffline) gateway.sandbox.phone(DORA).write({ to: PHONE, content: { type: 'text', body: 'Me again' } });
      await erased(gateway, api, body.id);
      await gateway.clock.advance(10_000);
      // What she writes later stays.
      const later = isOffline ? [] : ['message.received'];
      const left: readonly { readonly type: string }[] = (await api('GET', '/v1/events/pull?limit=200')).body.events;
      assert.deepEqual(
        left.map(({ type }) => type).filter((type) => type.startsWith('message.')),
        later,
      );
      const { deliveries } = (await api('GET', '/v1/webhooks/deliveries')).body;
      assert.deepEqual(
        deliveries.map(({ event }: { event: string }) => event),
        later,
      );
      if (isOffline) assert.deepEqual(await store.traces(), {});
    });

  it('does not wait for messages of a deleted device', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const { api } = acme;
    const device = await acme.linked(PHONE);
    await api('POST', `${device.path}/disconnect`);
    const sent = await api('POST', `${device.path}/messages`, { chat_id: DORA, type: 'text', body: 'Hello', connect_only: false });
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    assert.equal((await api('DELETE', device.path)).status, 200);
    const { body } = await erase(api);
    const { counts } = await erased(gateway, api, body.id);
    assert.equal(counts.messages, 1);
  });

  it('removes queued messages to the person, and refunds the quota for them', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const device = await linked(PHONE);
    await api('POST', `${device.path}/disconnect`);
    const used = async () => (await api('GET', '/v1/usage')).body.messages.used;
    for (const body of ['one', 'two', 'three']) await device.text(DORA, body, { connect_only: false });
    await device.text('6281255550005', 'for somebody else', { connect_only: false });
    assert.equal(await used(), 4);
    const { body } = await erase(api);
    const { counts } = await erased(gateway, api, body.id);
    assert.deepEqual([counts.messages, await used()], [3, 1]);
    const { queue } = (await api('GET', `${device.path}/queue`)).body;
    assert.deepEqual(
      queue.map(({ body: text }: { body: string }) => text),
      ['for somebody else'],
    );
    await gateway.clock.advance(300_000);
    assert.equal(await used(), 1);
  });

  it('makes later campaigns skip the person without storing messages for them', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { body } = await erase(fixture.api);
    await erased(gateway, fixture.api, body.id);
    const other = '6281255550005';
    const path = await aCampaign(gateway, fixture, [DORA, other]);
    await fixture.api('POST', `${path}/start`, {});
    await gateway.until('the campaign is over', async () => (await fixture.api('GET', path)).body.status === 'completed');
    assert.deepEqual([textsOn(gateway, DORA), textsOn(gateway, other)], [[], ['Hello']]);
    const { recipients } = (await fixture.api('GET', `${path}/recipients`)).body;
    assert.equal(recipients.find(({ phone }: { phone: string }) => phone.includes(DORA)).status, 'skipped');
    assert.deepEqual((await fixture.api('GET', `${fixture.device.path}/messages?chat_id=${DORA}`)).body.messages, []);
  });

  it("is rejected while the person is on hold, until the hold's end date", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const until = gateway.clock.now() + 86_400_000;
    const hold = `/v1/privacy/holds/+${DORA}`;
    assert.equal((await api('PUT', hold, { reason: 'a claim' })).status, 400);
    assert.equal((await api('PUT', hold, { reason: 'a claim', until })).status, 200);
    const refused = await erase(api);
    assert.equal(refused.status, 409);
    assert.match(refused.body.error, new RegExp(new Date(until).toISOString()));
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    assert.equal((await erase(globex.api)).status, 202, "another business's hold says nothing");
    assert.equal((await api('DELETE', hold)).status, 200);
    assert.equal((await api('DELETE', hold)).status, 404);
    assert.equal((await erase(api)).status, 202);
    const { entries } = (await api('GET', `/v1/audit?target=${DORA}`)).body;
    assert.deepEqual(
      entries.map(({ action }: { action: string }) => action),
      ['privacy.end_hold', 'privacy.hold'],
    );
  });

  it('is rejected for everyone while a general hold is in place', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const until = gateway.clock.now() + 600_000;
    assert.equal((await api('PUT', '/v1/privacy/hold', { reason: 'an audit', until })).status, 200);
    assert.equal((await erase(api)).status, 409);
    await gateway.clock.advance(600_001);
    const { status } = await erase(api);
    assert.equal(status, 202, 'it is over by itself');
    assert.equal((await api('PUT', '/v1/privacy/hold', { reason: 'an audit', until })).status, 400, 'in the past');
    assert.equal((await api('DELETE', '/v1/privacy/hold')).status, 200);
    assert.equal((await api('DELETE', '/v1/privacy/hold')).status, 404);
  });

  it('respects older holds without a valid end date, although new holds must have one', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const put = async (until: number) => (await api('PUT', '/v1/privacy/hold', { reason: 'an audit', until })).status;
    const last = 8_640_000_000_000_000;
    assert.deepEqual([await put(last + 1), await put(Number.MAX_SAFE_INTEGER), await put(last)], [400, 400, 200]);
    await gateway.store.collection({ name: 'privacy_holds', indexes: [] }).updateMany({}, { $set: { until: Number.MAX_SAFE_INTEGER } });
    for (const refused of [await erase(api), await api('DELETE', '/v1/account', { confirm: true })]) {
      assert.equal(refused.status, 409);
      assert.match(refused.body.error, /\+275760-09-13/);
    }
  });
});
