import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type StatusView, statusViewsIn } from '../../../store/messaging/status-views.ts';
import { eachStore } from '../../support/stores.ts';

eachStore('the views of a status', (kind) => {
  it('are kept once per viewer until the status expires, even if receipts have different times', async (t) => {
    const store = await kind.fresh(t);
    const views = statusViewsIn(store);
    const at = Date.UTC(2100, 0, 1);
    const look = { tenant_id: 't', session_id: 's', net_id: 'n', lid: null, name: null };
    await views.add({ ...look, phone: '6281211110001', at }, at);
    await views.add({ ...look, phone: '6281211110001', at: at + 1 }, at);
    await views.add({ ...look, phone: '6281211110002', at: at - 1 }, at);
    await views.add({ ...look, phone: '6281211110003', at: at - 2 }, at);
    const latest: readonly StatusView[] = await views.of('s', 'n', 2);
    assert.deepEqual(
      latest.map((view) => [view.phone, view.at, view.expires_at]),
      [
        ['6281211110001', at, at + 2 * 86_400_000],
        ['6281211110002', at - 1, at + 2 * 86_400_000],
      ],
    );
    assert.deepEqual([await views.count('s', 'n', 10), await views.count('s', 'n', 2), await views.count('s', 'm', 10)], [3, 2, 0]);
  });
});
