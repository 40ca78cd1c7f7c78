import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SHOWN_MS, type StatusDeps, statusesOf, statusOf } from '../../../../actors/services/statuses/statuses.ts';
import type { DeviceRow } from '../../../../store/devices/devices.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const DAY = 100 * SHOWN_MS;
const DEVICE = { _id: 's', tenant_id: 't' } as DeviceRow;

eachStore('statuses of a device', (kind) => {
  it('are those of the last day that were not deleted, and no messages', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    await store.prepare();
    const status = { chat_id: 'status@broadcast', status: 'sent' } as const;
    await messages.accept(aMessageRow({ _id: 'old', created_at: DAY - SHOWN_MS, ...status }));
    await messages.accept(aMessageRow({ _id: 'new', created_at: DAY - SHOWN_MS + 1, ...status }));
    await messages.accept(aMessageRow({ _id: 'deleted', created_at: DAY - 2, ...status, status: 'deleted' }));
    await messages.accept(aMessageRow({ _id: 'message', created_at: DAY - 1 }));
    const deps = { messages } as unknown as StatusDeps;
    const shown = async (now: number) => (await statusesOf(deps, DEVICE, now)).map(({ _id }) => _id);
    assert.deepEqual(await shown(DAY), ['new']);
    assert.deepEqual(await shown(DAY + 1), []);
    assert.equal((await statusOf(deps, DEVICE, 'new', DAY))._id, 'new');
    for (const id of ['old', 'deleted', 'message', 'unknown'])
      await assert.rejects(statusOf(deps, DEVICE, id, DAY), { code: 'NOT_FOUND' }, id);
  });
});
