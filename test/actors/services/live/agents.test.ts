import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { it } from 'node:test';
import { Hub } from '../../../../actors/services/live/hub.ts';
import { type StreamEvent, toStreamEvent } from '../../../../actors/services/live/stream-event.ts';
import type { Assignees, AssigneesOf, Viewer } from '../../../../actors/services/live/visibility.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';

const TENANT = 'acme';
const ofLogin = { keyId: null, keyHash: null, tokenExpiresAt: 1, sessionIds: null, events: null, address: '127.0.0.1' } as const;
const DEWI: Viewer = { tenantId: TENANT, role: 'agent', agentId: 'dewi', family: 'f', manages: false, ...ofLogin };
const OWNER: Viewer = { ...DEWI, role: 'admin', agentId: TENANT, manages: true };

/** A node's streams, with chats assigned as told. */
function aHub(assigneesOf: AssigneesOf) {
  const clock = new VirtualClock();
  const hub = new Hub({ clock, assigneesOf, mostPerTenant: 20, most: 100 });
  const listen = (viewer: Viewer) => {
    const sink = new PassThrough();
    hub.open(viewer, sink);
    return { sink, ids: () => String(sink.read() ?? '').match(/(?<=^id: ).*/gm) ?? [] };
  };
  const settle = () => clock.advance(0);
  return { hub, listen, settle };
}

function lineOf(id: string, type: string, chat: string | null = null): StreamEvent {
  return toStreamEvent(TENANT, { id, type, session_id: 's', occurred_at: 1, data: chat === null ? {} : { chat_id: chat } });
}

it('an agent receives the events of devices and of visible chats, and the owner receives all', async () => {
  const assigned: Readonly<Record<string, string>> = { 'for dewi': 'dewi', 'for budi': 'budi' };
  const { hub, listen, settle } = aHub(async (_tenant, _session, chat) => [assigned[chat] ?? null]);
  const [dewi, owner] = [listen(DEWI), listen(OWNER)];
  hub.add([
    lineOf('1', 'message.received', 'for dewi'),
    lineOf('2', 'message.received', 'for budi'),
    lineOf('3', 'message.received', 'for anybody'),
    lineOf('4', 'session.connected'),
    lineOf('5', 'qr.generated'),
    lineOf('6', 'blast.progress'),
  ]);
  await settle();
  assert.deepEqual(dewi.ids(), ['1', '3', '4']);
  assert.deepEqual(owner.ids(), ['1', '2', '3', '4', '5', '6']);
});

it('live events are sent in order, even if visibility checks are slow', async () => {
  const asked: ((assignees: Assignees) => void)[] = [];
  const { hub, listen, settle } = aHub(() => new Promise((resolve) => asked.push(resolve)));
  const dewi = listen(DEWI);
  hub.add([lineOf('1', 'message.received', 'a')]);
  await settle();
  hub.add([lineOf('2', 'session.connected')]);
  await settle();
  assert.deepEqual(dewi.ids(), []);
  asked[0]!([null]);
  await settle();
  assert.deepEqual(dewi.ids(), ['1', '2']);
});

it("an agent's stream is closed if the chat assignments cannot be read, but the owner's stays open", async () => {
  const { hub, listen, settle } = aHub(() => Promise.reject(new Error('the store is away')));
  const [dewi, owner] = [listen(DEWI), listen(OWNER)];
  hub.add([lineOf('1', 'message.received', 'a')]);
  await settle();
  assert.deepEqual([dewi.sink.destroyed, owner.sink.destroyed, hub.size], [true, false, 1]);
});

it('all events of one event-loop tick are sent in a single write, with the same bytes for all clients', async () => {
  const { hub, listen, settle } = aHub(async () => [null]);
  const readers = [listen(OWNER), listen(OWNER)];
  const writes = readers.map(({ sink }) => {
    const chunks: unknown[] = [];
    sink.on('data', (chunk) => chunks.push(chunk));
    return chunks;
  });
  await settle();
  hub.add([lineOf('1', 'message.sent')]);
  hub.add([lineOf('2', 'message.sent'), lineOf('3', 'message.sent')]);
  await settle();
  assert.deepEqual(
    writes.map((chunks) => chunks.length),
    [2, 2],
    'the greeting, and one more',
  );
  assert.equal(writes[0]![1], writes[1]![1]);
});
