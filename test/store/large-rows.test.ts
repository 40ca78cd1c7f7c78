import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ContactRow, contactsIn } from '../../store/contacts/contacts.ts';
import { eventsIn } from '../../store/events/events.ts';
import { type MessageRow, messagesIn, messagesSpec } from '../../store/messaging/messages.ts';
import { batchesOf } from '../../store/patterns/batches-of.ts';
import { aMessageRow } from '../support/message-row.ts';
import { embedded } from '../support/stores.ts';
import { leastOfThree } from '../support/turns.ts';

/** A text of this is six times as long as JSON. */
const CONTROL = '\u0001';
const OWNER = { tenantId: 't1', sessionId: 's1', epoch: 2 };
/** One turn; all of the rows in one took 100 ms and more. */
const MS = 50;

const VARS = { var1: null, var2: null, var3: null, var4: null, var5: null };
const aContact = (over: Pick<ContactRow, '_id' | 'phone' | 'attrs'>): ContactRow => ({
  ...VARS,
  ...{ tenant_id: 't1', country: null, name: null, group_id: null, tag_ids: [], last_message_at: null, made_by: null },
  ...{ rev: 1, created_at: 1, updated_at: 1 },
  ...over,
});

const inBatches = async (rows: AsyncIterable<unknown>): Promise<number[]> => {
  const sizes: number[] = [];
  for await (const some of batchesOf(rows)) sizes.push(some.length);
  return sizes;
};

describe('records with texts of maximum length', () => {
  it('are read at most 1 MB per tick when events are processed and when devices are taken over', async (t) => {
    const store = await embedded.fresh(t);
    const [messages, events] = [messagesIn(store), eventsIn(store)];
    await store.prepare();
    const body = CONTROL.repeat(65_536);
    const rows = Array.from({ length: 50 }, (_, nth) =>
      aMessageRow({
        _id: `m${nth + 10}`,
        net_id: `n${nth}`,
        tenant_id: 't1',
        session_id: 's1',
        status: 'sending',
        outbox_pending: true,
        epoch: 1,
        created_at: 1,
        body,
      }),
    );
    await store.collection<MessageRow>(messagesSpec).insertMany(rows, { ordered: false });
    const event = { tenant_id: 't1', type: 'message.sent', session_id: 's1', fanned: false, batch: 0, data: { body } } as const;
    await events.add(rows.map(({ _id }) => ({ ...event, _id, row: _id, occurred_at: 1, expires_at: 1e15 })));
    for (const read of [() => inBatches(messages.withOutbox(OWNER, 100)), () => inBatches(events.unfanned('t1', 200))]) {
      let sizes: number[] = [];
      const ms = await leastOfThree(async () => (sizes = await read()));
      assert.deepEqual([sizes.reduce((sum, size) => sum + size), Math.max(...sizes)], [50, 3]);

      assert.ok(ms < MS, `${ms} ms`);
    }
    const ms = await leastOfThree(async () => assert.equal((await messages.retake(OWNER, 1_000)).length, 50));
    assert.ok(ms < MS, `${ms} ms`);
  });

  it('are read and changed at most 1 MB per tick by contact exports and bulk changes', async (t) => {
    const store = await embedded.fresh(t);
    const contacts = contactsIn(store);
    await store.prepare();
    const attrs = Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`a${nth}`, CONTROL.repeat(500)]));
    const ids = Array.from({ length: 40 }, (_, nth) => `c${nth + 100}`);
    await contacts.addMany(ids.map((_id) => aContact({ _id, phone: _id, attrs })));
    const read = await leastOfThree(async () => assert.equal((await contacts.oldest('t1', {}, 100, '')).length, 40));
    assert.ok(read < MS, `${read} ms to read`);
    let tag = 0;
    const tagged = await leastOfThree(async () => {
      tag += 1;
      assert.equal(await contacts.tag('t1', ids, `tag ${tag}`, 50, 1), 40);
    });
    assert.ok(tagged < MS, `${tagged} ms to tag`);
  });
});
