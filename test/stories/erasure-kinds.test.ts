import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import sharp from 'sharp';
import { replacingStore } from '../../scripts/faults/replacing-store.ts';
import type { Doc } from '../../store/port.ts';
import { upload } from '../actors/services/media/files.ts';
import { aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { eachStore, embedded } from '../support/stores.ts';

const DORA = '6281244440004';
const ANNA = '6281255550005';
type Row = Doc & Readonly<Record<string, unknown>>;

async function aShop(gateway: Gateway) {
  const tenant = await gateway.signUp();
  const device = await tenant.linked(PHONE);
  const post = async (path: string, body: object, headers?: Readonly<Record<string, string>>) => {
    const answer = await gateway.during(tenant.api('POST', path, body, headers));
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const uploaded = async (name: string): Promise<string> =>
    (await upload(gateway, tenant, Buffer.from(`the words of ${name}`), `${name}.txt`)).body.key;
  const erase = async () => {
    const { id } = await post('/v1/privacy/erasures', { phone: `+${DORA}`, confirm: true });
    return gateway.until('she is erased', async () => {
      const { body } = await tenant.api('GET', `/v1/privacy/erasures/${id}`);
      return body.status === 'done' ? body : null;
    });
  };
  const rows = (name: string): Promise<Row[]> => gateway.store.collection<Row>({ name, indexes: [] }).find({}).toArray();
  return { ...tenant, device, post, uploaded, erase, rows };
}

const picture = (width: number): Promise<Buffer> =>
  sharp({ create: { width, height: 4, channels: 3, background: 'red' } })
    .png()
    .toBuffer();

const tomorrow = (gateway: Gateway): number => gateway.clock.now() + 86_400_000;

eachStore('files that the business sent', (kind) => {
  it('are deleted with the erased person unless other records use them', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, device, post, uploaded, erase } = await aShop(gateway);
    const messages = `${device.path}/messages`;
    const send = async (to: string, key: string) => post(messages, { chat_id: to, type: 'document', media_r2_key: key });
    const recurring = { name: 'n', schedule_type: 'daily', timezone: 'Asia/Jakarta' };
    const names = ['only', 'twice', 'scheduled', 'repeated', 'shared', 'template', 'rule', 'campaign', 'later', 'series'] as const;
    const keys = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await uploaded(name)] as const)));
    for (const name of ['only', 'twice', 'twice', 'shared', 'template', 'rule', 'campaign', 'later', 'series'])
      await send(DORA, String(keys[name]));
    await send(ANNA, String(keys['shared']));
    const at = tomorrow(gateway);
    await post(`${device.path}/scheduled`, { chat_id: DORA, type: 'document', media_r2_key: keys['scheduled'], scheduled_at: at });
    await post(`${device.path}/scheduled`, { chat_id: ANNA, type: 'document', media_r2_key: keys['later'], scheduled_at: at });
    await post(`${device.path}/recurring`, { ...recurring, media_r2_key: keys['repeated'], targets: [`+${DORA}`] });
    await post(`${device.path}/recurring`, { ...recurring, media_r2_key: keys['series'], targets: [`+${DORA}`, `+${ANNA}`] });
    await post('/v1/templates', { name: 't', message_type: 'document', media_r2_key: keys['template'] });
    await post(`${device.path}/auto-reply`, {
      ...{ name: 'r', trigger_type: 'keyword', trigger_text: 'price', reply_type: 'document', reply_r2_key: keys['rule'] },
    });
    await post('/v1/blasts', {
      ...{
        session_id: device.id,
        name: 'b',
        message_type: 'document',
        media_r2_key: keys['campaign'],
        recipients: [{ phone: `+${ANNA}` }],
      },
    });
    await gateway.clock.advance(600_000);
    const { counts } = await erase();
    const left = new Set((await api('GET', '/v1/media')).body.media.map(({ key }: { key: string }) => key));
    assert.deepEqual(
      names.filter((name) => !left.has(keys[name])),
      ['only', 'twice', 'scheduled', 'repeated'],
    );
    assert.equal(counts.media, 4);
  });
});

