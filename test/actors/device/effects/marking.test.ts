import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Marking } from '../../../../actors/device/effects/marking.ts';
import type { StoredReceipt } from '../../../../actors/device/effects/receipt-batcher.ts';
import { SendScheduler, type SendSchedulerDeps } from '../../../../actors/device/effects/send-scheduler.ts';
import { type OutboxHandler, OutboxProcessor } from '../../../../actors/services/messaging/outbox-processor.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { safeTexts } from '../../../../runtime/safe-text.ts';
import { SerialQueue } from '../../../../runtime/serial-queue.ts';
import { until as within } from '../../../../scripts/faults/processes.ts';
import { messagesIn, type Owner } from '../../../../store/messaging/messages.ts';
import { rowOf } from '../../../support/rows.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const OWNER: Owner = { tenantId: 't', sessionId: 's', epoch: 1 };

const until = async (what: string, check: () => Promise<boolean> | boolean) => assert.ok(await within(10_000, async () => check()), what);

/** A message on the wire, whose consequence is a note of its status. */
async function onTheWire(kind: StoreKind, t: Scope, change: Partial<OutboxHandler> = {}, before: readonly OutboxHandler[] = []) {
  const store = await kind.fresh(t);
  const messages = messagesIn(store);
  const notes = store.collection<{ _id: string }>({ name: 'notes', indexes: [] });
  await store.prepare();
  const row = rowOf('a', 1);
  await messages.accept(row);
  await messages.claim(OWNER, [row], 1);
  const noting: OutboxHandler = {
    name: 'notes',
    plan: (rows) => ({
      writes: rows.map(
        ({ status }) =>
          () =>
            notes.updateOne({ _id: status }, { $set: { _id: status } }, { upsert: true }),
      ),
    }),
    ...change,
  };
  const failures: unknown[] = [];
  const stored: StoredReceipt[] = [];
  const deps = { store, messages, clock: systemClock, outboxHandlers: [...before, noting] };
  const outboxProcessor = new OutboxProcessor(deps, OWNER, (cause) => failures.push(cause));
  t.after(() => outboxProcessor.end());
  const ledger = new SerialQueue();
  const marking = new Marking({
    ...{ store, messages, owner: OWNER, ledger, outboxProcessor },
    stored: (receipts) => void stored.push(...receipts),
    failed: (cause) => failures.push(cause),
    formsOf: async () => new Map(),
  });
  const seen = async () => {
    const now = await messages.find('t', 's', 'a');
    const noted = (await notes.find({}, { sort: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    return { status: now?.status, times: [now?.sent_at, now?.delivered_at], isPending: now?.outbox_pending, noted };
  };
  return { messages, row, ledger, marking, outboxProcessor, stored, failures, seen };
}

eachStore('a message status reported by the network', (kind) => {
  it('is stored before its side effects run, and is acknowledged only after it is stored', async (t) => {
    const { marking, row, stored, seen } = await onTheWire(kind, t);
    marking.sent('a', 5);
    marking.receipt(safeTexts({ type: 'receipt', token: 'r', netIds: [row.net_id], status: 'delivered', at: 6 }), 1);
    assert.equal(stored.length, 0);
    await until('it is told', () => stored.length === 1);
    assert.deepEqual(((now) => [now.status, now.times])(await seen()), ['delivered', [5, 6]]);
    await until('what follows is stored', async () => (await seen()).isPending === false);
    assert.ok((await seen()).noted.includes('delivered'));
  });

  it('is stored even if the message changes while side effects are being planned', async (t) => {
    const world = await onTheWire(kind, t, {
      plan: async (rows) => {
        if (rows.some(({ status }) => status === 'sent')) await world.messages.markFailed(OWNER, world.row.net_id, 'refused');
        world.outboxProcessor.processOutbox();
        return { writes: [] };
      },
    });
    world.marking.sent('a', 5);
    await until('the refusal is stored', async () => (await world.seen()).status === 'failed');
    await until('nothing is pending', async () => (await world.seen()).isPending === false);
    assert.deepEqual([world.failures, (await world.seen()).times], [[], [kind.name === 'embedded' ? null : 5, null]]);
  });

  it('is stored together with its side effects even if the first attempt to write them failed', async (t) => {
    let isBroken = true;
    const breaks = (): Promise<unknown> => {
      isBroken = false;
      throw new Error('not now');
    };
    const world = await onTheWire(kind, t, {}, [{ name: 'breaks once', plan: () => (isBroken ? { writes: [breaks] } : null) }]);
    world.marking.sent('a', 5);
    await until('it and what follows are stored', async () => {
      const { status, isPending, noted } = await world.seen();
      return status === 'sent' && !isPending && noted.includes('sent');
    });
  });

  it('is stored before any side effect that goes beyond a write to the store', async (t) => {
    const done: unknown[] = [];
    const world = await onTheWire(kind, t, {
      plan: () => ({ alone: async () => void done.push((await world.seen()).status) }),
    });
    world.marking.sent('a', 5);
    await until('nothing is pending', async () => done.length > 0 && (await world.seen()).isPending === false);
    assert.deepEqual(done, ['sent']);
  });

  it('is applied before a later read of the message', async (t) => {
    const { marking, ledger, seen } = await onTheWire(kind, t);
    marking.sent('a', 5);
    marking.hurry();
    assert.equal(await ledger.run(() => marking.behind(async () => (await seen()).status)), 'sent');
  });
});

it('a message that reached its final status before it could be claimed triggers an outbox poll', async () => {
  const [leaves, stopped] = [rowOf('leaves', 1), rowOf('stopped', 1)];
  let told = 0;
  const messages: SendSchedulerDeps['messages'] = { claim: async (_owner, rows) => rows.filter(({ _id }) => _id !== stopped._id) };
  const unused = {} as Pick<SendSchedulerDeps, 'queue' | 'days'>;
  const scheduler = new SendScheduler({ ...unused, messages, unheard: { among: () => [] }, timers: { of: () => null } }, OWNER, () => {
    told += 1;
  });
  await scheduler.claim([leaves], null, 1);
  assert.equal(told, 0);
  await scheduler.claim([leaves, stopped], null, 1);
  assert.equal(told, 1);
});
