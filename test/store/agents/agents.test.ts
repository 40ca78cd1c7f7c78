import assert from 'node:assert/strict';
import { it } from 'node:test';
import { agentsIn } from '../../../store/agents/agents.ts';
import { eachStore } from '../../support/stores.ts';

eachStore("an agent's logout", (kind) => {
  it('leaves the agent offline even if an earlier request is recorded afterwards', async (t) => {
    const store = await kind.fresh(t);
    const agents = agentsIn(store);
    await store.prepare();
    const lastSeen = async () => (await agents.find('t1', 'dewi'))?.last_seen_at;
    await agents.add(
      {
        _id: 'dewi',
        tenant_id: 't1',
        name: 'Dewi',
        phone: '6281211110001',
        is_active: true,
        is_verified: true,
        is_gone: false,
        leaving: false,
        left_at: 0,
        last_seen_at: 0,
        away_at: 0,
        created_at: 1,
        updated_at: 1,
      },
      1,
    );
    await agents.seen(['dewi'], 5);
    assert.equal(await lastSeen(), 5);
    await agents.away('t1', 'dewi', 10);
    await agents.seen(['dewi'], 10);
    assert.equal(await lastSeen(), 0);
    await agents.seen(['dewi'], 11);
    assert.equal(await lastSeen(), 11);
  });
});
