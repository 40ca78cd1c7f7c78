import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createChoice } from '../../../../actors/services/agents/choose-agent.ts';
import { type Announce, createAnnounce, processAssignmentOutbox } from '../../../../actors/services/conversations/announce-assignment.ts';
import { updateChats } from '../../../../actors/services/conversations/outbox-handler.ts';
import { createEventLog } from '../../../../actors/services/events/event-log.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { startIdentities } from '../../../../scripts/wiring/identities.ts';
import { type AgentRow, agentsIn } from '../../../../store/agents/agents.ts';
import { assignmentsIn } from '../../../../store/agents/assignment.ts';
import { type ChatRow, chatsIn } from '../../../../store/conversations/chats.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { eventInterestsIn } from '../../../../store/events/event-interests.ts';
import { eventsIn } from '../../../../store/events/events.ts';
import { type MessageRow, messagesIn } from '../../../../store/messaging/messages.ts';
import type { Store } from '../../../../store/port.ts';
import { wakeupsIn } from '../../../../store/scheduling/wakeups.ts';
import { webhooksIn } from '../../../../store/webhooks/webhooks.ts';
import { carryOut } from '../../../support/carry-out.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachRealStore } from '../../../support/stores.ts';

const TENANT = '01J9ZK3V5T8Q4W2N6R7X0Y1ABC';
const DEVICE = '01J9ZK3V5T8Q4W2N6R7X0Y1DEV';
const AGENTS = ['01J9ZK3V5T8Q4W2N6R7X0Y1AG1', '01J9ZK3V5T8Q4W2N6R7X0Y1AG2', '01J9ZK3V5T8Q4W2N6R7X0Y1AG3'];

/** What follows messages on one node. */
function aNode(store: Store) {
  const clock = new VirtualClock();
  const now = () => clock.now();
  const [chats, messages, agents, assignments] = [chatsIn(store), messagesIn(store), agentsIn(store), assignmentsIn(store)];
  const { people } = startIdentities(store, { chats, messages, devices: devicesIn(store), clock: systemClock });
  const webhooks = webhooksIn(store);
  const named = { list: async () => [{ events: ['chat.assigned'] }] as unknown as Awaited<ReturnType<typeof webhooks.list>> };
  const [events, interests] = [eventsIn(store), eventInterestsIn(store)];
  const eventLog = createEventLog({
    events,
    webhooks: named,
    interests,
    wakeups: wakeupsIn(store),
    clock,
    keptMs: 86_400_000,
    hint: () => {},
  });
  const announce = createAnnounce({ chats, eventLog });
  const choose = createChoice({ agents, assignments, chats, now });
  return {
    chats,
    messages,
    agents,
    assignments,
    eventLog,
    announce,
    choose,
    people,
    snoozeEnded: async () => {},
    follow: updateChats({ chats, messages, people, choose, announce, snoozeEnded: async () => {} }, now),
  };
}

async function aRule(store: Store, mode: 'round_robin' | 'least_busy') {
  const node = aNode(store);
  await store.prepare();
  for (const [nth, id] of AGENTS.entries()) await node.agents.add(agentRow(id, nth), AGENTS.length);
  await node.assignments.save(TENANT, { mode });
  const chatRows = async (): Promise<readonly ChatRow[]> =>
    Array.fromAsync(node.chats.list(TENANT, {}, { limit: 200, before: null, beforeId: null }));
  const told = () => store.collection({ name: 'events', indexes: [] }).countDocuments({ type: 'chat.assigned' });
  return { node, chatRows, told };
}

