import assert from 'node:assert/strict';
import { it } from 'node:test';
import { endDueSnoozes } from '../../../../actors/services/conversations/end-snoozes.ts';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import { dueChatsIn } from '../../../../store/conversations/due-chats.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aTeam } from '../agents/agents-fixture.ts';
import { aReceiver, SECRET } from '../webhooks/receiver.ts';
import { inboxOf } from './conversations-fixture.ts';

const BEN = '6281211110002';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

eachStore('a snoozed chat', (kind) => {
  it('is pending, is listed separately, and is reopened once at its time, even after a crash', async (t) => {
    const receiver = await aReceiver(t);
    const { gateway, owner, device, tenant } = await aTeam(t, kind, { egress_allow: [receiver.place] });
    const { list, write, receives } = inboxOf(gateway, owner, device.path);
    await owner('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: ['chat.snooze_ended'] });
    for (const who of [ANNA, BEN]) {
      write(who, 'Hello');
      await receives(who, 'Hello');
    }
    const until = gateway.clock.now() + 10 * MINUTE;
    const snoozed = await owner('PATCH', `${device.path}/chats/${ANNA}`, { snoozed_until: until });
    assert.deepEqual([snoozed.body.status, snoozed.body.snoozed_until], ['pending', until]);
    const ids = async (query: string) => (await list(query)).map(({ chat_id }: { chat_id: string }) => chat_id.slice(0, ANNA.length));
    assert.deepEqual(
      [await ids(''), await ids('snoozed=false'), await ids('snoozed=true'), await ids('snoozed=true&status=open')],
      [[BEN, ANNA], [BEN], [ANNA], []],
    );
    const again = await gateway.crash();
    const api = again.as(tenant.tokens.token);
    const reopened = async () => (await api('GET', `${device.path}/chats/${ANNA}`)).body;
    await again.clock.advance(10 * MINUTE);
    await again.until('it is told', () => receiver.of('chat.snooze_ended').length > 0);
    const { status, snoozed_until } = await reopened();
    assert.deepEqual([status, snoozed_until], ['open', null]);
    await again.clock.advance(MINUTE);
    const told = receiver.of('chat.snooze_ended').map(({ body }) => [body.session_id, body.data.chat_id, body.data.phone]);
    assert.deepEqual(told, [[device.id, `${ANNA}@s.whatsapp.net`, ANNA]]);
  });

  it('is reopened when the customer writes, but not when the business does', async (t) => {
    const receiver = await aReceiver(t);
    const { gateway, owner, device } = await aTeam(t, kind, { egress_allow: [receiver.place] });
    const { chat, write, receives } = inboxOf(gateway, owner, device.path);
    await owner('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: ['chat.snooze_ended'] });
    write(ANNA, 'Hello');
    await receives(ANNA, 'Hello');
    await owner('PATCH', `${device.path}/chats/${ANNA}`, { snoozed_until: gateway.clock.now() + 5 * MINUTE });
    await device.text(ANNA, 'We are looking into it');
    await receives(ANNA, 'We are looking into it');
    assert.equal((await chat(ANNA)).status, 'pending');
    write(ANNA, 'Never mind');
    const after = await receives(ANNA, 'Never mind');
    assert.deepEqual([after.status, after.snoozed_until], ['open', null]);
    await gateway.until('it is told', () => receiver.of('chat.snooze_ended').length === 1);
    await gateway.clock.advance(6 * MINUTE);
    assert.equal(receiver.of('chat.snooze_ended').length, 1);
  });

  it('is no longer snoozed after a manual status change', async (t) => {
    const { gateway, owner, device } = await aTeam(t, kind);
    const { chat, write, receives } = inboxOf(gateway, owner, device.path);
    write(ANNA, 'Hello');
    await receives(ANNA, 'Hello');
    const path = `${device.path}/chats/${ANNA}`;
    const to = async (body: object) => {
      const { status, body: answer } = await owner('PATCH', path, body);
      return [status, answer.status, answer.snoozed_until];
    };
    const until = gateway.clock.now() + HOUR;
    assert.deepEqual(await to({ snoozed_until: until }), [200, 'pending', until]);
    assert.deepEqual(await to({ tags: [] }), [200, 'pending', until]);
    assert.deepEqual(await to({ status: 'pending' }), [200, 'pending', null]);
    assert.deepEqual(await to({ status: 'pending', snoozed_until: until }), [200, 'pending', until]);
    assert.deepEqual(await to({ snoozed_until: null }), [200, 'open', null]);
    assert.deepEqual(await to({ status: 'resolved' }), [200, 'resolved', null]);
    assert.deepEqual(await to({ snoozed_until: null }), [200, 'resolved', null]);
    const refused = [gateway.clock.now(), gateway.clock.now() + 367 * DAY, 'tomorrow', Math.round(until / 1_000)];
    for (const snoozed_until of refused) assert.equal((await owner('PATCH', path, { snoozed_until })).body.code, 'VALIDATION_FAILED');
    assert.equal((await owner('PATCH', path, { snoozed_until: until, status: 'resolved' })).status, 400);
    assert.equal((await chat(ANNA)).status, 'resolved');
  });

  it('is reopened only once, even if two nodes try at the same time', async (t) => {
    const { gateway, owner, device, tenant } = await aTeam(t, kind);
    const { write, receives, chat } = inboxOf(gateway, owner, device.path);
    write(ANNA, 'Hello');
    await receives(ANNA, 'Hello');
    const until = gateway.clock.now() + HOUR;
    await owner('PATCH', `${device.path}/chats/${ANNA}`, { snoozed_until: until });
    const told = new Set<string>();
    const eventLog = {
      record: async (_tenant: string, drafts: readonly { readonly row: string }[]) => void drafts.map(({ row }) => told.add(row)),
    };
    const deps = { chats: chatsIn(gateway.store), snoozes: dueChatsIn(gateway.store, 'snoozed_until'), eventLog };
    const ended = await Promise.all([endDueSnoozes(deps, tenant.id, until), endDueSnoozes(deps, tenant.id, until)]);
    assert.deepEqual([told.size, ended[0]?.nextAt, (await chat(ANNA)).status], [1, null, 'open']);
  });
});
