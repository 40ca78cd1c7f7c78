import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { ANNA, aGateway } from '../support/gateway.ts';
import { NUMBER } from '../support/official.ts';
import { eachStore } from '../support/stores.ts';

eachStore('a number moving between platforms', (kind) => {
  it('keeps its device id and chats when it moves to the official platform and back', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { sandbox, clock } = gateway;
    clock.waitWhile(() => sandbox.official.isBusy, 'the official platform');
    const verbs = sandboxVerbs(sandbox);
    const acme = await gateway.signUp();
    const shop = await acme.linked(NUMBER);
    const session = async () => (await acme.api('GET', shop.path)).body;
    const bodies = async () => {
      const { messages } = (await acme.api('GET', `${shop.path}/messages?chat_id=${ANNA}&limit=50`)).body;
      return messages.map(({ body }: { body: string }) => body).sort();
    };
    const { id: before } = verbs.write(ANNA, { to: NUMBER, body: 'Before' });
    await gateway.until('it came', async () => (await bodies()).join() === 'Before');
    const old = (await acme.api('GET', `${shop.path}/messages?wa_message_id=${before}`)).body.messages[0];
    const answered = await shop.text(ANNA, 'Answer');
    await gateway.until('it is sent', async () => (await shop.message(answered)).status !== 'queued');

    // The account on the phone is deleted, so that the platform takes the number.
    verbs.fault(NUMBER, { kind: 'logout' });
    await gateway.until('it is logged out', async () => (await session()).status !== 'connected');
    const keys = verbs.createOfficial({ phone_number: NUMBER });
    const incomplete = await acme.api('PATCH', shop.path, { official: { access_token: keys.access_token } });
    assert.deepEqual([incomplete.status, incomplete.body.code], [400, 'VALIDATION_FAILED']);
    const moved = await acme.api('PATCH', shop.path, { official: keys });
    assert.deepEqual([moved.status, moved.body.driver, moved.body.id], [200, 'official', shop.id]);
    assert.ok(moved.body.verify_token);
    await acme.api('POST', `${shop.path}/connect`);
    await gateway.until('it is connected', async () => (await session()).status === 'connected' && (await session()).official.can_send);
    assert.deepEqual(await bodies(), ['Answer', 'Before']);

    // The window begins empty, and what was written before cannot be quoted.
    const text = { chat_id: ANNA, type: 'text', body: 'Hello' };
    const closed = await acme.api('POST', `${shop.path}/messages`, text);
    assert.deepEqual([closed.status, closed.body.code, closed.body.closed_at], [409, 'WINDOW_CLOSED', null]);
    verbs.write(ANNA, { to: NUMBER, body: 'Again' });
    await gateway.until('it came', async () => (await bodies()).join() === 'Again,Answer,Before');
    const quoting = await acme.api('POST', `${shop.path}/messages`, { ...text, reply_to: old.id });
    assert.equal(quoting.status, 202, JSON.stringify(quoting.body));
    await gateway.until('it is read', async () => (await shop.message(quoting.body.id)).status === 'read');
    const [shown] = verbs.messages(ANNA).messages.filter(({ body }) => body === 'Hello');
    assert.equal(shown?.reply_to ?? null, null);

    const back = await acme.api('PATCH', shop.path, { official: null });
    assert.deepEqual([back.status, back.body.driver, back.body.official], [200, 'linked', null]);
    await acme.api('POST', `${shop.path}/connect`);
    await gateway.until('a code is ready', async () => (await session()).status === 'qr_ready');
    verbs.scan(NUMBER, { qr: (await acme.api('GET', `${shop.path}/qr`)).body.qr });
    await gateway.until('it is linked', async () => (await session()).status === 'connected');
    assert.deepEqual(await bodies(), ['Again', 'Answer', 'Before', 'Hello']);
    const linked = await shop.text(ANNA, 'Linked');
    await gateway.until('it is sent', async () => (await shop.message(linked)).status !== 'queued');
  });
});
