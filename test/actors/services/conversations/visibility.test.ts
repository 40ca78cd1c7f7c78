import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createVisibility } from '../../../../actors/services/conversations/visibility.ts';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import type { DeviceRow } from '../../../../store/devices/devices.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { eachStore } from '../../../support/stores.ts';

const MANY = 17_000;

eachStore('the chats visible to an agent', (kind) => {
  it('are all found, even if they do not fit in one store lookup', async (t) => {
    const store = await kind.fresh(t);
    const [chats, messages] = [chatsIn(store), messagesIn(store)];
    await store.prepare();
    const visibility = createVisibility({
      chats,
      messages,
      people: { resolve: (_tenant, address) => address, resolveAll: async (_tenant, all) => all },
    });
    const device = { _id: 'd1', tenant_id: 't1' } as DeviceRow;
    const keep = visibility.filter<string>('dewi', device, (chat) => chat);
    const all = Array.from({ length: MANY }, (_, nth) => `${6281200000000 + nth}@s.whatsapp.net`);
    assert.equal((await keep?.(all))?.length, MANY);
  });
});
