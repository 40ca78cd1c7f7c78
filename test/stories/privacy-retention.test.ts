import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lidOf } from '../../actors/network/sandbox/addresses.ts';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import type { Doc } from '../../store/port.ts';
import { PNG } from '../actors/services/media/files.ts';
import { DORA, lived } from '../actors/services/privacy/erasure-fixture.ts';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { aGateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const DAY = 86_400_000;
const OTHER = '6281255550005';
type Row = Doc & Readonly<Record<string, unknown>>;

eachStore('data retention', (kind) => {
  it('deletes expired data after a day of grace, unless the data is on hold or in use', async (t) => {
    const receiver = await aReceiver(t);
    const gateway = await aGateway(t, { kind, config: { egress_allow: [receiver.place] } });
    const { tenant, device, both, ...world } = await lived(gateway, receiver.url);
    let { api } = world;
    const rowsOf = (name: string) => gateway.store.collection<Row>({ name, indexes: [] });
    const now = gateway.clock.now();
    const age = async (name: string): Promise<void> => {
      for (const { _id, created_at } of await rowsOf(name).find({}).toArray())
        await rowsOf(name).updateOne({ _id }, { $set: { created_at: Number(created_at) - 40 * DAY } });
    };
    /** As if a day had passed. */
    const itIsDue = async (more: object = {}): Promise<void> =>
      void (await rowsOf('privacy_retention').updateOne({ _id: tenant.id }, { $set: { due_at: gateway.clock.now(), ...more } }));
    const lastRun = async () => (await api('GET', '/v1/privacy')).body.last_run;
    const hasRun = async (after: number) =>
      gateway.until('it has run', async () => {
        const run = await lastRun();
        return run && run.at > after && run;
      });
    const logOf = async (chat: string): Promise<number> =>
      (await api('GET', `${device.path}/messages?chat_id=${chat}`)).body.messages.length;

    const fresh = (await api('GET', '/v1/privacy')).body;
    assert.deepEqual(fresh, {
      retention_days: { messages: 0, media: 0, webhooks: 0, audit: 0 },
      keep_disappearing: false,
      last_run: null,
      pending: null,
      hold: null,
    });
    assert.equal((await api('PUT', '/v1/privacy', { retention_days: { messages: -1 } })).status, 400);
    assert.equal((await api('PUT', '/v1/privacy', { retention_days: {} })).status, 400);
    assert.equal((await api('PUT', `/v1/privacy/holds/+${OTHER}`, { reason: 'a claim', until: now + 100 * DAY })).status, 200);

    // Files that a template and a rule need, and one that came with a message.
    const uploaded = async (body: string): Promise<string> => {
      const upload = await fetch(`${gateway.node.url}/v1/media/upload?filename=menu.txt`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.tokens.token}`, 'content-type': 'text/plain' },
        body,
      });
      return JSON.parse(await upload.text()).key;
    };
    const needed = [await uploaded('the menu'), await uploaded('the prices')];
    const template = { name: 'menu', message_type: 'document', media_r2_key: needed[0], language: 'en' };
    const made = await api('POST', '/v1/templates', template);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const rule = { name: 'prices', trigger_type: 'keyword', trigger_text: 'prices', reply_type: 'document', reply_r2_key: needed[1] };
    const ruled = await api('POST', `${device.path}/auto-reply`, rule);
    assert.equal(ruled.status, 201, JSON.stringify(ruled.body));
    // A message that a device left on the wire when it was removed.
    const [one] = await rowsOf('messages').find({ session_id: device.id }, { limit: 1 }).toArray();
    await rowsOf('removed_devices').insertOne({ _id: 'gone', tenant_id: tenant.id });
    const left = { session_id: 'gone', net_id: 'left', status: 'sending', media_r2_key: null };
    await rowsOf('messages').insertOne({ ...one, _id: 'left', chat_id: `${DORA}@s.whatsapp.net`, ...left });
    // And one, untold, of a device whose messages have not been seen to yet.
    await rowsOf('removed_devices').insertOne({ _id: 'unfinished', tenant_id: tenant.id, unfinished_at: now + 400 * DAY });
    const unseen = { ...left, outbox_pending: true, session_id: 'unfinished', net_id: 'unseen' };
    await rowsOf('messages').insertOne({ ...one, _id: 'unseen', chat_id: `${DORA}@s.whatsapp.net`, ...unseen });
    for (const name of ['messages', 'media', 'deliveries']) await age(name);
    const [hers, others] = [await logOf(DORA), await logOf(OTHER)];
    assert.ok(hers > 3 && others > 0);

    const preview = (await api('GET', '/v1/privacy/preview?messages=30&media=30&webhooks=30')).body;
    assert.equal(preview.messages, hers + 1, 'neither those of the held one');
    assert.deepEqual([preview.media, preview.audit], [1, undefined]);
    assert.ok(preview.webhooks > 0);
    assert.deepEqual((await api('GET', '/v1/privacy/preview?messages=41')).body, { messages: 0 });

    const asked = await api('PUT', '/v1/privacy', { retention_days: { messages: 30, media: 30, webhooks: 30, audit: 30 } });
    assert.equal(asked.status, 200);
    assert.equal(asked.body.retention_days.messages, 0);
    assert.ok(asked.body.pending.effective_at >= now + DAY);
    await itIsDue();
    await hasRun(now - 1);
    assert.equal(await logOf(DORA), hers, 'not before a day has passed');

    await device.text(DORA, 'a new one');
    await gateway.clock.advance(1_000);
    const before = gateway.clock.now();
    await itIsDue({ 'pending.effective_at': before });
    const run = await hasRun(before - 1);
    assert.deepEqual(run.removed, { ...preview, audit: 0 });
    assert.equal(await logOf(DORA), 1, 'the new one');
    assert.equal(await rowsOf('messages').countDocuments({ _id: { $in: ['left', 'unseen'] } }), 1, 'what is not told yet');
    assert.equal(await logOf(OTHER), others, 'what a hold keeps');
    assert.deepEqual((await api('GET', '/v1/media')).body.media.map((one: { key: string }) => one.key).toSorted(), needed.toSorted());
    assert.equal((await api('GET', '/v1/privacy')).body.retention_days.messages, 30);
    const [entry] = (await api('GET', '/v1/audit?action=privacy.retention')).body.entries;
    assert.deepEqual([entry.actor.kind, entry.changes[0].field], ['system', 'messages']);

    // A hold on everything stops it; without holds the audit log is cut, and the rest of it still verifies.
    await api('DELETE', `/v1/privacy/holds/+${OTHER}`);
    await api('PUT', '/v1/privacy/hold', { reason: 'an audit', until: now + 100 * DAY });
    assert.equal((await api('GET', '/v1/privacy')).body.hold.reason, 'an audit');
    const stopped = gateway.clock.now();
    await itIsDue();
    await gateway.clock.advance(120_000);
    assert.ok((await lastRun()).at <= stopped);
    assert.equal(await logOf(OTHER), others);
    await api('DELETE', '/v1/privacy/hold');
    const days = await api('PUT', '/v1/privacy', { retention_days: { audit: 1 } });
    assert.equal(days.body.pending.retention_days.audit, 1);
    // Times of entries are signed: a day has to pass, on which nothing else is sent.
    await api('DELETE', `${device.path}/recurring/${both.id}`);
    gateway.clock.jump(2 * DAY);
    const { refresh_token } = tenant.tokens;
    api = gateway.as((await gateway.api('POST', '/auth/refresh', { refresh_token })).body.token);
    const last = gateway.clock.now();
    const old = await rowsOf('audit').countDocuments({ tenant_id: tenant.id, at: { $lt: last - DAY } });
    assert.ok(old > 3);
    const end = await hasRun(last - 1);
    assert.deepEqual([end.removed.messages, end.removed.audit], [others, old]);
    assert.equal(await logOf(OTHER), 0);
    const verdict = (await api('GET', '/v1/audit/verify')).body;
    assert.deepEqual([verdict.ok, verdict.from_seq], [true, old + 1]);
  });

  it("deletes the files of expired messages, both incoming and sent from the owner's phone", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, id, linked } = await gateway.signUp();
    const device = await linked(PHONE);
    const file = { base64: PNG.toString('base64') };
    const { write } = sandboxVerbs(gateway.sandbox);
    write(DORA, { to: PHONE, type: 'image', file });
    write(PHONE, { to: DORA, type: 'image', file });
    // Kept for a claim: somebody whose number the network hides.
    gateway.sandbox.phone(OTHER).set({ lid: true, tellsNumber: false });
    write(OTHER, { to: PHONE, body: 'I will sue you' });
    const hold = { reason: 'a claim', until: gateway.clock.now() + 100 * DAY };
    assert.equal((await api('PUT', `/v1/privacy/holds/${lidOf(OTHER)}`, hold)).status, 200);
    const files = async (): Promise<number> => (await api('GET', '/v1/media')).body.media.length;
    await gateway.until('both are there', async () => (await files()) === 2);
    await gateway.clock.advance(1_000);
    assert.equal((await api('PUT', '/v1/privacy', { retention_days: { messages: 1 } })).status, 200);
    const old = { created_at: gateway.clock.now() - 2 * DAY };
    await gateway.store.collection({ name: 'messages', indexes: [] }).updateMany({}, { $set: old });
    const due = { due_at: gateway.clock.now(), 'pending.effective_at': gateway.clock.now() };
    await gateway.store.collection({ name: 'privacy_retention', indexes: [] }).updateOne({ _id: id }, { $set: due });
    const run = await gateway.until('it has run', async () => (await api('GET', '/v1/privacy')).body.last_run);
    assert.equal(run.removed.messages, 2);
    assert.equal(await files(), 0);
    const left = (await api('GET', `${device.path}/messages`)).body.messages.map((one: { body: string }) => one.body);
    assert.deepEqual(left, ['I will sue you'], 'what a hold keeps');
  });
});
