import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BUCKET_MS, type BucketRow, bucketAt } from '../../../store/analytics/bucket-row.ts';
import { type BucketKey, bucketsIn } from '../../../store/analytics/buckets.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import type { Store } from '../../../store/port.ts';
import { aDirectory, eachStore } from '../../support/stores.ts';
import { ranDuring } from '../engines/visited-rows.ts';

const TENANT = 'acme';
const BEGUN_AT = bucketAt(Date.UTC(2026, 5, 1));
/** Of one question. */
const MAX_VISITED = 500;

const quarter = (nth: number): number => BEGUN_AT + nth * BUCKET_MS;

/** Figures of `devices` devices in each of these quarter-hours. */
async function busy(store: Store, devices: number, quarters: readonly number[]) {
  const buckets = bucketsIn(store);
  await store.prepare();
  const keys = quarters.flatMap((nth) =>
    Array.from({ length: devices }, (_, device): BucketKey => ({ tenantId: TENANT, sessionId: `d${device}`, at: quarter(nth) })),
  );
  for (let from = 0; from < keys.length; from += 500) await buckets.mark(keys.slice(from, from + 500), BEGUN_AT);
  return buckets;
}

async function all(rows: AsyncIterable<BucketRow>): Promise<readonly BucketRow[]> {
  const found: BucketRow[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

eachStore("a business's analytics for a period", (kind) => {
  it('include each bucket once and in order, even if many devices share a quarter-hour', async (t) => {
    const buckets = await busy(await kind.fresh(t), 300, [0, 1, 40_000]);
    await buckets.mark([{ tenantId: 'other', sessionId: 'x', at: quarter(1) }], BEGUN_AT);
    const found = await all(buckets.between(TENANT, quarter(0), quarter(40_000)));
    assert.deepEqual(
      found.map(({ at }) => at),
      [...Array(300).fill(quarter(0)), ...Array(300).fill(quarter(1))],
    );
    assert.equal(new Set(found.map(({ _id }) => _id)).size, 600);
    assert.equal((await all(buckets.between(TENANT, quarter(1), Number.MAX_SAFE_INTEGER))).length, 600);
    assert.deepEqual(await all(buckets.between(TENANT, quarter(2), quarter(40_000))), []);
  });
});

it('analytics for a long period are read in several bounded queries', async (t) => {
  const path = `${aDirectory(t)}/store.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const buckets = await busy(
    store,
    20,
    Array.from({ length: 60 }, (_, nth) => nth),
  );
  const ran = await ranDuring(path, async () => {
    assert.equal((await all(buckets.between(TENANT, BEGUN_AT, Number.MAX_SAFE_INTEGER))).length, 1_200);
  });
  const visited = Math.max(...ran.map((one) => one.visited));
  assert.ok(visited <= MAX_VISITED, `${visited} rows looked at in one question`);
});
