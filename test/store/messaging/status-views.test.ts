import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type StatusView, statusViewsIn } from '../../../store/messaging/status-views.ts';
import { eachStore } from '../../support/stores.ts';

eachStore('who looked at a status', (kind) => {
  it('is kept until the status is over, and no more', async (t) => {
    const store = await kind.fresh(t);
    const views = statusViewsIn(store);
    const at = Date.UTC(2100, 0, 1);
    await views.add({ tenant_id: 't', session_id: 's', net_id: 'n', phone: '6281211110001', lid: null, name: null, at });
    const [view]: readonly StatusView[] = await views.of('s', ['n']);
    assert.equal(view?.expires_at, at + 2 * 86_400_000);
  });
});
