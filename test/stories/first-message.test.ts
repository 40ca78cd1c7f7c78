import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

eachStore("a business's first message", (kind) => {
  it('is sent over REST to a phone, is delivered and read, and gets a reply', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);

    const id = await device.text('+62 812-1111-0001', 'Hello Anna');
    const sent = await gateway.until('it is read', async () => {
      const message = await device.message(id);
      return message.status === 'read' && message;
    });
    assert.equal(sent.chat_id, `${ANNA}@s.whatsapp.net`);
    assert.ok(sent.created_at <= sent.sent_at && sent.sent_at <= sent.delivered_at && sent.delivered_at <= sent.read_at);
    const [received] = gateway.sandbox.phone(ANNA).messages();
    assert.equal(received?.netId, sent.wa_message_id);
    assert.deepEqual(received?.content, { type: 'text', body: 'Hello Anna' });

    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Hello Acme' }, quotes: sent.wa_message_id });
    const answer = await gateway.until('the answer is in the log', async () => {
      const { messages } = (await acme.api('GET', `${device.path}/messages?direction=inbound`)).body;
      return messages[0];
    });
    assert.equal(answer.body, 'Hello Acme');
    assert.equal(answer.chat_id, `${ANNA}@s.whatsapp.net`);
  });

  it('opens its chat while it waits for the device', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const { id } = (await acme.api('POST', '/v1/sessions', {})).body;
    const order = { chat_id: `+${ANNA}`, type: 'text', body: 'Hello Anna', connect_only: false };
    assert.equal((await acme.api('POST', `/v1/sessions/${id}/messages`, order)).status, 202);

    const path = `/v1/sessions/${id}/chats/${ANNA}@s.whatsapp.net`;
    assert.equal((await acme.api('GET', path)).body.last_message, 'Hello Anna');
    const { messages } = (await acme.api('GET', `${path}/messages`)).body;
    assert.deepEqual(
      messages.map(({ body, status }: { body: string; status: string }) => [body, status]),
      [['Hello Anna', 'queued']],
    );
  });
});
