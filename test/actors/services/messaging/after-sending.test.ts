import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { LimitsInMemory } from '../../../../http/limits/limits.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';

const SECOND = 1_000;
const BEN = '6281211110002';

eachStore('a sent message', (kind) => {
  it('can be retried under the same id after a failure', async (t) => {
    const { gateway, device, api } = await aWebhookFixture(t, kind);
    gateway.sandbox.device(PHONE).fault({ kind: 'refuse', forMs: 10 * SECOND });
    const id = await device.text(ANNA, 'Hi');
    const failed = await gateway.until('it failed', async () =>
      (await device.message(id)).status === 'failed' ? device.message(id) : null,
    );
    assert.equal(failed.error, 'refused_479');
    await gateway.clock.advance(20 * SECOND);

    const retried = await api('POST', `${device.path}/messages/${id}/retry`);
    assert.deepEqual([retried.status, retried.body.status, retried.body.error], [202, 'queued', null]);
    await gateway.until('it is read', async () => (await device.message(id)).status === 'read');
    assert.equal((await device.message(id)).wa_message_id, failed.wa_message_id);
    assert.equal((await api('POST', `${device.path}/messages/${id}/retry`)).body.code, 'CONFLICT');
    assert.deepEqual(textsOn(gateway, ANNA), ['Hi']);
  });

  it('arrives only once, even if it is retried after an unknown outcome', async (t) => {
    const { gateway, device, api } = await aWebhookFixture(t, kind);
    const id = await device.text(ANNA, 'Hi');
    await gateway.until('it is read', async () => (await device.message(id)).status === 'read');
    const rows = gateway.store.collection({ name: 'messages', indexes: [] });
    await rows.updateOne({ _id: id }, { $set: { status: 'failed', error: 'unknown_outcome' } });
    assert.equal((await api('POST', `${device.path}/messages/${id}/retry`)).status, 202);
    await gateway.until('it is sent', async () => (await device.message(id)).status === 'sent');
    assert.equal(gateway.sandbox.journal.of('duplicate').filter(({ to }) => to?.startsWith(ANNA)).length, 1);
    assert.deepEqual(textsOn(gateway, ANNA), ['Hi']);
  });

  it('can be cancelled once while it is queued, and its quota is refunded', async (t) => {
    const { device, api } = await aWebhookFixture(t, kind, 2);
    await api('POST', `${device.path}/disconnect`);
    const send = async (body: string) => (await api('POST', `${device.path}/messages`, { ...hi(body), connect_only: false })).body;
    const first = await send('one');
    assert.equal((await send('two')).status, 'queued');
    const over = await send('three');
    assert.equal(over.status, 'failed');
    assert.equal((await api('POST', `${device.path}/messages/${over.id}/retry`)).body.error, 'quota_exceeded');

    const cancelled = await api('POST', `${device.path}/messages/${first.id}/cancel`);
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled']);
    assert.equal((await api('POST', `${device.path}/messages/${first.id}/cancel`)).body.code, 'CONFLICT');
    assert.equal((await api('POST', `${device.path}/messages/${over.id}/retry`)).body.status, 'queued');
  });

  it('can be forwarded to another chat', async (t) => {
    const { gateway, device, api } = await aWebhookFixture(t, kind);
    const body = { chat_id: ANNA, type: 'poll', poll_name: 'Lunch?', choices: ['Yes', 'No'] };
    const { id } = (await api('POST', `${device.path}/messages`, body)).body;
    const forwarded = await api('POST', `${device.path}/messages/${id}/forward`, { chat_id: BEN });
    assert.equal(forwarded.status, 202);
    await gateway.until('it is there', () => gateway.sandbox.phone(BEN).messages().length === 1);
    assert.deepEqual(gateway.sandbox.phone(BEN).messages()[0]?.content, { type: 'poll', name: 'Lunch?', choices: ['Yes', 'No'] });
  });

  it('cannot be retried, cancelled or forwarded if its id is unknown (404)', async (t) => {
    const { device, api } = await aWebhookFixture(t, kind);
    const nobody = `${device.path}/messages/01JZX5ZB4T8QKX3N9V7C2M6D1E`;
    for (const [verb, body] of [['retry'], ['cancel'], ['forward', { chat_id: BEN }]] as const)
      assert.equal((await api('POST', `${nobody}/${verb}`, body)).status, 404);
  });
});