eachRealStore('the assignment of a chat', (kind) => {
  it('happens only once, even if several nodes process messages of the chat at the same time', async (t) => {
    const store = await kind.fresh(t);
    const { chatRows, told } = await aRule(store, 'round_robin');
    const nodes = [aNode(store), aNode(store)];
    const rows = Array.from({ length: 30 }, (_, nth) => inbound(nth));
    for (const row of rows) await nodes[0]!.messages.receive(row);
    await Promise.all(nodes.map(({ follow }) => carryOut(follow, rows)));
    await Promise.all(nodes.map(({ follow }) => carryOut(follow, rows)));
    const chats = await chatRows();
    assert.deepEqual([chats.length, chats.filter(({ assignments }) => assignments !== 1).length, await told()], [30, 0, 30]);
    for (const { agent_id } of chats) assert.ok(AGENTS.includes(agent_id ?? ''));
  });

  it('is kept and published even if the process crashes right after storing it', async (t) => {
    const store = await kind.fresh(t);
    const { node, chatRows, told } = await aRule(store, 'round_robin');
    const row = inbound(0);
    await node.messages.receive(row);
    const dying = updateChats({ ...node, announce: () => Promise.reject(new Error('killed')) }, () => 1);
    await assert.rejects(async () => carryOut(dying, [row]), /killed/);
    const [before] = await chatRows();
    assert.deepEqual([before?.outbox_pending, await told()], [true, 0]);
    await carryOut(node.follow, [row]);
    await carryOut(node.follow, [row]);
    const [after] = await chatRows();
    assert.deepEqual([after?.outbox_pending, after?.agent_id, after?.assignments, await told()], [false, before?.agent_id, 1, 1]);
  });

  it('is published by a sweep even if many events of another business cannot be published', async (t) => {
    const store = await kind.fresh(t);
    const { node, chatRows, told } = await aRule(store, 'round_robin');
    const row = inbound(1);
    await node.messages.receive(row);
    await carryOut(
      updateChats({ ...node, announce: async () => {} }, () => 2),
      [row],
    );
    const [own] = await chatRows();
    const broken = Array.from({ length: 150 }, (_, nth) => ({ ...own!, _id: `broken ${nth}`, tenant_id: 'broken', assigned_at: 1 }));
    await store.collection<ChatRow>({ name: 'chats', indexes: [] }).insertMany(broken);
    let attempts = 0;
    const announce: Announce = async (chats) => {
      if (chats.some(({ tenant_id }) => tenant_id === 'broken')) {
        attempts += 1;
        throw new Error('its events cannot be recorded');
      }
      await node.announce(chats);
    };
    await assert.rejects(processAssignmentOutbox(node, announce), /cannot be recorded/);
    assert.deepEqual([await told(), attempts], [1, 1]);
  });

  it('is published only once, even by two concurrent sweeps', async (t) => {
    const store = await kind.fresh(t);
    const { node, told } = await aRule(store, 'least_busy');
    const rows = Array.from({ length: 150 }, (_, nth) => inbound(nth));
    for (const row of rows) await node.messages.receive(row);
    await carryOut(
      updateChats({ ...node, announce: async () => {} }, () => 1),
      rows,
    );
    for (const id of AGENTS) assert.ok((await node.chats.loads(TENANT, AGENTS)).get(id)! > 0);
    await Promise.all([processAssignmentOutbox(node, node.announce), processAssignmentOutbox(aNode(store), node.announce)]);
    assert.equal(await told(), 150);
    assert.deepEqual(await node.chats.withOutbox(10, []), []);
  });
});

function agentRow(_id: string, nth: number): AgentRow {
  const times = { last_seen_at: 0, away_at: 0, created_at: nth, updated_at: nth, left_at: 0 };
  return {
    _id,
    tenant_id: TENANT,
    name: `no. ${nth}`,
    phone: `62813111100${nth}`,
    is_active: true,
    is_verified: true,
    is_gone: false,
    leaving: false,
    ...times,
  };
}

function inbound(nth: number): MessageRow {
  const chat = `6281211${String(nth).padStart(6, '0')}@s.whatsapp.net`;
  return aMessageRow({
    _id: `01JZX5ZB4T8QKX3N9V${String(nth).padStart(8, '0')}`,
    tenant_id: TENANT,
    session_id: DEVICE,
    direction: 'inbound',
    chat_id: chat,
    sender: chat,
    status: 'delivered',
    outbox_pending: true,
    created_at: nth,
  });
}
