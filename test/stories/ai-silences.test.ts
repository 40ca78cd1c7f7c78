import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hired } from '../actors/services/agents/agents-fixture.ts';
import { ANSWERS, anAiShop, SARI, TONO } from '../actors/services/ai-reply/ai-fixture.ts';
import { eachStore } from '../support/stores.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const QUESTION = 'jam buka toko?';
const DEWI = '6281211110003';

eachStore('AI replies', (kind) => {
  it('are sent for recent messages, but not for old messages that arrive after an outage', async (t) => {
    const { gateway, api, device, write, receives, received, settled, eventually } = await anAiShop(t, kind);
    const isIn = (text: string) => async () =>
      (await api('GET', `${device.path}/messages?direction=inbound`)).body.messages.some(({ body }: { body: string }) => body === text);
    await api('POST', `${device.path}/disconnect`);
    await eventually('it is offline', async () => (await device.status()) === 'disconnected');
    write(SARI, 'kemarin jam buka toko?');
    await gateway.clock.advance(11 * MINUTE);
    write(TONO, QUESTION);
    await gateway.clock.advance(MINUTE);
    await api('POST', `${device.path}/connect`);
    await eventually('the old one is in the log', isIn('kemarin jam buka toko?'));
    assert.deepEqual(await receives(TONO, 1), [ANSWERS.hours[1]]);
    await settled();
    assert.deepEqual(received(SARI), [], 'it is twelve minutes old');
    assert.deepEqual((await api('GET', '/v1/ai-reply/unanswered')).body.unanswered, []);
    write(SARI, QUESTION);
    assert.deepEqual(await receives(SARI, 1), [ANSWERS.hours[1]]);
  });

  it("pause in a chat for twelve hours after a person's last message there", async (t) => {
    const { gateway, device, write, receives, received, settled } = await anAiShop(t, kind);
    await device.text(SARI, 'Saya bantu ya, kak.');
    await receives(SARI, 1);
    gateway.clock.jump(5 * MINUTE);
    await device.text(SARI, 'Masih ada pertanyaan?');
    await receives(SARI, 2);
    gateway.clock.jump(12 * HOUR - 2 * MINUTE);
    write(SARI, QUESTION);
    await settled();
    assert.equal(received(SARI).length, 2);
    gateway.clock.jump(2 * MINUTE);
    write(SARI, QUESTION);
    assert.equal((await receives(SARI, 3))[2], ANSWERS.hours[1]);
  });

  it('pause in a chat to which a team member has forwarded a message', async (t) => {
    const { device, api, write, receives, received, settled } = await anAiShop(t, kind);
    const id = await device.text(TONO, 'Daftar harga: kopi 10, teh 8.');
    await receives(TONO, 1);
    assert.equal((await api('POST', `${device.path}/messages/${id}/forward`, { chat_id: SARI })).status, 202);
    await receives(SARI, 1);
    write(SARI, QUESTION);
    await settled();
    assert.equal(received(SARI).length, 1);
  });

  it('are not counted if they may not be sent', async (t) => {
    const { api, write, becomes, receives, received, settled } = await anAiShop(t, kind);
    await api('PUT', '/v1/consent/config', { enforce_api: true });
    write(SARI, 'STOP');
    await becomes(SARI, 'opted_out');
    await receives(SARI, 1);
    write(SARI, QUESTION);
    await settled();
    assert.equal(received(SARI).length, 1, 'only the confirmation');
    assert.equal((await api('GET', '/v1/ai-reply')).body.quota.used, 0);
  });

  it('mark the chat as pending if an opted-out person asks for a handoff, and send no notice', async (t) => {
    const { api, device, write, becomes, receives, received, settled, eventually } = await anAiShop(t, kind);
    await api('PUT', '/v1/consent/config', { enforce_api: true });
    write(SARI, 'STOP');
    await becomes(SARI, 'opted_out');
    await receives(SARI, 1);
    write(SARI, 'operator');
    await eventually('it waits', async () => (await api('GET', `${device.path}/chats/${SARI}`)).body.status === 'pending');
    await settled();
    assert.equal(received(SARI).length, 1, 'only the confirmation');
  });

  it('do not advance the rotation of agents in a chat that already has an agent', async (t) => {
    const { api, gateway, device, write, receives, eventually } = await anAiShop(t, kind);
    const dewi = await hired(gateway, api, 'Dewi', '6281311110001');
    const budi = await hired(gateway, api, 'Budi', '6281311110002');
    write(SARI, 'halo');
    const chat = async (who: string) => (await api('GET', `${device.path}/chats/${who}`)).body;
    await eventually('her chat is there', async () => (await chat(SARI)).status === 'open');
    await api('POST', `${device.path}/chats/${SARI}/assign`, { agent_id: budi.id });
    await api('PUT', '/v1/assignment', { mode: 'round_robin', only_online: false });
    write(SARI, 'operator');
    await receives(SARI, 1);
    write(TONO, 'operator');
    await receives(TONO, 1);
    assert.deepEqual([(await chat(SARI)).agent_id, (await chat(TONO)).agent_id], [budi.id, dewi.id]);
  });

  it('are refunded if they were counted but never sent', async (t) => {
    const { gateway, api, device, write, received, eventually } = await anAiShop(t, kind);
    const used = async (): Promise<number> => (await api('GET', '/v1/ai-reply')).body.quota.used;
    write(DEWI, QUESTION);
    await eventually(
      'it is received',
      async () => (await api('GET', `${device.path}/messages?direction=inbound`)).body.messages.length === 1,
    );
    await api('POST', `${device.path}/disconnect`);
    // It is counted before it is stored.
    const outbound = async () => (await api('GET', `${device.path}/messages?direction=outbound`)).body.messages;
    await eventually('the reply waits for the device', async () => (await outbound()).length === 1);
    assert.equal(await used(), 1);
    const [reply] = await outbound();
    await gateway.clock.advance(11 * MINUTE);
    await eventually('it is given up', async () => (await device.message(reply.id)).status === 'failed');
    await eventually('and given back', async () => (await used()) === 0);
    await api('POST', `${device.path}/connect`);
    await gateway.clock.advance(MINUTE);
    assert.deepEqual([received(DEWI), await used()], [[], 0]);
  });
});
