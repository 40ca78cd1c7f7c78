import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MUTED_FOR_EVER } from '../../../../actors/network/chat-marks.ts';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import type { MarkAct } from '../../../../actors/network/sandbox/marked-chats.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore, storesOfKills } from '../../../support/stores.ts';
import { playChanges } from './chat-mark-changes.ts';
import { anInbox } from './conversations-fixture.ts';

const MARKS = { archived: [], pinned: [], unread: [], muted: {} };

/** An inbox in which Anna wrote, and what both sides show of her chat. */
async function aChat(...[scope, kind]: Parameters<typeof anInbox>) {
  const inbox = await anInbox(scope, kind);
  const { gateway, api, device, write, receives, chat } = inbox;
  write(ANNA, 'Hello');
  await receives(ANNA, 'Hello');
  const path = `${device.path}/chats/${ANNA}`;
  return {
    ...inbox,
    path,
    change: (body: object) => gateway.during(api('PATCH', path, body)),
    onPhone: (act: Omit<MarkAct, 'chat'>) => gateway.sandbox.phone(PHONE).act({ chat: ANNA, ...act }),
    shown: () => gateway.sandbox.device(PHONE).marks(),
    becomes: (what: string, is: (found: Record<string, unknown>) => boolean) =>
      gateway.until(what, async () => {
        const found = await chat(ANNA);
        return is(found) && found;
      }),
  };
}

eachStore("a chat's archive, pin, mute and unread marks", (kind) => {
  it('are the same in the API and on the phone, whichever side changes them', async (t) => {
    const { change, onPhone, shown, becomes, gateway, list } = await aChat(t, kind);
    const until = gateway.clock.now() + 3_600_000;
    const { status, body } = await change({ pinned: true, muted_until: until, unread: false });
    assert.deepEqual([status, body.pinned, body.muted_until, body.unread, body.unread_count], [200, true, until, false, 0]);
    assert.deepEqual(shown(), { ...MARKS, pinned: [ANNA], muted: { [ANNA]: until } });
    const marked = (await change({ archived: true, unread: true })).body;
    assert.deepEqual([marked.archived, marked.pinned, marked.unread, marked.unread_count], [true, false, true, 1]);
    assert.deepEqual(shown(), { archived: [ANNA], pinned: [], unread: [ANNA], muted: { [ANNA]: until } });

    onPhone({ act: 'archive', on: false });
    onPhone({ act: 'pin' });
    onPhone({ act: 'mute' });
    onPhone({ act: 'mark_read' });
    const now = await becomes('it is as on the phone', ({ pinned, unread, archived }) => pinned === true && !unread && !archived);
    assert.deepEqual([now.muted_until, now.unread_count], [MUTED_FOR_EVER, 0]);
    onPhone({ act: 'mark_unread' });
    await becomes('it is unread', ({ unread }) => unread === true);
    assert.equal((await list('unread=true')).length, 1);
    assert.equal((await list('pinned=true')).length, 1);
  });

  it('are sent to the phone when an offline device reconnects, unless the phone has changed them since', async (t) => {
    const { change, onPhone, shown, becomes, gateway, api, device } = await aChat(t, kind);
    await api('POST', `${device.path}/disconnect`);
    assert.equal((await change({ pinned: true, muted_until: MUTED_FOR_EVER })).body.pinned, true);
    assert.deepEqual(shown(), { ...MARKS, unread: [ANNA] });
    await gateway.clock.advance(1_000);
    onPhone({ act: 'mute', until: gateway.clock.now() + 60_000 });
    const later = gateway.clock.now() + 60_000;
    await api('POST', `${device.path}/connect`);
    await gateway.until('it is pinned on the phone', () => shown().pinned.length === 1);
    await becomes('it is muted as the phone said later', ({ muted_until }) => muted_until === later);
    assert.deepEqual(shown().muted, { [ANNA]: later });
  });

  it('stay unchanged if the phone rejects a change, immediately or later', async (t) => {
    const { change, shown, becomes, gateway, api, device, chat } = await aChat(t, kind);
    gateway.sandbox.device(PHONE).form({ refusesChanges: true });
    const before = await chat(ANNA);
    for (const body of [{ archived: true }, { unread: false }, { pinned: true, status: 'resolved' }]) {
      const { status, body: refused } = await change(body);
      assert.deepEqual([status, refused.code], [409, 'CONFLICT']);
    }
    assert.deepEqual([await chat(ANNA), shown()], [before, { ...MARKS, unread: [ANNA] }]);
    await api('POST', `${device.path}/disconnect`);
    assert.equal((await change({ archived: true })).body.archived, true);
    await api('POST', `${device.path}/connect`);
    await becomes('it is as the phone has it', ({ archived }) => archived === false);
  });

  it('cannot be set to a time in the past or a value of the wrong type', async (t) => {
    const { change, gateway } = await aChat(t, kind);
    const { status, body } = await change({ muted_until: gateway.clock.now() - 1 });
    assert.deepEqual([status, body.details[0].path], [400, 'muted_until']);
    assert.equal((await change({ unread: 'yes' })).status, 400);
  });
});

