import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { pngOf } from '../actors/services/media/files.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { embedded } from '../support/stores.ts';

it("message events include the message's network id and file", async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const tenant = await gateway.signUp();
  const device = await tenant.linked(PHONE);
  const names = 'message.received,message.sent,message.read,message.reaction';
  const pull = async () => (await tenant.api('GET', `/v1/events/pull?limit=200&events=${names}`)).body.events;
  await pull();
  const event = (type: string) =>
    gateway.until(`${type} is told`, async () => (await pull()).find((one: { type: string }) => one.type === type)?.data);

  const key = { 'Idempotency-Key': 'once' };
  const text = { chat_id: ANNA, type: 'text', body: 'Done!' };
  const sent = await tenant.api('POST', `${device.path}/messages`, text, key);
  assert.deepEqual([sent.status, sent.body.wa_message_id], [202, null]);
  const read = await event('message.read');
  const { netId } = gateway.sandbox.phone(ANNA).messages(1)[0]!;
  assert.deepEqual([read.wa_message_id, (await event('message.sent')).wa_message_id], [netId, netId]);
  const again = await tenant.api('POST', `${device.path}/messages`, text, key);
  assert.deepEqual([again.body.idempotent_replay, again.body.wa_message_id], [true, null], 'the earlier result');

  gateway.sandbox.phone(ANNA).do({ to: PHONE, target: netId, act: { kind: 'reaction', emoji: '👍' } });
  const reaction = await event('message.reaction');
  assert.equal(reaction.target_wa_message_id, netId);
  assert.ok(reaction.wa_message_id && reaction.wa_message_id !== netId);

  const picture = { base64: pngOf(1_000).toString('base64'), filename: 'a.png' };
  sandboxVerbs(gateway.sandbox).write(ANNA, { to: PHONE, type: 'image', body: 'look', file: picture });
  const { media, message_id } = await event('message.received');
  const entry = await device.message(message_id);
  assert.deepEqual([media.key, media.content_type, media.size], [entry.media_r2_key, 'image/png', entry.media.size]);
  assert.deepEqual(Object.keys(media), ['key', 'content_type', 'size', 'filename', 'seconds', 'width', 'height']);
});
