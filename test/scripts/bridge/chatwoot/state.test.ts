import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { Bridge } from '../../../../scripts/bridge/chatwoot/context.ts';
import { unknownPerson } from '../../../../scripts/bridge/chatwoot/people.ts';
import { Puller } from '../../../../scripts/bridge/chatwoot/puller.ts';
import { BridgeState } from '../../../../scripts/bridge/chatwoot/state.ts';
import { aDirectory } from '../../../support/stores.ts';

const HIDDEN = '900000000000001@lid';
const KNOWN = '6281211110001@s.whatsapp.net';
const PART = { part: 0, chat: HIDDEN, media: null, message: null, status: null, askedAt: null };

function aState(t: TestContext) {
  const file = join(aDirectory(t), 'chatwoot.state');
  const state = new BridgeState(file);
  t.after(() => state.close());
  return { state, holds: (text: string): boolean => readFileSync(file).includes(text) };
}

it('the bridge state deletes both addresses of a person whose chats were merged', (t) => {
  const { state, holds } = aState(t);
  state.save({ ...unknownPerson(HIDDEN), conversation: 1 });
  state.add({ name: 'received:1', lane: HIDDEN, body: '{}', once: true }, 1);
  state.ask('gw:1', HIDDEN, 1, 1);
  state.saveAnswer({ ...PART, cw: 9, conversation: 2 }, 1);
  state.merge(HIDDEN, KNOWN);
  assert.deepEqual(state.chats(), [KNOWN]);
  state.forget(KNOWN);
  assert.ok(!holds(HIDDEN) && !holds(KNOWN));
  assert.deepEqual([state.setting('reached:1'), state.setting('reached:2')], ['0', '9']);
});

it('the bridge state lists people without a conversation so that they can be deleted', (t) => {
  const { state, holds } = aState(t);
  state.add({ name: 'sent:1', lane: KNOWN, body: '{}', once: true }, 1);
  assert.deepEqual(state.chats(), [KNOWN]);
  state.forget(KNOWN);
  assert.ok(!holds(KNOWN));
});

it('an event is queued in the merged chat if a later event on the same page merges its chat', async (t) => {
  const { state } = aState(t);
  const event = (id: string, type: string, data: object) => ({ id, type, session_id: 'd', occurred_at: 1, data });
  const received = event('1', 'message.received', { message_id: 'm1', chat_id: HIDDEN });
  const merged = event('2', 'contact.merged', { chat_ids: [KNOWN, HIDDEN] });
  const parts: unknown = {
    ...{ state, settings: { session: 'd', inbox: 1 }, clock: { now: () => 1 } },
    gateway: { call: async () => ({ events: [received, merged], next: '2', gap: false }) },
  };
  await new Puller(parts as Bridge).pull();
  assert.deepEqual(
    state.due(1).map(({ lane }) => lane),
    [KNOWN],
  );
});
