import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs, type WriteBody } from '../../actors/network/sandbox/api.ts';
import type { Doc } from '../../store/port.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

const DAY_S = 86_400;
const BUDI = '6281300000003';
const CHAT = `${ANNA}@s.whatsapp.net`;
type Row = Doc & Readonly<Record<string, unknown>>;

async function aShop(t: Scope, kind: StoreKind) {
  const gateway = await aGateway(t, { kind });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const verbs = sandboxVerbs(gateway.sandbox);
  const rows = gateway.store.collection<Row>({ name: 'messages', indexes: [] });
  const entryOf = async (netId: string) =>
    gateway.until('it came', async () => {
      const { messages } = (await acme.api('GET', `${device.path}/messages?limit=200`)).body;
      for (const { id } of messages) {
        const found = await device.message(id);
        if (found.wa_message_id === netId) return found;
      }
      return null;
    });
  return {
    gateway,
    device,
    verbs,
    api: acme.api,
    entryOf,
    wrote: async (body: Omit<WriteBody, 'to'>, from = ANNA) => entryOf(verbs.write(from, { to: PHONE, ...body }).id),
    chat: async (chat = CHAT) => (await acme.api('GET', `${device.path}/chats/${chat}`)).body,
    shownTo: (to: string, body: string) => gateway.until('it arrived', () => verbs.messages(to).messages.find((one) => one.body === body)),
    /** As if the timers of these had ended, and the next sweep. */
    async timersEnd(...ids: readonly string[]) {
      for (const _id of ids) await rows.updateOne({ _id, vanishes_at: { $gte: 0 } }, { $set: { vanishes_at: gateway.clock.now() } });
      await gateway.clock.advance(130_000);
    },
  };
}

