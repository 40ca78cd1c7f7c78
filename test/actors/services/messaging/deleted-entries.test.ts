import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aSchedulingFixture, textsOn } from '../scheduling/scheduling-fixture.ts';

const SECOND = 1_000;

eachStore('the log entry of an unsent message', (kind) => {
  it('can be deleted, which removes the text and refunds the quota', async (t) => {
    const { api, device, gateway } = await aSchedulingFixture(t, kind);
    const used = async () => (await api('GET', '/v1/usage')).body.messages.used;
    const remove = async (id: string) => (await api('DELETE', `${device.path}/messages/${id}`)).status;
    gateway.sandbox.device(PHONE).fault({ kind: 'refuse', forMs: 5 * SECOND });
    const failed = await device.text(ANNA, 'refused');
    await gateway.until('it failed', async () => (await device.message(failed)).status === 'failed');
    await api('POST', `${device.path}/disconnect`);
    const [waits, cancelled] = [
      await device.text(ANNA, 'waits', { connect_only: false }),
      await device.text(ANNA, 'cancelled', { connect_only: false }),
    ];
    await api('POST', `${device.path}/messages/${cancelled}/cancel`);
    const before = await used();
    for (const id of [failed, waits, cancelled]) {
      assert.equal(await remove(id), 200);
      const { status, body } = await device.message(id);
      assert.deepEqual([status, body], ['deleted', null]);
    }
    assert.equal(await used(), before - 1, 'only the one that waited still held quota');
    assert.equal((await api('GET', `${device.path}/queue`)).body.depth, 0);
    assert.equal(await remove(failed), 409);
    assert.deepEqual(textsOn(gateway, ANNA), []);
  });

  it('marks the scheduled message as failed when it is deleted', async (t) => {
    const { api, device, gateway } = await aSchedulingFixture(t, kind);
    const scheduled_at = gateway.clock.now() + 60 * SECOND;
    const { id } = (await api('POST', `${device.path}/scheduled`, { chat_id: ANNA, type: 'text', body: 'later', scheduled_at })).body;
    await api('POST', `${device.path}/disconnect`);
    const at = `${device.path}/scheduled/${id}`;
    const message = await gateway.until('it waits', async () => (await api('GET', `${device.path}/queue`)).body.queue[0]?.id);
    assert.equal((await api('DELETE', `${device.path}/messages/${message}`)).status, 200);
    await gateway.until('it ends', async () => (await api('GET', at)).body.status === 'failed');
  });
});

eachStore('the log entry of a received message', (kind) => {
  it('can be deleted, and its text then disappears from the log and the inbox', async (t) => {
    const { api, device, gateway } = await aSchedulingFixture(t, kind);
    const phone = gateway.sandbox.phone(ANNA);
    phone.write({ to: PHONE, content: { type: 'text', body: 'my secret' } });
    const entries = async () => (await api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
    const [{ id, chat_id }] = await gateway.until('it arrived', async () => (await entries()).length === 1 && (await entries()));
    await api('POST', `${device.path}/disconnect`);
    assert.equal((await api('DELETE', `${device.path}/messages/${id}`)).status, 200);
    const { status, body } = await device.message(id);
    assert.deepEqual([status, body], ['deleted', null]);
    assert.deepEqual((await api('GET', `${device.path}/messages?q=secret`)).body.messages, []);
    await gateway.until('the inbox does not show it', async () => {
      return !JSON.stringify((await api('GET', `${device.path}/chats/${chat_id}`)).body).includes('secret');
    });
    assert.equal((await api('DELETE', `${device.path}/messages/${id}`)).status, 409);
  });
});

eachStore('the log entry of a reaction', (kind) => {
  it("can be deleted together with the person's earlier reactions, but phones keep the reaction", async (t) => {
    const { api, device, gateway } = await aSchedulingFixture(t, kind);
    const anna = gateway.sandbox.phone(ANNA);
    const id = await device.text(ANNA, 'Done!');
    await gateway.until('it is read', async () => (await device.message(id)).status === 'read');
    const { wa_message_id: target } = await device.message(id);
    const reactions = async (): Promise<readonly { id: string }[]> =>
      (await api('GET', `${device.path}/messages?type=reaction`)).body.messages;
    const shown = async () => ((await device.message(id)).reactions ?? []).map(({ emoji }: { emoji: string }) => emoji);
    for (const [nth, emoji] of ['👍', '❤️'].entries()) {
      anna.do({ to: PHONE, target, act: { kind: 'reaction', emoji } });
      await gateway.until('it is in the log', async () => (await reactions()).length === nth + 1);
    }
    await gateway.during(api('POST', `${device.path}/messages/${id}/reaction`, { emoji: '🎉' }));
    assert.deepEqual(await shown(), ['❤️', '🎉']);
    await api('POST', `${device.path}/disconnect`);
    const [ours, latest, earlier] = await reactions();
    for (const [entry, left] of [
      [latest, ['🎉']],
      [earlier, ['🎉']],
      [ours, []],
    ] as const) {
      assert.equal((await api('DELETE', `${device.path}/messages/${entry!.id}`)).status, 200);
      const { status, body } = await device.message(entry!.id);
      assert.deepEqual([status, body, await shown()], ['deleted', null, [...left]]);
    }
    assert.deepEqual([...anna.receipts(target).reactions.values()], ['❤️', '🎉']);
    assert.equal((await api('DELETE', `${device.path}/messages/${ours!.id}`)).status, 409);
  });
});
