import assert from 'node:assert/strict';
import { it } from 'node:test';
import { POOLS } from '../../../scripts/bench/shares/pools.ts';
import { runShare } from '../../../scripts/bench/shares/run.ts';
import { openWorld } from '../../../scripts/bench/shares/world.ts';
import { aDirectory, eachStore } from '../../support/stores.ts';

/** More than any pool lets one tenant have, waiting or not. */
const COPIES = 40;
const RUN = { asks: 2, withinMs: Number.POSITIVE_INFINITY, rounds: 1, copies: COPIES, againMs: 100, onThreads: false };

eachStore('a shared pool flooded by one tenant', (kind) => {
  it("serves another tenant ahead of most of the flooding tenant's calls", async (t) => {
    const world = await openWorld({ store: await kind.fresh(t), directory: aDirectory(t), contacts: 500, messages: 500, many: 10 });
    t.after(() => world.close());
    for (const pool of POOLS.filter(({ lasts }) => !lasts)) {
      const { denied, overtaken, flood } = await runShare(world, pool, RUN);
      assert.equal(denied, 0, `${pool.name}: the flood had ${JSON.stringify(flood)}`);
      assert.ok(overtaken <= COPIES / 2, `${pool.name}: ${overtaken} calls of the flood came before one of the other`);
    }
  });
});
