import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChatRow, chatsSpec } from '../../../../store/conversations/chats.ts';
import { ANNA } from '../../../support/gateway.ts';
import { addRowsOfNobody } from '../../../support/rows-of-nobody.ts';
import { eachStore, embedded, type Scope, type StoreKind } from '../../../support/stores.ts';
import { inboxOf } from '../conversations/conversations-fixture.ts';
import { listen } from '../live/listener.ts';
import { aReceiver, SECRET } from '../webhooks/receiver.ts';
import { aTeam, hired } from './agents-fixture.ts';

const BEN = '6281211110002';
const customers = (count: number) => Array.from({ length: count }, (_, nth) => `628121111020${nth}`);

/** A team with an inbox, and a receiver of chat.assigned. */
async function aBusyTeam(scope: Scope, kind: StoreKind) {
  const receiver = await aReceiver(scope);
  const team = await aTeam(scope, kind, { egress_allow: [receiver.place] });
  await team.owner('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: ['chat.assigned'] });
  const inbox = inboxOf(team.gateway, team.owner, team.device.path);
  /** A customer writes, and the chat is there. */
  const receives = async (who: string, body = 'Hi') => {
    inbox.write(who, body);
    return inbox.receives(who, body);
  };
  const assigned = () => receiver.of('chat.assigned').map(({ body }) => body.data);
  return { ...team, ...inbox, receives, assigned, chatPath: (who: string) => `${team.device.path}/chats/${who}` };
}

eachStore('a chat', (kind) => {
  it('can be assigned, reassigned and unassigned by the owner and by the assigned agent', async (t) => {
    const { owner, dewi, budi, receives, chatPath, tenant, gateway, assigned } = await aBusyTeam(t, kind);
    await receives(ANNA);
    const path = `${chatPath(ANNA)}/assign`;
    assert.equal((await owner('POST', path, { agent_id: dewi.id })).body.agent_id, dewi.id);
    assert.equal((await dewi.api('POST', path, { agent_id: budi.id })).body.agent_id, budi.id);
    assert.equal((await dewi.api('POST', path, { agent_id: dewi.id })).status, 404);
    assert.equal((await gateway.during(owner('PATCH', chatPath(ANNA), { agent_id: null, pinned: true }))).body.agent_id, null);
    await owner('POST', path, { agent_id: null });
    await gateway.until('all three are told', () => assigned().length === 3);
    assert.deepEqual(
      assigned().map(({ agent_id, previous_agent_id, assigned_by, phone }) => [agent_id, previous_agent_id, assigned_by, phone]),
      [
        [dewi.id, null, tenant.id, ANNA],
        [budi.id, dewi.id, dewi.id, ANNA],
        [null, budi.id, tenant.id, ANNA],
      ],
    );
  });

  it('cannot be assigned to an unknown or inactive agent', async (t) => {
    const { gateway, owner, budi, receives, chatPath, chat } = await aBusyTeam(t, kind);
    await receives(ANNA);
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    const { id } = await hired(gateway, other.api, 'Rani', '6281311110005');
    await owner('PATCH', `/v1/agents/${budi.id}`, { is_active: false });
    const to = async (agent_id: unknown) => (await owner('POST', `${chatPath(ANNA)}/assign`, { agent_id })).status;
    assert.deepEqual([await to(id), await to('01JZX5ZB4T8QKX3N9V7C2M6D1E'), await to(budi.id), await to('me')], [404, 404, 409, 400]);
    assert.equal((await owner('POST', `${chatPath(BEN)}/assign`, { agent_id: null })).status, 404);
    assert.equal((await chat(ANNA)).agent_id, null);
  });

  it('loses its agent when the agent leaves, and an event is published', async (t) => {
    const { gateway, owner, dewi, budi, receives, chatPath, chat, assigned } = await aBusyTeam(t, kind);
    for (const who of [ANNA, BEN]) await receives(who);
    await owner('POST', `${chatPath(ANNA)}/assign`, { agent_id: dewi.id });
    await owner('POST', `${chatPath(BEN)}/assign`, { agent_id: budi.id });
    await owner('DELETE', `/v1/agents/${dewi.id}`);
    await owner('PATCH', `/v1/agents/${budi.id}`, { is_active: false });
    assert.deepEqual([(await chat(ANNA)).agent_id, (await chat(BEN)).agent_id], [null, null]);
    await gateway.until('it is told', () => assigned().filter(({ agent_id }) => agent_id === null).length === 2);
  });
});

eachStore("a tenant's assignment rule", (kind) => {
  it('is manual until the owner changes it', async (t) => {
    const { owner, dewi, receives } = await aBusyTeam(t, kind);
    assert.deepEqual((await owner('GET', '/v1/assignment')).body, { mode: 'manual', only_online: false });
    assert.equal((await receives(ANNA)).agent_id, null);
    assert.deepEqual((await owner('PUT', '/v1/assignment', { mode: 'least_busy' })).body, { mode: 'least_busy', only_online: false });
    assert.deepEqual((await owner('PUT', '/v1/assignment', { only_online: true })).body, { mode: 'least_busy', only_online: true });
    assert.equal((await owner('PUT', '/v1/assignment', { mode: 'random' })).status, 400);
    for (const method of ['GET', 'PUT'])
      assert.equal((await dewi.api(method, '/v1/assignment', method === 'PUT' ? {} : undefined)).status, 403);
  });

  it('assigns new chats to agents in turn, and keeps the agent of an assigned chat', async (t) => {
    const { gateway, owner, dewi, budi, receives, assigned } = await aBusyTeam(t, kind);
    await owner('PUT', '/v1/assignment', { mode: 'round_robin' });
    const agents: string[] = [];
    for (const who of customers(4)) agents.push((await receives(who)).agent_id);
    assert.deepEqual(agents, [dewi.id, budi.id, dewi.id, budi.id]);
    assert.equal((await receives(customers(1)[0]!, 'again')).agent_id, dewi.id);
    await gateway.until('they are told', () => assigned().length === 4);
    assert.ok(assigned().every(({ assigned_by }) => assigned_by === null));
  });

  it('assigns new chats to the agent with the fewest unresolved chats', async (t) => {
    const { owner, dewi, budi, receives, chatPath } = await aBusyTeam(t, kind);
    const [one, two, three, four] = customers(4) as [string, string, string, string];
    for (const who of [one, two]) {
      await receives(who);
      await owner('POST', `${chatPath(who)}/assign`, { agent_id: dewi.id });
    }
    await owner('PUT', '/v1/assignment', { mode: 'least_busy' });
    assert.equal((await receives(three)).agent_id, budi.id);
    for (const who of [one, two]) for (const status of ['pending', 'resolved']) await owner('PATCH', chatPath(who), { status });
    assert.equal((await receives(four)).agent_id, dewi.id);
  });

  it('can be limited to online agents, and leaves chats unassigned while none is online', async (t) => {
    const { gateway, owner, budi, receives } = await aBusyTeam(t, kind);
    await owner('PUT', '/v1/assignment', { mode: 'round_robin', only_online: true });
    assert.equal((await receives(ANNA)).agent_id, null);
    await listen(gateway.node.url, budi.api);
    await gateway.clock.advance(600_000);
    assert.equal((await receives(BEN)).agent_id, budi.id);
    assert.equal((await receives(ANNA, 'Hello?')).agent_id, budi.id);
  });

  it('assigns a reopened chat that has no agent, but no open chat that the owner unassigned', async (t) => {
    const { owner, dewi, budi, receives, chatPath } = await aBusyTeam(t, kind);
    await owner('PUT', '/v1/assignment', { mode: 'round_robin' });
    assert.equal((await receives(ANNA)).agent_id, dewi.id);
    await owner('POST', `${chatPath(ANNA)}/assign`, { agent_id: null });
    assert.equal((await receives(ANNA, 'again')).agent_id, null);
    for (const status of ['pending', 'resolved']) await owner('PATCH', chatPath(ANNA), { status });
    const opened = await receives(ANNA, 'once more');
    assert.deepEqual([opened.status, opened.agent_id], ['open', budi.id]);
    for (const status of ['pending', 'resolved']) await owner('PATCH', chatPath(ANNA), { status });
    assert.equal((await receives(ANNA, 'and more')).agent_id, budi.id, 'a chat that is assigned stays with its agent');
  });
});

describe('the least-busy rule', () => {
  it('finds the least busy agent for a new chat even in a large inbox', async (t) => {
    const { gateway, owner, dewi, budi, receives } = await aBusyTeam(t, embedded);
    const hire = async (nth: number): Promise<string> =>
      (await owner('POST', '/v1/agents', { name: 'Rani', phone: `+62813111200${nth + 10}` })).body.id;
    const others = [dewi.id];
    for (let nth = 0; nth < 58; nth += 1) others.push(await hire(nth));
    await receives(ANNA);
    const chats = gateway.store.collection<ChatRow>(chatsSpec);
    const [known] = await chats.find({}).toArray();
    assert.ok(known);
    await chats.insertMany(others.map((agent_id, nth) => ({ ...known, _id: `${known._id}${nth}`, id: `${known.id}${nth}`, agent_id })));
    await addRowsOfNobody(gateway.store, chatsSpec);
    await owner('PUT', '/v1/assignment', { mode: 'least_busy' });
    assert.equal((await receives(BEN)).agent_id, budi.id);
  });
});
