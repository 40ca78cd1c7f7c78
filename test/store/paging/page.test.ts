import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Random, seededRandom } from '../../../runtime/random.ts';
import { merged } from '../../../store/paging/merged.ts';
import { byCreation, olderThan, PAGE_BYTES, type Page, type PageRead, readPage } from '../../../store/paging/page.ts';
import type { Collection, CollectionSpec } from '../../../store/port.ts';
import { eachStore } from '../../support/stores.ts';

/** Numbers up to `count` behind the place `begin`. */
async function* numbers(count: number, { before, limit }: Page): AsyncGenerator<number> {
  const begin = before === null ? 0 : before + 1;
  for (let nth = begin; nth < Math.min(count, begin + limit); nth += 1) yield nth;
}

/** Pages of the even numbers among `count`, with at most 3 on each page, read 10 at a time. */
const page = (count: number, before: number | null): Promise<PageRead<number>> =>
  readPage<number, number>({
    owner: 'acme',
    page: { limit: 3, before, beforeId: '' },
    list: (from) => numbers(count, from),
    placeOf: (at) => ({ at, id: '' }),
    keep: (rows) => rows.filter((row) => row % 2 === 0),
    show: (rows) => rows,
    together: 10,
  });

describe('a page of search results', () => {
  it('is marked as the last page if it is full and nothing follows it', async () => {
    assert.deepEqual(await page(6, null), { entries: [0, 2, 4], next: null });
    assert.deepEqual(await page(7, null), { entries: [0, 2, 4], next: { at: 4, id: '' } });
    assert.deepEqual(await page(7, 4), { entries: [6], next: null });
  });
});

interface Dated {
  readonly _id: string;
  readonly owner: string;
  readonly created_at: number;
  readonly rank: number;
  readonly text: string;
}

const SEEDS = 4;
const ROWS = 60;
const spec: CollectionSpec = { name: 'dated', indexes: [{ name: 'newest', keys: { owner: 1, created_at: -1, _id: -1 } }] };

/** Mostly short, some of a third of a page, some of more than a page; of letters, signs that JSON writes with six bytes, or emoji. */
function text(random: Random): string {
  const size = random();
  const bytes = size < 0.7 ? 2 ** (12 * random()) : size < 0.95 ? (PAGE_BYTES / 3) * random() : PAGE_BYTES * 1.2;
  const sign = random() < 0.5 ? 'a' : random() < 0.5 ? '\u0001' : '😀';
  return sign.repeat(Math.ceil(bytes / Buffer.byteLength(JSON.stringify(sign))));
}

interface Shown {
  readonly id: string;
  readonly text: string;
  readonly shown: boolean;
}

async function* walked(rows: Collection<Dated>, filter: object, limit: number, keep: ((row: Dated) => boolean) | null) {
  for (let page: Page | null = { limit, before: null, beforeId: null }; page !== null; ) {
    const { entries, next }: PageRead<Shown> = await readPage<Dated, Shown>({
      owner: 'ann',
      page,
      list: (from) => rows.find({ ...filter, ...olderThan(from) }, { sort: { created_at: -1, _id: -1 }, limit: from.limit }),
      placeOf: byCreation,
      keep: keep && ((some) => some.filter(keep)),
      show: (some) => some.map(({ _id, text }) => ({ id: _id, text, shown: true })),
      together: 7,
    });
    yield entries;
    page = next && { limit, before: next.at, beforeId: next.id };
  }
}

const fits = (entries: readonly Shown[], limit: number): boolean =>
  entries.length <= limit && (entries.length === 1 || Buffer.byteLength(JSON.stringify({ entries })) <= PAGE_BYTES);

eachStore('pages of texts of any size', (kind) => {
  it('contain at most 1 MB or a single entry each, and together return every entry once', async (t) => {
    const store = await kind.fresh(t);
    const rows = store.collection<Dated>(spec);
    await store.prepare();
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const random = seededRandom(seed);
      const owner = `o${seed}`;
      const all = Array.from({ length: ROWS }, (_, nth) => ({
        ...{ _id: `${owner}-${String(nth).padStart(3, '0')}`, owner, created_at: Math.floor(nth / 3), rank: nth },
        text: text(random),
      })).toReversed();
      for (const row of all) await rows.insertOne(row);
      for (const keep of [null, ({ rank }: Dated) => rank % 2 === 0]) {
        const limit = 1 + Math.floor(random() * 40);
        const pages = await Array.fromAsync(walked(rows, { owner }, limit, keep));
        const about = `seed ${seed}, ${limit} a page, ${keep ? 'some' : 'all'}`;
        for (const entries of pages) assert.ok(fits(entries, limit), `${about}: ${entries.length} entries`);
        if (!keep)
          assert.ok(
            pages.every((entries) => entries.length > 0),
            about,
          );
        assert.deepEqual(
          pages.flat().map(({ id }) => id),
          all.filter((row) => keep?.(row) ?? true).map(({ _id }) => _id),
          about,
        );
      }
    }
  });
});

describe('several merged lists', () => {
  async function* list(values: readonly number[], ended: number[]): AsyncGenerator<number> {
    try {
      yield* values;
    } finally {
      ended.push(values.length);
    }
  }

  it('are sorted, stop at the limit, and are all closed afterwards', async () => {
    const ended: number[] = [];
    const all = () => [list([9, 5, 1], ended), list([], ended), list([8, 7, 2, 0], ended)];
    const falling = (one: number, other: number): number => other - one;
    assert.deepEqual(await Array.fromAsync(merged(all(), falling, 100)), [9, 8, 7, 5, 2, 1, 0]);
    ended.length = 0;
    assert.deepEqual(await Array.fromAsync(merged(all(), falling, 3)), [9, 8, 7]);
    assert.deepEqual(ended.toSorted(), [0, 3, 4]);
  });
});
