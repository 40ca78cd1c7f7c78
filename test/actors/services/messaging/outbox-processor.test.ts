import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type OutboxHandler, OutboxProcessor } from '../../../../actors/services/messaging/outbox-processor.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { type MessageRow, type Messages, messagesIn, type Owner } from '../../../../store/messaging/messages.ts';
import { isDuplicateKey } from '../../../../store/port.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const OWNER: Owner = { tenantId: 't', sessionId: 's', epoch: 1 };

/** Rows that owe something, and what was done about them. */
function aLedger(of: readonly OutboxHandler[] | ((rows: readonly MessageRow[]) => Promise<void>)) {
  const outboxHandlers =
    typeof of === 'function' ? [{ name: 'step', plan: (rows: readonly MessageRow[]) => ({ alone: () => of(rows) }) }] : of;
  const clock = new VirtualClock();
  const withOutbox = new Set<string>();
  const failures: unknown[] = [];
  const messages = {
    async *withOutbox() {
      yield* [...withOutbox].map((_id) => ({ _id, rev: 1 }));
    },
    outboxProcessed: async (rows: readonly MessageRow[]) => rows.forEach(({ _id }) => void withOutbox.delete(_id)),
  } as unknown as Messages;
  const outboxProcessor = new OutboxProcessor({ store: {}, messages, clock, outboxHandlers }, OWNER, (cause) => failures.push(cause));
  return { clock, withOutbox, failures, outboxProcessor };
}

it('the outbox processor accepts entries that arrive while it is processing others', async () => {
  const done: string[] = [];
  const { clock, withOutbox, outboxProcessor } = aLedger(async (rows) => void done.push(...rows.map(({ _id }) => _id)));
  for (let i = 0; i < 50; i += 1) {
    withOutbox.add(`m${i}`);
    outboxProcessor.processOutbox();
    // A different number of turns each time, to meet every moment of a settlement.
    for (let turn = 0; turn < i % 12; turn += 1) await Promise.resolve();
  }
  await clock.advance(0);
  assert.equal(withOutbox.size, 0);
  assert.ok(done.includes('m49'));
});

it('the outbox processor reports and retries a failed step, and keeps its entry until the step succeeds', async () => {
  let broken = true;
  const { clock, withOutbox, failures, outboxProcessor } = aLedger(async () => {
    if (broken) throw new Error('not now');
  });
  withOutbox.add('m1');
  outboxProcessor.processOutbox();
  await clock.advance(1_000);
  assert.deepEqual([withOutbox.size, failures.length], [1, 1]);
  broken = false;
  await clock.advance(5_000);
  assert.deepEqual([withOutbox.size, failures.length], [0, 1]);
});

it('the outbox processor has only one pending retry for a step that always fails, however often it is woken', async () => {
  const { clock, withOutbox, failures, outboxProcessor } = aLedger(async () => {
    throw new Error('not now');
  });
  withOutbox.add('m1');
  for (let hint = 0; hint < 3; hint += 1) {
    outboxProcessor.processOutbox();
    await clock.advance(0);
  }
  assert.equal(clock.pending, 1);
  await clock.advance(5_000);
  assert.deepEqual([failures.length, clock.pending], [4, 1]);
});

it('the outbox processor writes the planned changes of each step before it runs the next step', async () => {
  const done: string[] = [];
  const writing = (name: string): OutboxHandler => ({
    name,
    plan: () => ({ writes: [async () => void done.push(name)], stored: () => void done.push(`${name} is stored`) }),
  });
  const more: OutboxHandler = { name: 'more', plan: () => ({ alone: async () => void done.push('more') }) };
  const { clock, withOutbox, outboxProcessor } = aLedger([writing('a'), { name: 'nothing', plan: () => null }, more, writing('b')]);
  withOutbox.add('m1');
  outboxProcessor.processOutbox();
  await clock.advance(0);
  assert.deepEqual([done, withOutbox.size], [['a', 'a is stored', 'more', 'b', 'b is stored'], 0]);
});

it('the outbox processor keeps the results of the steps before one that failed', async () => {
  const done: string[] = [];
  const first: OutboxHandler = { name: 'first', plan: () => ({ writes: [async () => void done.push('first')] }) };
  const broken: OutboxHandler = { name: 'broken', plan: () => Promise.reject(new Error('not now')) };
  const { clock, withOutbox, outboxProcessor } = aLedger([first, broken]);
  withOutbox.add('m1');
  outboxProcessor.processOutbox();
  await clock.advance(0);
  assert.deepEqual([done, withOutbox.size], [['first'], 1]);
});

it('the outbox processor stops retrying entries when its owner stops', async () => {
  const { clock, withOutbox, outboxProcessor } = aLedger(async () => {
    throw new Error('not now');
  });
  withOutbox.add('m1');
  outboxProcessor.processOutbox();
  await clock.advance(0);
  outboxProcessor.end();
  await clock.advance(60_000);
  assert.equal(clock.pending, 0);
});

eachStore("a message's side effects", (kind) => {
  it('are stored up to the first one that fails, and the message then stays in the outbox', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    const marks = store.collection<{ _id: string }>({ name: 'notes', indexes: [] });
    await store.prepare();
    await messages.accept(aMessageRow({ _id: 'm', created_at: 1, outbox_pending: true, rev: 1 }));
    await marks.insertOne({ _id: 'taken' });
    const noting = (_id: string): OutboxHandler => ({ name: _id, plan: () => ({ writes: [() => marks.insertOne({ _id })] }) });
    const failed = Promise.withResolvers<unknown>();
    const outboxHandlers = [noting('first'), noting('taken'), noting('behind')];
    new OutboxProcessor({ store, messages, clock: new VirtualClock(), outboxHandlers }, OWNER, failed.resolve).processOutbox();
    assert.ok(isDuplicateKey(await failed.promise));
    assert.deepEqual(
      (await marks.find({}, { sort: { _id: 1 } }).toArray()).map(({ _id }) => _id),
      ['first', 'taken'],
    );
    assert.equal((await messages.find('t', 's', 'm'))?.outbox_pending, true);
  });
});

eachStore("a message's last side effect", (kind) => {
  it("is stored together with the message's completion, or neither is stored", async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    const marks = store.collection<{ _id: string }>({ name: 'notes', indexes: [] });
    await store.prepare();
    await messages.accept(aMessageRow({ _id: 'm', created_at: 1, outbox_pending: true, rev: 1 }));
    await marks.insertOne({ _id: 'm' });
    const stored = async () => [(await messages.find('t', 's', 'm'))?.outbox_pending, (await marks.findOne({ _id: 'm' })) !== null];
    const seen: unknown[] = [];
    const clock = new VirtualClock();
    const failed = Promise.withResolvers<unknown>();
    const processed = Promise.withResolvers<void>();
    const last: OutboxHandler = { name: 'last', plan: () => ({ writes: [() => marks.insertOne({ _id: 'm' })] }) };
    const watched: Messages = {
      ...messages,
      async outboxProcessed(rows) {
        await messages.outboxProcessed(rows);
        processed.resolve();
      },
    };
    const outboxProcessor = new OutboxProcessor({ store, messages: watched, clock, outboxHandlers: [last] }, OWNER, failed.resolve);
    outboxProcessor.processOutbox();
    assert.ok(isDuplicateKey(await failed.promise));
    seen.push(await stored());
    await marks.deleteOne({ _id: 'm' });
    await clock.advance(5_000);
    await processed.promise;
    seen.push(await stored());
    assert.deepEqual(seen, [
      [true, true],
      [false, true],
    ]);
  });
});