eachStore('an erasure', (kind) => {
  it("removes the person's name from every audit entry about their data", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, device, post, erase, rows } = await aShop(gateway);
    await post(`${device.path}/messages`, { chat_id: DORA, type: 'text', body: 'Hello' });
    const chat = `${device.path}/chats/${DORA}`;
    await gateway.until('her chat is there', async () => (await api('GET', chat)).status === 200);
    const { id } = await post(`${device.path}/labels`, { name: 'New', color: 1 });
    assert.ok((await gateway.during(api('PUT', `${device.path}/labels/${id}/chats/${DORA}@s.whatsapp.net`, {}))).status < 300);
    await post(`${device.path}/blocklist`, { phone: `+${DORA}` });
    assert.equal((await gateway.during(api('DELETE', `${device.path}/blocklist/+${DORA}`))).status, 200);
    const { entries } = (await api('GET', `/v1/audit?target=${encodeURIComponent(`+${DORA}`)}`)).body;
    const things = entries.map(({ target }: { target: { kind: string } }) => target.kind);
    assert.deepEqual([...new Set(things)].sort(), ['blocklist', 'chat_label'], 'each is found by her number');
    await erase();
    assert.doesNotMatch(JSON.stringify(await rows('audit')), new RegExp(DORA));
    assert.equal((await api('GET', '/v1/audit/verify')).body.ok, true);
    assert.equal((await api('GET', chat)).status, 404);
  });

  it("removes the person's name from a contact card sent to another person", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, device, post, erase, rows } = await aShop(gateway);
    await post(`${device.path}/messages`, { chat_id: ANNA, type: 'contact', contact: { name: 'Dorothea', phone: `+${DORA}` } });
    const later = { chat_id: ANNA, type: 'contact', contact: { name: 'Dorothea', phone: `+${DORA}` }, scheduled_at: tomorrow(gateway) };
    await post(`${device.path}/scheduled`, later);
    await gateway.clock.advance(60_000);
    await erase();
    for (const name of ['messages', 'chats', 'scheduled', 'events'])
      assert.doesNotMatch(JSON.stringify(await rows(name)), /Dorothea|6281244440004/, name);
    const { messages } = (await api('GET', `${device.path}/messages?chat_id=${ANNA}`)).body;
    assert.equal(messages[0].body, 'erased');
  });

  it('removes the picture of a link preview if it was sent only to the person', async (t) => {
    const gateway = await aGateway(t, { kind });
    const shop = await aShop(gateway);
    const { api, device, post, erase } = shop;
    const uploaded = async (bytes: Buffer): Promise<string> => (await upload(gateway, shop, bytes, 'menu.png')).body.key;
    const [only, shared] = [await uploaded(await picture(1)), await uploaded(await picture(2))];
    const text = { type: 'text', body: 'See https://shop.example/menu' };
    const preview = (media_r2_key: string) => ({ link_preview: { title: 'Menu', media_r2_key } });
    const at = tomorrow(gateway);
    await post(`${device.path}/scheduled`, { ...text, chat_id: DORA, ...preview(only), scheduled_at: at });
    await post(`${device.path}/scheduled`, { ...text, chat_id: DORA, ...preview(shared), scheduled_at: at });
    await post(`${device.path}/scheduled`, { ...text, chat_id: ANNA, ...preview(shared), scheduled_at: at });
    await erase();
    const left = (await api('GET', '/v1/media')).body.media.map(({ key }: { key: string }) => key);
    assert.deepEqual(left, [shared]);
  });
});

eachStore('idempotency keys', (kind) => {
  it('contain no text from an erased person, and no hash from which it could be guessed', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, device, post, erase, rows } = await aShop(gateway);
    const key = (name: string) => ({ 'idempotency-key': name });
    const body = { chat_id: DORA, type: 'text', body: 'your secret pangolin' };
    await post(`${device.path}/messages`, body, key('one'));
    await post(`${device.path}/scheduled`, { ...body, scheduled_at: tomorrow(gateway) }, key('two'));
    const series = { name: 'n', message: 'secret pangolin again', schedule_type: 'daily', timezone: 'Asia/Jakarta' };
    await post(`${device.path}/recurring`, { ...series, targets: [`+${DORA}`] }, key('three'));
    const both = await post(`${device.path}/recurring`, { ...series, message: 'news', targets: [`+${DORA}`, `+${ANNA}`] }, key('four'));
    const kept = JSON.stringify(await rows('idempotency'));
    const asked = JSON.stringify([device.id, { body: body.body, chat_id: DORA, type: 'text' }]);
    assert.ok(kept.includes('pangolin') && !kept.includes(hash('sha256', asked)));
    for (const { fingerprint } of await rows('idempotency')) assert.doesNotMatch(String(fingerprint), /^[0-9a-f]{64}$/);
    await erase();
    const left = JSON.stringify(await rows('idempotency'));
    assert.doesNotMatch(left, new RegExp(`pangolin|${DORA}`));
    // A call about others is still answered as it was, without the person.
    const again = await api(
      'POST',
      `${device.path}/recurring`,
      { ...series, message: 'news', targets: [`+${DORA}`, `+${ANNA}`] },
      key('four'),
    );
    assert.deepEqual([again.body.id, again.body.targets], [both.id, [`${ANNA}@s.whatsapp.net`]]);
  });
});

it('an API key that is being created during an account deletion is rejected', async (t) => {
  const [stored, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHeld = false;
  const over: Parameters<typeof aGateway>[1]['over'] = (store) =>
    replacingStore(store, (name, raw) => ({
      async insertOne(row) {
        if (name === 'api_keys' && isHeld) {
          stored.resolve();
          await go.promise;
        }
        return raw.insertOne(row);
      },
    }));
  const gateway = await aGateway(t, { kind: embedded, over });
  const { api } = await gateway.signUp();
  isHeld = true;
  const made = api('POST', '/v1/api-keys', { name: 'late' });
  await stored.promise;
  assert.equal((await gateway.during(api('DELETE', '/v1/account', { confirm: true }))).status, 202);
  go.resolve();
  const { status, body } = await made;
  assert.deepEqual([status, body.code, body.key], [403, 'FORBIDDEN', undefined]);
  const keys = await gateway.store.collection<Row>({ name: 'api_keys', indexes: [] }).find({}).toArray();
  assert.deepEqual(
    keys.filter(({ revoked_at }) => revoked_at === null),
    [],
  );
});
