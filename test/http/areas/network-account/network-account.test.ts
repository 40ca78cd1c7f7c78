import assert from 'node:assert/strict';
import { it } from 'node:test';
import sharp from 'sharp';
import type { Doc } from '../../../../store/port.ts';
import { PNG } from '../../../actors/services/media/files.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const BEN = '6281211110002';
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb004300ffd9', 'hex');

async function aLinkedDevice(t: Scope, kind: StoreKind) {
  const gateway = await aGateway(t, { kind });
  const tenant = await gateway.signUp();
  const events = ['account.updated', 'blocklist.changed', 'call.received', 'message.received'];
  const hook = { url: 'https://example.com/hook', secret: 's'.repeat(40), events };
  assert.equal((await tenant.api('POST', '/v1/webhooks', hook)).status, 201);
  const device = await tenant.linked(PHONE);
  const ask = (method: string, rest: string, body?: unknown) => gateway.during(tenant.api(method, `${device.path}/${rest}`, body));
  return { gateway, ...tenant, device, ask, events: eventsOf(gateway, tenant.api) };
}

/** Waits for `count` events of a type and returns the `data` of all of them. */
function eventsOf(gateway: Gateway, api: Gateway['api']) {
  return (type: string, count: number) =>
    gateway.until(`${count} × ${type}`, async () => {
      const { events } = (await api('GET', '/v1/events/pull?limit=200')).body;
      const found = events.filter((event: { type: string }) => event.type === type).map(({ data }: { data: object }) => data);
      return found.length >= count && found;
    });
}

