import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runYear } from '../support/billing/year.ts';
import { eachStore } from '../support/stores.ts';

/** A server takes many times as long. */
const SIZE = { embedded: { tenants: 12, days: 120 }, mongodb: { tenants: 2, days: 40 } };

// `npm run faults:billing` is the long form.
eachStore('months of tenants who pay as people do', (kind) => {
  it('leave no gap in the numbers, no sum that is wrong and no plan that was not paid for, while processes die', async (t) => {
    const run = { store: await kind.fresh(t), seed: 3, deaths: 0.05, ...SIZE[kind.name] };
    const { wrong, ...figures } = await runYear(run);
    assert.deepEqual(wrong, []);
    const named = Object.entries(figures).filter(([name]) => kind.name === 'embedded' || name === 'paid');
    for (const [name, figure] of named) assert.ok(figure > 0, `no ${name}: this proves nothing`);
  });
});
