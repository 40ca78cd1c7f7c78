import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type MessageRow, messagesSpec } from '../../store/messaging/messages.ts';
import { ANNA, aGateway, type Device, type Gateway, PHONE, type Tenant } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const MINUTE = 60_000;
const OTHER = '6281100000002';

eachStore('a message that is being sent when its number is logged out', (kind) => {
  it('fails with unknown_outcome, even if no phone is ever linked again', async (t) => {
    const { gateway, acme, device, id } = await onItsWay(await aGateway(t, { kind }));
    await gateway.during(acme.api('POST', `${device.path}/logout`));
    await gateway.until('it ended', async () => (await device.message(id)).status === 'failed');
    const { events } = (await acme.api('GET', '/v1/events/pull')).body;
    const failed = events.filter(({ type }: { readonly type: string }) => type === 'message.failed');
    assert.deepEqual(
      failed.map(({ data }: { readonly data: { readonly message_id: string; readonly error: string } }) => [data.message_id, data.error]),
      [[id, 'unknown_outcome']],
    );
  });

  it('fails with unknown_outcome if the number is banned', async (t) => {
    const { gateway, device, id } = await onItsWay(await aGateway(t, { kind }));
    gateway.sandbox.device(PHONE).fault({ kind: 'ban' });
    await gateway.until('it ended', async () => (await device.message(id)).error === 'unknown_outcome');
  });

  it('is not sent again from another number', async (t) => {
    const { gateway, acme, device, id } = await onItsWay(await aGateway(t, { kind }));
    await gateway.during(acme.api('POST', `${device.path}/logout`));
    await links(gateway, acme, device, OTHER);
    await gateway.clock.advance(2 * MINUTE);
    assert.deepEqual(textsOf(gateway), ['once only']);
    assert.equal((await device.message(id)).error, 'unknown_outcome');
  });

  it('is not sent from another number even if the process crashed before the message was marked as failed', async (t) => {
    const { gateway, acme, device, id } = await onItsWay(await aGateway(t, { kind }));
    await gateway.during(acme.api('POST', `${device.path}/logout`));
    await gateway.until('it ended', async () => (await device.message(id)).status === 'failed');
    const messages = gateway.store.collection<MessageRow>(messagesSpec);
    await messages.updateOne({ _id: id }, { $set: { status: 'sending', error: null } });
    await links(gateway, acme, device, OTHER);
    await gateway.clock.advance(2 * MINUTE);
    assert.deepEqual(textsOf(gateway), ['once only']);
    assert.equal((await device.message(id)).error, 'unknown_outcome');
  });

  it('is not sent from another number by a retry, before or after that number is linked', async (t) => {
    const { gateway, acme, device, id } = await onItsWay(await aGateway(t, { kind }));
    await gateway.during(acme.api('POST', `${device.path}/logout`));
    await gateway.until('it ended', async () => (await device.message(id)).status === 'failed');
    const retry = () => acme.api('POST', `${device.path}/messages/${id}/retry`);
    assert.equal((await retry()).body.status, 'queued');
    await links(gateway, acme, device, OTHER);
    await gateway.until('it ended again', async () => (await device.message(id)).error === 'unknown_outcome');
    assert.equal((await retry()).body.status, 'queued');
    await gateway.until('and again', async () => (await device.message(id)).error === 'unknown_outcome');
    await gateway.clock.advance(2 * MINUTE);
    assert.deepEqual(textsOf(gateway), ['once only']);
  });

  it('is sent again from the same number when it is retried, and is delivered once', async (t) => {
    const { gateway, acme, device, id } = await onItsWay(await aGateway(t, { kind }));
    await gateway.during(acme.api('POST', `${device.path}/logout`));
    await gateway.until('it ended', async () => (await device.message(id)).status === 'failed');
    await links(gateway, acme, device, PHONE);
    await acme.api('POST', `${device.path}/messages/${id}/retry`);
    await gateway.until('it is sent', async () => (await device.message(id)).status === 'sent');
    assert.deepEqual(textsOf(gateway), ['once only']);
  });
});

/** Anna has a message, and the device does not know that. */
async function onItsWay(gateway: Gateway) {
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  gateway.sandbox.device(PHONE).fault({ kind: 'slow', forMs: 20_000 });
  const id = await device.text(ANNA, 'once only');
  await gateway.until('the network has it', () => textsOf(gateway).length === 1);
  return { gateway, acme, device, id };
}

async function links(gateway: Gateway, { api }: Tenant, { path, status }: Device, phone: string): Promise<void> {
  await api('POST', `${path}/connect`);
  const qr = await gateway.until('a code', async () => (await api('GET', `${path}/qr`)).body.qr);
  gateway.sandbox.phone(phone).scan({ qr });
  await gateway.until('it is online', async () => (await status()) === 'connected');
}

const textsOf = ({ sandbox }: Gateway): readonly string[] =>
  sandbox
    .phone(ANNA)
    .messages()
    .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []));
