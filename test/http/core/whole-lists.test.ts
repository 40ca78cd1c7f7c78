import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Joi from 'joi';
import { type AnyCall, bind } from '../../../http/core/bind.ts';
import { rowsFor, type WholeList } from '../../../http/core/row.ts';
import { isRecord, memberOf } from '../../../runtime/shapes.ts';
import { PAGE_BYTES } from '../../../store/paging/page.ts';

const call: AnyCall = {
  ...{ caller: undefined, operator: undefined, device: undefined, expectStepUp: () => {}, sent: {} },
  expectTimely: () => {},
  ...{ params: {}, query: {}, body: {}, lang: 'en', langAsked: null, address: '::1', requestId: 'r', cookie: undefined, now: 0 },
  header: () => undefined,
};

/** A row that answers these records, asked with a query. */
function asking(list: WholeList, records: readonly object[]) {
  const seen: unknown[] = [];
  const row = rowsFor<null>()({
    id: 'listThings',
    method: 'GET',
    path: '/things',
    summary: 'List things',
    access: 'none',
    list,
    status: 200,
    query: Joi.object<{ role?: string }>({ role: Joi.string() }),
    returns: Joi.object(),
    run(_services, { query }) {
      seen.push(query);
      return { things: records, total: records.length };
    },
  });
  const [bound] = bind({ name: 'things', about: 'Things', rows: [row] }, null).rows;
  assert.ok(bound);
  const ask = async (query: object): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await bound.run({ ...call, query });
    assert.ok(isRecord(answer));
    return answer;
  };
  return { ask, seen, query: bound.facts.query };
}

const things = (...ids: readonly string[]): readonly object[] => ids.map((id) => ({ id }));

describe('an unpaged list', () => {
  it('respects the limit parameter even if its operation does not declare that parameter', async () => {
    const { ask, seen, query } = asking({ of: 'things' }, things('a', 'b', 'c'));
    assert.deepEqual(await ask({ role: 'owner', limit: 2 }), { things: things('a', 'b'), total: 3 });
    assert.deepEqual(await ask({}), { things: things('a', 'b', 'c'), total: 3 });
    assert.deepEqual(seen, [{ role: 'owner' }, {}]);
    assert.ok(query?.validate({ before: 'a' }).error, 'it has no pages');
  });

  it('can be read in pages of up to 1 MB, with at least one record each, if its records have a key', async () => {
    const lengths = [10, PAGE_BYTES, 10, PAGE_BYTES / 2, PAGE_BYTES / 2, 10, 10];
    const records = lengths.map((length, nth) => ({ phone: nth % 2 ? null : `p${nth}`, lid: `l${nth}`, text: 'x'.repeat(length) }));
    const { ask } = asking({ of: 'things', by: ['phone', 'lid'] }, records);
    const found: unknown[] = [];
    let [pages, before]: [number, unknown] = [0, undefined];
    do {
      const { things: page, next_before } = await ask(before === undefined ? {} : { before });
      assert.ok(Array.isArray(page) && page.length > 0);
      assert.ok(page.length === 1 || Buffer.byteLength(JSON.stringify(page)) <= PAGE_BYTES, `${page.length} records`);
      found.push(...page);
      [pages, before] = [pages + 1, next_before];
    } while (before !== null);
    assert.deepEqual(found, records);
    assert.equal(pages, 4);
    assert.equal(memberOf(await ask({ limit: 1 }), 'next_before'), 'p0');
    await assert.rejects(ask({ before: 'gone' }), { code: 'VALIDATION_FAILED' });
  });
});