eachStore('disappearing messages', (kind) => {
  it('use the timer that a customer sets, in both directions', async (t) => {
    const { verbs, device, gateway, chat, shownTo, wrote } = await aShop(t, kind);
    verbs.act(ANNA, { act: 'set_timer', to: PHONE, ephemeral: DAY_S });
    await gateway.until('the chat has it', async () => (await chat()).ephemeral === DAY_S);
    assert.deepEqual(verbs.device(PHONE).timers, { [ANNA]: DAY_S });
    const id = await device.text(ANNA, 'Only for today');
    const shown = await shownTo(ANNA, 'Only for today');
    assert.equal(shown?.ephemeral, DAY_S);
    assert.equal((await device.message(id)).ephemeral, DAY_S);
    assert.equal((await wrote({ body: 'So is this' })).ephemeral, DAY_S);

    const other = await device.text(BUDI, 'This one stays');
    assert.equal((await shownTo(BUDI, 'This one stays'))?.ephemeral, undefined);
    assert.equal((await device.message(other)).ephemeral, null);

    verbs.act(ANNA, { act: 'set_timer', to: PHONE, ephemeral: 0 });
    await gateway.until('the chat has none', async () => (await chat()).ephemeral === 0);
    await device.text(ANNA, 'For ever');
    assert.equal((await shownTo(ANNA, 'For ever'))?.ephemeral, undefined);
  });

  it('use the newest valid timer that a message carries', async (t) => {
    const { verbs, device, gateway, chat, shownTo, wrote } = await aShop(t, kind);
    await wrote({ body: 'A clock of my own', ephemeral: 1 });
    assert.equal((await chat()).ephemeral, 0);
    await wrote({ body: 'Hi', ephemeral: 7 * DAY_S });
    assert.equal((await chat()).ephemeral, 7 * DAY_S);
    await device.text(ANNA, 'Hello');
    assert.equal((await shownTo(ANNA, 'Hello'))?.ephemeral, 7 * DAY_S);
    verbs.act(ANNA, { act: 'set_timer', to: PHONE, ephemeral: 1 });
    await gateway.clock.advance(1_000);
    assert.equal((await chat()).ephemeral, 7 * DAY_S);
  });

  it('use a timer that is set through the API, which first sets it on the network', async (t) => {
    const { verbs, api, device, gateway, chat, shownTo, wrote } = await aShop(t, kind);
    await wrote({ body: 'Hi' });
    const set = await gateway.during(api('PATCH', `${device.path}/chats/${CHAT}`, { ephemeral: 90 * DAY_S, pinned: true }));
    assert.deepEqual([set.status, set.body.ephemeral, set.body.pinned], [200, 90 * DAY_S, true]);
    assert.deepEqual(verbs.device(PHONE).timers, { [ANNA]: 90 * DAY_S });
    await device.text(ANNA, 'Hello');
    assert.equal((await shownTo(ANNA, 'Hello'))?.ephemeral, 90 * DAY_S);
    assert.equal((await api('PATCH', `${device.path}/chats/${CHAT}`, { ephemeral: 60 })).status, 400);

    const { id: group = '' } = verbs.act(ANNA, { act: 'create_group', subject: 'Friends', participants: [PHONE] });
    verbs.write(ANNA, { to: group, body: 'Welcome' });
    await gateway.until('the group is a chat', async () => (await chat(group)).id !== undefined);
    const inGroup = await gateway.during(api('PATCH', `${device.path}/chats/${group}`, { ephemeral: DAY_S }));
    assert.deepEqual([inGroup.status, inGroup.body.ephemeral], [200, DAY_S]);
    assert.equal(verbs.device(PHONE).timers[group], DAY_S);
    await device.text(group, 'To all of you');
    assert.equal((await shownTo(ANNA, 'To all of you'))?.ephemeral, DAY_S);

    verbs.fault(PHONE, { kind: 'drop', for_ms: 60_000 });
    await gateway.until('it is away', async () => (await api('GET', device.path)).body.status === 'disconnected');
    assert.equal((await gateway.during(api('PATCH', `${device.path}/chats/${CHAT}`, { ephemeral: 0 }))).body.code, 'NOT_CONNECTED');
    assert.equal((await chat()).ephemeral, 90 * DAY_S);
  });

  it('lose their text, file and preview when their timer ends', async (t) => {
    const { verbs, api, device, gateway, chat, timersEnd, wrote, shownTo } = await aShop(t, kind);
    const kept = await wrote({ body: 'This stays' });
    verbs.act(ANNA, { act: 'set_timer', to: PHONE, ephemeral: DAY_S });
    await gateway.until('the chat has it', async () => (await chat()).ephemeral === DAY_S);
    const photo = await wrote({ type: 'image', file: { size: 900 }, caption: 'My passport' });
    const sent = await device.text(ANNA, 'Thank you');
    await shownTo(ANNA, 'Thank you');
    await gateway.clock.advance(130_000);
    assert.equal((await device.message(sent)).body, 'Thank you', 'its time is not over');
    await timersEnd(photo.id, sent, kept.id);
    await gateway.until('they went', async () => (await device.message(sent)).status === 'deleted');
    for (const id of [photo.id, sent]) {
      const { status, body, media } = await device.message(id);
      assert.deepEqual([status, body, media ?? null], ['deleted', null, null]);
    }
    assert.equal((await device.message(kept.id)).body, 'This stays');
    assert.equal((await api('GET', `/v1/media/${photo.media_r2_key}`)).status, 404);
    assert.equal((await chat()).last_message, null);
  });

  it('are kept during a hold, or if the business has chosen to keep them', async (t) => {
    const { verbs, api, device, gateway, chat, timersEnd, wrote } = await aShop(t, kind);
    verbs.act(ANNA, { act: 'set_timer', to: PHONE, ephemeral: DAY_S });
    await gateway.until('the chat has it', async () => (await chat()).ephemeral === DAY_S);
    const { id } = await wrote({ body: 'I agree' });
    const until = gateway.clock.now() + 30 * 86_400_000;
    await api('PUT', `/v1/privacy/holds/+${ANNA}`, { reason: 'a claim', until });
    await timersEnd(id);
    assert.equal((await device.message(id)).body, 'I agree');
    await api('DELETE', `/v1/privacy/holds/+${ANNA}`);

    assert.equal((await api('GET', '/v1/privacy')).body.keep_disappearing, false);
    assert.equal((await api('PUT', '/v1/privacy', { keep_disappearing: true })).body.keep_disappearing, true);
    await timersEnd(id);
    assert.equal((await device.message(id)).body, 'I agree');
    assert.equal((await api('PUT', '/v1/privacy', { keep_disappearing: false })).status, 200);
    await timersEnd(id);
    await gateway.until('it went', async () => (await device.message(id)).status === 'deleted');
  });
});
