import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const EVE = '6281211110009';

eachStore("a stranger's message that reuses a network id", (kind) => {
  it('does not hide, change, delete or mark the original message, whichever arrives first', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const device = await linked(PHONE);
    const verbs = sandboxVerbs(gateway.sandbox);
    const writes = (who: string, body: string, id: string, to = PHONE) => verbs.write(who, { to, body, wa_message_id: id });
    const listed = async () => (await api('GET', `${device.path}/messages?limit=100`)).body.messages;
    const came = (count: number) => gateway.until(`${count} messages`, async () => (await listed()).length === count && listed());
    const full = async (body: string) => {
      const found = (await listed()).find((one: { body: string }) => one.body === body);
      return found && device.message(found.id);
    };

    await gateway.sandbox.phone(ANNA).set({ online: false });
    const ours = await device.text(ANNA, 'Pay to account 1');
    const sent = await gateway.until('it has left', async () => {
      const message = await device.message(ours);
      return message.status === 'sent' && message;
    });
    writes(EVE, 'Pay to account 9', sent.wa_message_id);
    await came(2);
    const group = gateway.sandbox.createGroup([ANNA, EVE, PHONE]);
    writes(EVE, 'Eve was first', 'SAME');
    await came(3);
    writes(ANNA, 'Anna in the group', 'SAME', group);
    writes(EVE, 'Eve in the group', 'SAME', group);
    writes(ANNA, 'Anna alone', 'SAME');
    await came(6);

    for (const [to, target] of [
      [PHONE, sent.wa_message_id],
      [PHONE, 'SAME'],
      [group, 'SAME'],
    ] as const) {
      verbs.write(EVE, { to, type: 'edit', body: `Eve edits in ${to}`, target });
      await gateway.clock.advance(1_000);
      verbs.write(EVE, { to, type: 'delete', target });
    }
    verbs.write(EVE, { to: PHONE, type: 'reaction', body: '😡', target: sent.wa_message_id });
    await gateway.until('what Eve wrote is deleted', async () => {
      const deleted = (await listed()).filter(({ status }: { status: string }) => status === 'deleted');
      return deleted.length === 3;
    });
    assert.deepEqual([(await device.message(ours)).status, (await device.message(ours)).body], ['sent', 'Pay to account 1']);
    assert.deepEqual((await device.message(ours)).reactions ?? [], []);
    for (const body of ['Anna in the group', 'Anna alone']) assert.equal((await full(body))?.status, 'delivered');

    const reply = await device.text(ANNA, 'Yes', { reply_to: (await full('Anna alone')).id });
    assert.equal((await device.message(reply)).reply_to, (await full('Anna alone')).id);
    verbs.write(ANNA, { to: PHONE, type: 'edit', body: 'Anna edits', target: 'SAME' });
    await gateway.until('it is edited', () => full('Anna edits'));
    assert.equal((await full('Anna in the group'))?.status, 'delivered');

    const { events } = (await api('GET', '/v1/events/pull?limit=200')).body;
    const received = events.filter(({ type }: { type: string }) => type === 'message.received');
    assert.equal(received.length, 5);
    const named = (await api('GET', `${device.path}/messages?wa_message_id=SAME`)).body.messages;
    assert.equal(named.length, 4);
    await gateway.sandbox.phone(ANNA).set({ online: true });
    verbs.write(ANNA, { to: PHONE, type: 'reaction', body: '👍'.repeat(10_000), target: sent.wa_message_id });
    const emoji = async () => (await device.message(ours)).reactions?.[0]?.emoji;
    assert.equal(await gateway.until('a reaction that is no emoji is cut', emoji), '👍'.repeat(16));
    await gateway.until('Anna has it', async () => (await device.message(ours)).status === 'read');
  });
});
