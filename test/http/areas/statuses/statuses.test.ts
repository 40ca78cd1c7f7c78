import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore, type StoreKind } from '../../../support/stores.ts';

const BUDI = '6281211110003';
const CITRA = '6281211110004';
const STORIES = 'status@broadcast';

async function aShop(t: TestContext, kind: StoreKind) {
  const gateway = await aGateway(t, { kind });
  const tenant = await gateway.signUp();
  const device = await tenant.linked(PHONE);
  const ask = (method: string, rest: string, body?: unknown, headers?: Record<string, string>) =>
    gateway.during(tenant.api(method, `${device.path}/${rest}`, body, headers));
  const phones = sandboxVerbs(gateway.sandbox);
  const storiesOn = (phone: string) => phones.messages(phone).messages.filter(({ to }) => to === STORIES);
  return { gateway, tenant, device, ask, phones, storiesOn };
}

eachStore('statuses', (kind) => {
  it('are visible to their recipients for a day, show who viewed them, and can be deleted', async (t) => {
    const { gateway, ask, phones, storiesOn, tenant, device } = await aShop(t, kind);
    await tenant.api('POST', '/v1/contacts', { phone: ANNA, name: 'Anna of accounting' });
    const body = { type: 'text', body: 'Fresh bread', background_color: '#0B7261', recipients: [`+${ANNA}`, `+${BUDI}`] };
    const sent = await ask('POST', 'status', body, { 'idempotency-key': 'bread' });
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    const replay = await ask('POST', 'status', body, { 'idempotency-key': 'bread' });
    assert.deepEqual([replay.body.id, replay.body.idempotent_replay], [sent.body.id, true]);
    const shown = await gateway.until('Anna sees it', () => storiesOn(ANNA)[0]);
    assert.deepEqual(
      [shown.body, shown.background_color, storiesOn(BUDI).length, storiesOn(CITRA).length],
      ['Fresh bread', '#0B7261', 1, 0],
    );
    phones.act(ANNA, { act: 'view', message_id: shown.id });
    const { views, view_count, ...status } = await gateway.until('the view is told', async () => {
      const { body } = await ask('GET', `status/${sent.body.id}`);
      return body.views.length > 0 && body;
    });
    assert.deepEqual([status.type, status.body, status.status, status.audience], ['text', 'Fresh bread', 'sent', 2]);
    assert.deepEqual([view_count, views[0].phone, views[0].name], [1, ANNA, 'Anna of accounting']);
    const { status: listed, next_before } = (await ask('GET', 'status?limit=1')).body;
    assert.deepEqual([listed.length, listed[0].view_count, listed[0].views.length, next_before], [1, 1, 1, null]);
    assert.deepEqual((await tenant.api('GET', `${device.path}/messages`)).body.messages, []);
    assert.deepEqual((await tenant.api('GET', '/v1/inbox')).body.chats, []);
    assert.equal((await ask('GET', `messages/${sent.body.id}`)).status, 404);
    assert.equal((await ask('DELETE', `status/${sent.body.id}`)).status, 200);
    await gateway.until('its text is gone', () => storiesOn(ANNA)[0]?.body === null && storiesOn(BUDI)[0]?.body === null);
    assert.deepEqual((await ask('GET', 'status')).body.status, []);
    assert.equal((await ask('GET', `status/${sent.body.id}`)).status, 404);
    const usage = (await tenant.api('GET', '/v1/usage')).body;
    assert.equal(usage.messages.used, 1);
  });

  it('are sent to all chats except opted-out people if no recipients are named', async (t) => {
    const { gateway, ask, phones, storiesOn, tenant } = await aShop(t, kind);
    const none = await ask('POST', 'status', { type: 'text', body: 'Hi' });
    assert.deepEqual([none.status, none.body.code], [400, 'VALIDATION_FAILED']);
    phones.write(ANNA, { to: PHONE, body: 'Hello' });
    phones.write(BUDI, { to: PHONE, body: 'STOP' });
    await gateway.until('both have a chat', async () => (await tenant.api('GET', '/v1/inbox')).body.chats.length === 2);
    const sent = await ask('POST', 'status', { type: 'text', body: 'Hi' });
    assert.deepEqual([sent.status, sent.body.warnings?.map(({ code }: { code: string }) => code)], [202, ['RECIPIENT_OPTED_OUT']]);
    await gateway.until('Anna sees it', () => storiesOn(ANNA).length === 1);
    assert.deepEqual(storiesOn(BUDI), []);
    const out = await ask('POST', 'status', { type: 'text', body: 'Hi', recipients: [`+${BUDI}`] });
    assert.deepEqual([out.status, out.body.code], [409, 'RECIPIENT_OPTED_OUT']);
    for (const body of [
      { type: 'text' },
      { type: 'image', body: 'no file' },
      { type: 'audio', body: 'x' },
      { type: 'text', body: 'x', media_r2_key: 'k' },
    ])
      assert.equal((await ask('POST', 'status', body)).status, 400, JSON.stringify(body));
  });

  it('are not sent to people who opted out while their device was offline', async (t) => {
    const { gateway, ask, phones, storiesOn, tenant, device } = await aShop(t, kind);
    phones.fault(PHONE, { kind: 'drop', for_ms: 60_000 });
    await gateway.until('it is offline', async () => (await device.status()) !== 'connected');
    const publish = (...phonesOf: string[]) =>
      ask('POST', 'status', { type: 'text', body: 'Hi', recipients: phonesOf.map((phone) => `+${phone}`) });
    const [both, alone] = [await publish(ANNA, BUDI), await publish(BUDI)];
    assert.deepEqual([both.status, alone.status], [202, 202], JSON.stringify(both.body));
    assert.equal((await tenant.api('PUT', `/v1/consent/+${BUDI}`, { status: 'opted_out' })).status, 200);
    await gateway.clock.advance(120_000);
    await gateway.until('Anna sees it', () => storiesOn(ANNA).length === 1);
    const failed = await gateway.until('the other one is given up', async () => {
      const { body } = await ask('GET', `status/${alone.body.id}`);
      return body.status === 'failed' && body;
    });
    assert.equal(failed.status, 'failed');
    assert.deepEqual(storiesOn(BUDI), []);
  });

  it('trigger an event if the network rejects them', async (t) => {
    const { gateway, ask, phones, tenant } = await aShop(t, kind);
    const events = ['status.failed', 'message.sent', 'message.failed'];
    await tenant.api('POST', '/v1/webhooks', { url: 'https://example.com/hook', secret: 's'.repeat(32), events });
    phones.fault(PHONE, { kind: 'refuse', for_ms: 60_000 });
    const sent = await ask('POST', 'status', { type: 'text', body: 'Hi', recipients: [`+${ANNA}`] });
    const told = await gateway.until('it is told', async () => {
      const { body } = await tenant.api('GET', '/v1/events/pull?limit=200');
      const all = body.events.filter(({ type }: { type: string }) => events.includes(type));
      return all.length > 0 && all;
    });
    assert.deepEqual(
      told.map(({ type, data }: { type: string; data: Record<string, unknown> }) => [type, data['status_id'], data['error']]),
      [['status.failed', sent.body.id, 'refused_479']],
    );
    assert.equal((await ask('GET', `status/${sent.body.id}`)).body.status, 'failed');
  });
});
