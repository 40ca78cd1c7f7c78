import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SHOWN_MS, statusesOf, statusOf } from '../../../../actors/services/statuses/statuses.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const HOUR = 3_600_000;

eachStore('a status that waited for its device', (kind) => {
  it('is there for the day after it was sent', async (t) => {
    const messages = messagesIn(await kind.fresh(t));
    const sent_at = 20 * HOUR;
    await messages.accept(aMessageRow({ _id: 'late', created_at: 1, chat_id: 'status@broadcast', status: 'sent', sent_at }));
    await messages.accept(aMessageRow({ _id: 'lost', created_at: 1, chat_id: 'status@broadcast' }));
    const deps = { messages };
    const device = { _id: 's', tenant_id: 't' };
    const shownAt = async (now: number) => (await statusesOf(deps, device, now)).map(({ _id }) => _id);
    assert.deepEqual((await shownAt(SHOWN_MS)).toSorted(), ['late', 'lost']);
    const later = sent_at + SHOWN_MS - 1;
    assert.deepEqual(await shownAt(later), ['late']);
    assert.equal((await statusOf(deps, device, 'late', later))._id, 'late');
    await assert.rejects(statusOf(deps, device, 'lost', later), { code: 'NOT_FOUND' });
    assert.deepEqual(await shownAt(later + 1), []);
    await assert.rejects(statusOf(deps, device, 'late', later + 1), { code: 'NOT_FOUND' });
  });
});