eachStore("changes made on the business's phone", (kind) => {
  it('set stars and deletion marks, even on messages that arrive later', async (t) => {
    const { gateway, api, path, onPhone, write } = await aChat(t, kind);
    const log = async () => (await api('GET', `${path}/messages`)).body.messages;
    const entry = async (body: string) => (await log()).find((one: { body: string }) => one.body === body);
    const { netId } = write(ANNA, 'Keep this');
    await gateway.until('it came', () => entry('Keep this'));
    const before = await entry('Keep this');
    assert.deepEqual([before.starred, before.removed_at], [undefined, undefined]);
    onPhone({ act: 'star', message_id: netId });
    await gateway.until('it has a star', async () => (await entry('Keep this')).starred === true);
    onPhone({ act: 'star', message_id: netId, on: false });
    await gateway.until('it has none', async () => (await entry('Keep this')).starred === undefined);
    onPhone({ act: 'delete_for_me', message_id: netId });
    const removed = await gateway.until('it is removed there', async () => {
      const found = await entry('Keep this');
      return found.removed_at !== undefined && found;
    });
    assert.deepEqual([removed.status, removed.body, removed.removed_at <= gateway.clock.now()], ['delivered', 'Keep this', true]);

    // Every second message that the phone makes up is ours.
    onPhone({ act: 'star', message_id: `OLD${ANNA} 2` });
    gateway.sandbox.device(PHONE).form({ olderHistory: 3 });
    assert.equal((await gateway.during(api('POST', `${path}/history`))).status, 202);
    await gateway.until('they came with the star', async () => (await log()).some(({ starred }: { starred?: true }) => starred));
    assert.deepEqual(
      (await log()).map(({ body, starred }: { body: string; starred?: true }) => [body, starred]),
      [
        ['Keep this', undefined],
        ['Hello', undefined],
        ['older 1', undefined],
        ['older 2', true],
        ['older 3', undefined],
      ],
    );
  });

  it('can clear a chat, which marks it as read but keeps its messages', async (t) => {
    const { gateway, api, path, onPhone, chat, becomes, write, receives } = await aChat(t, kind);
    assert.deepEqual([(await chat(ANNA)).cleared_until, (await chat(ANNA)).unread], [null, true]);
    await gateway.clock.advance(1_000);
    const now = gateway.clock.now();
    onPhone({ act: 'clear' });
    const cleared = await becomes('it is empty there', ({ cleared_until }) => cleared_until === now);
    assert.deepEqual([cleared['unread'], cleared['last_message']], [false, 'Hello']);
    assert.equal((await api('GET', `${path}/messages`)).body.messages.length, 1);
    write(ANNA, 'Again');
    await receives(ANNA, 'Again');
    await becomes('the new one is unread', ({ unread_count }) => unread_count === 1);
  });
});

eachStore('names from the address book', (kind) => {
  it('replace profile names, even for new chats, but add no contacts', async (t) => {
    const { gateway, api, chat, list, write, receives, becomes } = await aChat(t, kind);
    const verbs = sandboxVerbs(gateway.sandbox);
    const isCalled = (name: string) => becomes(`it is ${name}`, ({ chat_name }) => chat_name === name);
    const CICI = '6281211110003';
    verbs.change(CICI, { saved_as: 'Cici of the market', lid: true });
    verbs.change(ANNA, { name: 'annie', saved_as: 'Anna of accounting' });
    await isCalled('Anna of accounting');
    write(ANNA, 'Again');
    await receives(ANNA, 'Again');
    await isCalled('Anna of accounting');
    assert.deepEqual(
      (await list('q=accounting')).map((one: { phone: string }) => one.phone),
      [ANNA],
    );
    const names = async () => (await api('GET', '/v1/contacts')).body.contacts.map(({ name }: { name: string }) => name);
    assert.ok(!(await names()).some((name: string) => /accounting|market/.test(name)));

    write(CICI, 'Hi');
    await gateway.until('she has her name', async () => (await chat(CICI)).chat_name === 'Cici of the market');
    verbs.change(ANNA, { saved_as: null });
    await isCalled('annie');
    verbs.change(ANNA, { saved_as: 'Anna again' });
    await isCalled('Anna again');
    const { id } = (await api('GET', `/v1/contacts?q=${ANNA}`)).body.contacts[0] ?? {};
    const body = { name: 'Anna Wijaya' };
    assert.ok(
      (id ? await api('PATCH', `/v1/contacts/${id}`, body) : await api('POST', '/v1/contacts', { phone: ANNA, ...body })).status < 300,
    );
    await isCalled('Anna Wijaya');
  });
});

/** As many changes as `CHAT_CHANGES` says; the runs of the night play 1,000. */
const CHANGES = Number(process.env['CHAT_CHANGES'] ?? 60);

describe('random chat changes on both sides, with crashes', () => {
  for (const kind of storesOfKills)
    it(`leave both sides in the same state, with the later change applied (${kind.name})`, async (t) => {
      const { here, phone, unlike } = await playChanges(t, kind, { seed: 3, changes: CHANGES, kills: Math.ceil(CHANGES / 30) });
      assert.deepEqual(here, phone);
      assert.deepEqual(unlike, []);
    });
});