eachStore('an outgoing message', (kind) => {
  it('fails as expired if its expiry passes before it is sent', async (t) => {
    const { gateway, device, api } = await aWebhookFixture(t, kind);
    await api('POST', `${device.path}/disconnect`);
    const until = (ms: number) => ({ expires_at: gateway.clock.now() + ms, connect_only: false });
    const late = await device.text(ANNA, 'late', until(5 * SECOND));
    const timely = await device.text(ANNA, 'timely', until(600 * SECOND));
    await gateway.clock.advance(10 * SECOND);
    await api('POST', `${device.path}/connect`);
    await gateway.until('the other is read', async () => (await device.message(timely)).status === 'read');
    const { status, error, expires_at } = await device.message(late);
    assert.deepEqual([status, error, typeof expires_at], ['failed', 'expired', 'number']);
    assert.equal((await api('POST', `${device.path}/messages/${late}/retry`)).body.code, 'CONFLICT');
    assert.deepEqual(textsOn(gateway, ANNA), ['timely']);
  });

  it('fails as expired, with an event, even if its device is offline or was never linked', async (t) => {
    const { gateway, device, api } = await aWebhookFixture(t, kind);
    await api('POST', `${device.path}/disconnect`);
    const { id: young } = (await api('POST', '/v1/sessions', {})).body;
    const late = { chat_id: ANNA, type: 'text', body: 'late', connect_only: false, expires_at: gateway.clock.now() + 5 * SECOND };
    const paths = [];
    for (const path of [device.path, `/v1/sessions/${young}`]) {
      const { id } = (await api('POST', `${path}/messages`, late)).body;
      paths.push(`${path}/messages/${id}`);
    }
    await gateway.clock.advance(4 * SECOND);
    for (const path of paths) assert.equal((await api('GET', path)).body.status, 'queued');
    for (const path of paths) await gateway.until('it failed', async () => (await api('GET', path)).body.error === 'expired');
    const told = async () =>
      (await api('GET', '/v1/events/pull')).body.events.filter(({ type }: { type: string }) => type === 'message.failed');
    const events = await gateway.until('both are told', async () => (await told()).length === 2 && told());
    for (const { data } of events) assert.deepEqual([data.status, data.error], ['failed', 'expired']);
  });

  it('can mention people by hidden address or number', async (t) => {
    const { gateway, device } = await aWebhookFixture(t, kind);
    const id = await device.text(ANNA, '@Ben look', { mentions: ['+62 812-1111-0002'], link_preview: false });
    await gateway.until('it is there', () => gateway.sandbox.phone(ANNA).messages().length === 1);
    assert.deepEqual(gateway.sandbox.phone(ANNA).messages()[0]?.mentions, [`${BEN}@s.whatsapp.net`]);
    assert.equal((await device.message(id)).link_preview, false);
  });

  it('is accepted or rejected independently of the other messages in a bulk send', async (t) => {
    const { gateway, device, api } = await aWebhookFixture(t, kind);
    const messages = [hi('a'), { ...hi('b'), chat_id: '12' }, { chat_id: ANNA, type: 'text' }, hi('c')];
    const { status, body } = await api('POST', `${device.path}/messages/bulk`, { messages });
    assert.equal(status, 202);
    const said = body.results.map((one: { status?: string; code?: string }) => one.status ?? one.code);
    assert.deepEqual(said, ['queued', 'INVALID_NUMBER', 'VALIDATION_FAILED', 'queued']);
    await gateway.until('both are there', () => gateway.sandbox.phone(ANNA).messages().length === 2);

    const { key } = (await api('POST', '/v1/api-keys', { name: 'shop' })).body;
    const many = (count: number) =>
      gateway.as(key)('POST', `${device.path}/messages/bulk`, { messages: Array.from({ length: count }, () => hi('x')) });
    assert.equal((await many(101)).status, 400);
    assert.equal((await many(100)).status, 202);
    assert.deepEqual([(await many(1)).status, (await many(1)).status], [202, 429]);
  });
});

const hi = (body: string) => ({ chat_id: ANNA, type: 'text', body });

async function aWebhookFixture(scope: Parameters<typeof aGateway>[0], kind: Parameters<typeof aGateway>[1]['kind'], quota = 1_000) {
  const gateway = await aGateway(scope, {
    kind,
    limits: new LimitsInMemory(),
    config: { plans: plansFrom({ free: { messages: quota } }) },
  });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  return { gateway, device, api: acme.api };
}

const textsOn = ({ sandbox }: Gateway, phone: string): string[] =>
  sandbox
    .phone(phone)
    .messages(200)
    .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []));
