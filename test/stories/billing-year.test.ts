import assert from 'node:assert/strict';
import { it } from 'node:test';
import { GUARDS } from '../support/billing/guards.ts';
import { runYear, type YearVerdict } from '../support/billing/year.ts';
import { eachStore, embedded, scoped } from '../support/stores.ts';

/** A server takes many times as long. */
const SIZE = { embedded: { tenants: 12, days: 120 }, mongodb: { tenants: 2, days: 40 } };

// `npm run faults:billing` is the long form.
eachStore('simulated months of tenants with payments', (kind) => {
  it('have correct invoice numbers and totals and no unpaid plans, even if processes crash', async (t) => {
    const run = { store: await kind.fresh(t), seed: 3, deaths: 0.05, ...SIZE[kind.name] };
    const { wrong, ...figures } = await runYear(run);
    assert.deepEqual(wrong, []);
    const named = Object.entries(figures).filter(([name]) => kind.name === 'embedded' || name === 'paid');
    for (const [name, figure] of named) assert.ok(figure > 0, `no ${name}: this proves nothing`);
  });
});

/** Whether harm occurs depends on the seed, so at least one of these seeds must show it. */
const SEEDS = 8;

for (const without of GUARDS)
  it(`simulated months are reported as incorrect if a safeguard is removed: ${without}`, async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) if ((await unguardedMonths(seed, without)).wrong.length > 0) return;
    assert.fail(`none of ${SEEDS} seeds showed harm`);
  });

const unguardedMonths = (seed: number, without: (typeof GUARDS)[number]): Promise<YearVerdict> =>
  scoped(async (scope) => runYear({ store: await embedded.fresh(scope), seed, without, deaths: 0.3, tenants: 20, days: 60 }));
