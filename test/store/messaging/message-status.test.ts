import assert from 'node:assert/strict';
import { it } from 'node:test';
import { safeText } from '../../../runtime/safe-text.ts';
import type { StoredStatus } from '../../../store/messaging/message-row.ts';
import { MESSAGE_TRANSITIONS, messageMove } from '../../../store/messaging/message-status.ts';
import { type Messages, messagesIn, messagesSpec } from '../../../store/messaging/messages.ts';
import { type ReceivedActions, receivedActionsIn } from '../../../store/messaging/received-actions.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { eachStore } from '../../support/stores.ts';

const OWNER = { tenantId: 't', sessionId: 's', epoch: 5 };
const STATUSES = Object.keys(MESSAGE_TRANSITIONS) as StoredStatus[];
const AT = 1_000;

type Row = ReturnType<typeof aMessageRow>;
type Step = (messages: Messages, actions: ReceivedActions, row: Row) => Promise<unknown>;

/** Everything that changes the status of a message. */
const STEPS: Readonly<Record<string, Step>> = {
  claim: (messages, _, row) => messages.claim(OWNER, [row], AT),
  retake: (messages) => messages.retake(OWNER, 10),
  ack: (messages, _, { _id }) => messages.mark(OWNER, [{ status: 'sent', ids: [_id], at: AT }]),
  'two acks': (messages, _, { _id }) => messages.mark(OWNER, [{ status: 'sent', ids: [_id, 'other'], at: AT }]),
  delivered: (messages, _, { net_id }) => messages.mark(OWNER, [{ status: 'delivered', netIds: [net_id], at: AT }]),
  read: (messages, _, { net_id }) => messages.mark(OWNER, [{ status: 'read', netIds: [net_id], at: AT }]),
  fail: (messages, _, { net_id }) => messages.markFailed(OWNER, net_id, 'x'),
  'hold back': (messages, _, { net_id }) => messages.holdBack(OWNER, net_id, { codes: [503], tries: 1, since: AT, until: AT }),
  cancel: (messages, _, { _id }) => messages.cancel('t', 's', _id),
  'cancel all': (messages) => messages.cancelWaiting('t', 's', AT, 10),
  'opt out': (messages, _, { chat_id }) => messages.cancelMarketing('t', [chat_id]),
  expire: (messages) => messages.expire(AT, 10),
  'refuse unpaid': (messages, _, row) => messages.refuseUnpaid(row),
  requeue: (messages, _, row) => messages.requeue(row, '2026-01'),
  erase: (messages, _, { _id }) => messages.erase('t', 's', _id, AT),
  deleted: (_, actions, { net_id: target }) => actions.apply(OWNER, { ...ACTION, target, kind: 'deleted' }),
  edited: (_, actions, { net_id: target }) => actions.apply(OWNER, { ...ACTION, target, kind: 'edited' }),
};

const ACTION = { _id: 'a', session_id: 's', net_id: 'a', body: safeText('new'), by: null, at: AT, expires_at: AT } as const;

eachStore("a message's status", (kind) => {
  it('changes only along the allowed transitions, in every operation', async (t) => {
    const store = await kind.fresh(t);
    const rows = store.collection<Row>(messagesSpec);
    const messages = messagesIn(store);
    const actions = receivedActionsIn(store);
    await store.prepare();
    const made = new Set<string>();
    for (const [step, run] of Object.entries(STEPS))
      for (const status of STATUSES) {
        const _id = `${step} ${status}`;
        const row = aMessageRow({ _id, created_at: 1, status, marketing: true, expires_at: 1, epoch: 1, chat_id: _id });
        await rows.insertOne(row);
        await run(messages, actions, row);
        const after = (await messages.find('t', 's', _id))?.status;
        if (after !== status) made.add(`${status} → ${after}`);
        await rows.deleteOne({ _id });
      }
    const legal = STATUSES.flatMap((from) => MESSAGE_TRANSITIONS[from].map((to) => `${from} → ${to}`));
    assert.deepEqual([...made].toSorted(), legal.toSorted());
  });

  it('keeps its unknown_since time across retries and later errors', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    await store.prepare();
    const failed = { status: 'failed', error: 'unknown_outcome', claimed_at: 7, marketing: true, chat_id: 'who' } as const;
    await messages.accept(aMessageRow({ _id: 'm', created_at: 1, ...failed }));
    const retried = async () => messages.requeue((await messages.find('t', 's', 'm'))!, '2026-01');
    assert.equal((await retried())?.unknown_since, 7);
    await messages.cancelMarketing('t', ['who']);
    assert.equal((await messages.find('t', 's', 'm'))?.error, 'opted_out');
    assert.equal((await retried())?.unknown_since, 7);
  });
});

it('invalid transitions of a message status are rejected at compile time and at run time', () => {
  // @ts-expect-error: what is read was delivered.
  assert.throws(() => messageMove('delivered', 'read'), /no move from read to delivered/);
  assert.deepEqual(messageMove('sending').from, { status: 'queued' });
  assert.deepEqual(messageMove('failed', 'sending', 'sent').from, { status: { $in: ['sending', 'sent'] } });
});
