import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type PageRead, readPage } from '../../../store/paging/page.ts';

/** Pages of the even ones of so many numbers, 3 at most on each, 10 looked at together. */
const page = (count: number, begin: number): Promise<PageRead<number>> =>
  readPage<number>({
    owner: 'acme',
    limit: 3,
    fetch: async (after, limit) =>
      Array.from({ length: count }, (_, nth) => nth)
        .slice(after === null ? begin : after + 1)
        .slice(0, limit),
    keep: (rows) => rows.filter((row) => row % 2 === 0),
    together: 10,
  });

it('a page of a search that is just full is the last one where nothing follows', async () => {
  assert.deepEqual(await page(6, 0), { rows: [0, 2, 4], next: null });
  assert.deepEqual(await page(7, 0), { rows: [0, 2, 4], next: 4 });
  assert.deepEqual(await page(7, 5), { rows: [6], next: null });
});
