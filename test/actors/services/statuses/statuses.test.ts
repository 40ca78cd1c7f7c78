import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SHOWN_MS, statusesOf, statusOf } from '../../../../actors/services/statuses/statuses.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const HOUR = 3_600_000;
const FIRST = { limit: 50, before: null, beforeId: null };

eachStore('a status that waited for its device', (kind) => {
  it('is there for the day after it was sent', async (t) => {
    const messages = messagesIn(await kind.fresh(t));
    const sent_at = 20 * HOUR;
    await messages.accept(aMessageRow({ _id: 'late', created_at: 1, chat_id: 'status@broadcast', status: 'sent', sent_at }));
    await messages.accept(aMessageRow({ _id: 'lost', created_at: 1, chat_id: 'status@broadcast' }));
    const deps = { messages };
    const device = { _id: 's', tenant_id: 't' };
    const shownAt = async (now: number) => (await statusesOf(deps, device, FIRST, now)).rows.map(({ _id }) => _id);
    assert.deepEqual((await shownAt(SHOWN_MS)).toSorted(), ['late', 'lost']);
    const later = sent_at + SHOWN_MS - 1;
    assert.deepEqual(await shownAt(later), ['late']);
    assert.equal((await statusOf(deps, device, 'late', later))._id, 'late');
    await assert.rejects(statusOf(deps, device, 'lost', later), { code: 'NOT_FOUND' });
    assert.deepEqual(await shownAt(later + 1), []);
    await assert.rejects(statusOf(deps, device, 'late', later + 1), { code: 'NOT_FOUND' });
  });
});

eachStore('a list of statuses', (kind) => {
  it('goes on behind many that were deleted', async (t) => {
    const messages = messagesIn(await kind.fresh(t));
    const at = (nth: number) => ({ created_at: HOUR - nth, chat_id: 'status@broadcast' }) as const;
    const named = (nth: number) => ({ _id: `m${1_000 + nth}`, net_id: `n${nth}`, ...at(nth) });
    for (let nth = 0; nth < 210; nth += 1) await messages.accept(aMessageRow({ ...named(nth), status: 'deleted' }));
    for (let nth = 210; nth < 213; nth += 1) await messages.accept(aMessageRow({ ...named(nth), status: 'sent', sent_at: HOUR }));
    const device = { _id: 's', tenant_id: 't' };
    const first = await statusesOf({ messages }, device, { ...FIRST, limit: 2 }, 2 * HOUR);
    assert.deepEqual(
      first.rows.map(({ _id }) => _id),
      ['m1210', 'm1211'],
    );
    const page = { limit: 2, before: first.next?.created_at ?? null, beforeId: first.next?._id ?? null };
    const last = await statusesOf({ messages }, device, page, 2 * HOUR);
    assert.deepEqual([last.rows.map(({ _id }) => _id), last.next], [['m1212'], null]);
  });
});