eachStore('the network account', (kind) => {
  it('can be read and changed, can block numbers, and triggers one event per change', async (t) => {
    const { gateway, ask, api, events, device } = await aLinkedDevice(t, kind);
    const { sandbox } = gateway;
    assert.deepEqual((await ask('PATCH', 'account', { name: 'Toko Acme', about: 'Open' })).body, { name: 'Toko Acme', about: 'Open' });
    assert.deepEqual((await ask('GET', 'account')).body, { name: 'Toko Acme', about: 'Open' });
    assert.equal((await ask('PATCH', 'account', { name: '' })).body.code, 'VALIDATION_FAILED');
    await gateway.until('the device shows it', async () => (await api('GET', device.path)).body.wa_name === 'Toko Acme');

    const privacy = (await ask('PATCH', 'account/privacy', { last_seen: 'contacts', read_receipts: false, default_timer: 86_400 })).body;
    assert.deepEqual([privacy.last_seen, privacy.read_receipts, privacy.default_timer, privacy.online], ['contacts', false, 86_400, 'all']);
    assert.deepEqual((await ask('GET', 'account/privacy')).body, privacy);
    assert.equal((await ask('PATCH', 'account/privacy', { default_timer: 60 })).status, 400);

    await api('POST', '/v1/contacts', { phone: ANNA, name: 'Anna of accounting' });
    const blocked = await ask('POST', 'blocklist', { phone: `+${ANNA}` });
    assert.deepEqual([blocked.status, blocked.body], [201, { phone: ANNA, lid: null, username: null, name: 'Anna of accounting' }]);
    assert.equal((await ask('POST', 'blocklist', { phone: `+${ANNA}` })).status, 201);
    sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'let me in' } });
    sandbox.phone(BEN).write({ to: PHONE, content: { type: 'text', body: 'hello' } });
    await events('message.received', 1);
    const { chats } = (await ask('GET', 'chats')).body;
    assert.deepEqual(
      chats.map(({ last_message }: { last_message: string }) => last_message),
      ['hello'],
    );
    assert.equal((await ask('GET', 'blocklist')).body.blocklist.length, 1);
    assert.deepEqual((await ask('DELETE', `blocklist/+${ANNA}`)).body, { ok: true });
    assert.deepEqual((await ask('GET', 'blocklist')).body, { blocklist: [], next_before: null });
    const moves = await events('blocklist.changed', 2);
    assert.deepEqual(
      moves.map((data: { blocked: { phone: string }[]; unblocked: { phone: string }[] }) => [
        data.blocked.map(({ phone }) => phone),
        data.unblocked.map(({ phone }) => phone),
      ]),
      [
        [[ANNA], []],
        [[], [ANNA]],
      ],
    );
    const changes = (await events('account.updated', 2)).map(({ changed }: { changed: object }) => changed);
    assert.deepEqual(changes.slice(0, 2), [
      { name: 'Toko Acme', about: 'Open' },
      { privacy: { last_seen: 'contacts', read_receipts: false, default_timer: 86_400 } },
    ]);
  });

  it("can be given a picture from an upload or a media key, and caches other people's pictures", async (t) => {
    const { gateway, ask, api, device, tokens } = await aLinkedDevice(t, kind);
    const put = (bytes: Buffer) => {
      const form = new FormData();
      form.set('file', new Blob([bytes]), 'me.jpg');
      const url = `${gateway.node.url}${device.path}/account/picture`;
      return gateway.during(fetch(url, { method: 'PUT', body: form, headers: { authorization: `Bearer ${tokens.token}` } }));
    };
    const sent = await put(JPEG);
    const { picture } = (await sent.json()) as { picture: string };
    assert.equal(sent.status, 200);
    const refused = await put(Buffer.from('no picture at all'));
    assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [400, 'VALIDATION_FAILED']);
    assert.equal((await put(Buffer.concat([JPEG, Buffer.alloc(10 * 1024 * 1024)]))).status, 413);
    assert.deepEqual((await ask('PUT', 'account/picture', { media_r2_key: picture })).body, { picture });
    assert.equal((await ask('PUT', 'account/picture', { media_r2_key: 'med_01JZX5ZB4T8QKX3N9V7C2M6D1E' })).status, 404);
    assert.equal((await ask('PUT', 'account/picture', { key: picture })).status, 400);

    gateway.sandbox.phone(PHONE).set({ about: 'Open', name: 'Toko' });
    const first = (await ask('GET', `people/${PHONE}`)).body;
    const again = (await ask('GET', `people/${PHONE}`)).body;
    assert.deepEqual([first.about, first.picture, first.business.websites], ['Open', again.picture, []]);
    const copy = await gateway.store.collection<Doc & { chat_id: string }>({ name: 'media', indexes: [] }).findOne({ _id: first.picture });
    assert.equal(copy?.chat_id, `${first.person.phone}@s.whatsapp.net`);
    const bytes = await fetch(`${gateway.node.url}/v1/media/${first.picture}`, { headers: { authorization: `Bearer ${tokens.token}` } });
    assert.deepEqual(Buffer.from(await bytes.arrayBuffer()), JPEG);
    assert.equal((await api('GET', '/v1/media')).body.media.length, 2);

    gateway.sandbox.phone(BEN).set({ about: null, business: false });
    const ben = (await ask('GET', `people/+${BEN}`)).body;
    assert.deepEqual([ben.person.phone, ben.about, ben.picture, ben.business], [BEN, null, null, null]);
    gateway.sandbox.phone(BEN).set({ onNetwork: false });
    assert.equal((await ask('GET', `people/${BEN}`)).status, 404);
    assert.equal((await ask('GET', 'people/nobody')).body.code, 'INVALID_NUMBER');

    const other = Buffer.concat([JPEG, JPEG]);
    assert.equal((await put(other)).status, 200);
    const later = (await ask('GET', `people/${PHONE}`)).body.picture;
    assert.notEqual(later, first.picture);
    assert.equal((await api('GET', `/v1/media/${first.picture}`)).status, 404, 'the copy of the earlier picture is gone');
    assert.equal((await ask('POST', 'messages', { chat_id: ANNA, type: 'image', media_r2_key: later })).status, 202);
    assert.equal((await put(PNG)).status, 200, 'as for a group');
    const wide = sharp({ create: { width: 3_000, height: 1_000, channels: 3, background: 'red' } });
    assert.equal((await put(await wide.png().toBuffer())).status, 200);
    const shown = (await ask('GET', `people/${PHONE}`)).body.picture;
    const scaled = await fetch(`${gateway.node.url}/v1/media/${shown}`, { headers: { authorization: `Bearer ${tokens.token}` } });
    const { format, width, height } = await sharp(Buffer.from(await scaled.arrayBuffer())).metadata();
    assert.deepEqual([format, width, height], ['jpeg', 640, 640]);
    assert.deepEqual((await ask('DELETE', 'account/picture')).body, { ok: true });
    assert.equal((await ask('GET', `people/${PHONE}`)).body.picture, null);
    assert.equal(
      (await api('GET', '/v1/media')).body.media.some(({ key }: { key: string }) => key === later),
      true,
      'it was sent on',
    );
  });

  it('rejects incoming calls if configured to, and sends one text per call, even after a crash', async (t) => {
    const { gateway, ask, events } = await aLinkedDevice(t, kind);
    const { sandbox } = gateway;
    assert.deepEqual((await ask('GET', 'calls')).body, { reject: false, reject_text: null });
    sandbox.phone(ANNA).call({ to: PHONE });
    await events('call.received', 1);
    assert.deepEqual((await ask('PATCH', 'calls', { reject: true })).body, { reject: true, reject_text: null });
    assert.deepEqual((await ask('PATCH', 'calls', { reject_text: 'Please write to us' })).body, {
      reject: true,
      reject_text: 'Please write to us',
    });
    sandbox.phone(ANNA).call({ to: PHONE });
    await gateway.until('the call is rejected', () => sandbox.phone(ANNA).calls()[1]?.state === 'rejected');
    assert.equal(sandbox.phone(ANNA).calls()[0]?.state, 'ringing');
    const texts = () =>
      sandbox
        .phone(ANNA)
        .messages()
        .filter(({ content }) => content.type === 'text');
    await gateway.until('the text is there', () => texts().length === 1);

    sandbox.phone(BEN).call({ to: PHONE });
    const next = await gateway.crash();
    await next.until('the text is there', () => sandbox.phone(BEN).messages().length > 0);
    await next.clock.advance(120_000);
    assert.equal(sandbox.phone(BEN).messages().length, 1);
    assert.equal(texts().length, 1);
  });

  it('is changed only once even if the response is lost, and rejects requests while offline', async (t) => {
    const { gateway, ask, api, device, events } = await aLinkedDevice(t, kind);
    gateway.sandbox.device(PHONE).fault({ kind: 'unanswered', forMs: 20_000 });
    const lost = await ask('POST', 'blocklist', { phone: `+${ANNA}` });
    assert.deepEqual([lost.status, lost.body.code], [504, 'DEVICE_TIMEOUT']);
    await gateway.clock.advance(20_000);
    assert.equal((await ask('GET', 'blocklist')).body.blocklist.length, 1);
    assert.equal((await events('blocklist.changed', 1)).length, 1);
    gateway.sandbox.device(PHONE).fault({ kind: 'busy', forMs: 20_000 });
    const busy = await ask('GET', 'account');
    assert.deepEqual([busy.status, busy.headers.has('retry-after')], [429, true]);
    await api('POST', `${device.path}/disconnect`);
    assert.equal((await ask('GET', 'account')).body.code, 'NOT_CONNECTED');
    assert.deepEqual((await ask('GET', 'calls')).status, 200);
  });
});
