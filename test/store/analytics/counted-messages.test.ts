import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BUCKET_MS, bucketAt } from '../../../store/analytics/bucket-row.ts';
import { type CountedMessages, countedMessagesIn } from '../../../store/analytics/counted-messages.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { messagesSpec } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { aDirectory, eachStore } from '../../support/stores.ts';
import { ranDuring } from '../engines/visited-rows.ts';

const AT = bucketAt(Date.UTC(2026, 5, 1));
const MANY = 1_300;
/** Of one question. */
const MAX_VISITED = 600;

/** A device with `MANY` messages in a quarter-hour, 300 of them at the same time, and others outside it. */
async function busy(store: Store) {
  const counted = countedMessagesIn(store);
  const rows = store.collection<MessageRow>(messagesSpec);
  await store.prepare();
  const message = (nth: number, created_at: number) => aMessageRow({ _id: `m${String(nth).padStart(5, '0')}`, created_at });
  const inside = Array.from({ length: MANY }, (_, nth) => message(nth, AT + Math.min(nth, MANY - 300)));
  const outside = Array.from({ length: MANY }, (_, nth) => message(MANY + nth, nth % 2 ? AT - 1 - nth : AT + BUCKET_MS + nth));
  await rows.insertMany([...inside, ...outside, aMessageRow({ _id: 'theirs', session_id: 'other', created_at: AT })]);
  return { counted, newestFirst: inside.map(({ _id }) => _id).toReversed() };
}

async function idsOf(counted: CountedMessages, at: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { _id } of counted.inBucket('s', at)) ids.push(_id);
  return ids;
}

eachStore('messages from a quarter-hour', (kind) => {
  it('are returned once each, newest first, even if many share a timestamp', async (t) => {
    const { counted, newestFirst } = await busy(await kind.fresh(t));
    assert.deepEqual(await idsOf(counted, AT), newestFirst);
    assert.deepEqual(await idsOf(counted, AT + 10 * BUCKET_MS), []);
  });
});

it('all messages from a quarter-hour are read in several bounded queries', async (t) => {
  const path = `${aDirectory(t)}/store.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const { counted, newestFirst } = await busy(store);
  const ran = await ranDuring(path, async () => assert.equal((await idsOf(counted, AT)).length, newestFirst.length));
  const visited = Math.max(...ran.map((one) => one.visited));
  assert.ok(visited <= MAX_VISITED, `${visited} rows looked at in one question`);
});
