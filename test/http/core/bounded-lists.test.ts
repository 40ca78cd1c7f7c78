import assert from 'node:assert/strict';
import { it } from 'node:test';
import Joi from 'joi';
import { describe, type SchemaDescription } from '../../../http/core/joi-reflection.ts';
import { boundedJudge, validator } from '../../../http/core/validate.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { aGateway } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';

/** What fits into a body, as lists that are wrong in their items, in their number or in both. */
const FLOODS: readonly ((nth: number) => unknown)[] = [() => 1, () => 'x', (nth) => `${nth}`, (nth) => ({ a: nth }), () => [], () => null];
const FLOOD = 60_000;
/** A list may be this long and still be shown to Joi whole; a longer one has to be such that it is judged without. */
const MAX_SHOWN = 1_001;

interface Place {
  readonly path: readonly string[];
  readonly list: SchemaDescription;
}

function placesIn(schema: SchemaDescription, path: readonly string[] = []): readonly Place[] {
  const below = Object.entries(schema.keys ?? {}).flatMap(([name, child]) => placesIn(child, [...path, name]));
  const items = (schema.items ?? []).flatMap((item) => placesIn(item, [...path, '0']));
  const options = (schema.matches ?? []).flatMap(({ schema: option }) => (option ? placesIn(option, path) : []));
  return [...(schema.type === 'array' ? [{ path, list: schema }] : []), ...below, ...items, ...options];
}

function withListAt([name, ...rest]: readonly string[], list: readonly unknown[]): unknown {
  if (name === undefined) return list;
  const inner = withListAt(rest, list);
  return name === '0' ? [inner] : { [name]: inner };
}

function itemsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return (Array.isArray(value) ? value.length : 0) + Object.values(value).reduce((sum: number, one) => sum + itemsIn(one), 0);
}

it('list validation limits the number of items that Joi checks', async (t) => {
  const { node } = await aGateway(t, { kind: embedded });
  let lists = 0;
  for (const { id, body } of node.http.rows) {
    if (!body) continue;
    for (const { path, list } of placesIn(describe(body))) {
      lists += 1;
      const max = list.rules?.find(({ name }) => name === 'max')?.args?.['limit'];
      assert.ok(typeof max === 'number', `${id}: ${path.join('.')} has no max`);
      for (const flood of FLOODS) {
        let seen = 0;
        const judge = boundedJudge(body, (shown) => {
          seen = Math.max(seen, itemsIn(shown));
          return { value: shown, details: body.prefs({ convert: false, abortEarly: false }).validate(shown).error?.details ?? [] };
        });
        const { details } = await judge(
          withListAt(
            path,
            Array.from({ length: FLOOD }, (_, nth) => flood(nth)),
          ),
        );
        assert.ok(details.length > 0, `${id}: ${path.join('.')} took ${flood}`);
        assert.ok(seen <= MAX_SHOWN + path.length, `${id}: Joi saw ${seen} of ${path.join('.')}: ${flood}`);
      }
    }
  }
  assert.ok(lists > 20, `${lists} lists`);
});

const ids = Joi.object({ ids: Joi.array().items(Joi.string().length(5)).min(1).max(10_000).unique() });
const numbered = (count: number): string[] => Array.from({ length: count }, (_, nth) => String(10_000 + nth));

/** The paths of the faults that a caller is told. */
async function faults(body: object): Promise<readonly string[]> {
  try {
    await validator(ids, { convert: false, where: 'body' })(body);
    return [];
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return (cause.details['faults'] as readonly { readonly path: string }[]).map(({ path }) => path);
  }
}

it('list validation finds a duplicate anywhere in a long list, and reports it along with other errors', async () => {
  assert.deepEqual(await faults({ ids: numbered(10_000) }), []);
  assert.deepEqual(await faults({ ids: [...numbered(9_998), '10005'] }), ['ids.9998']);
  assert.deepEqual(await faults({ ids: ['10001', ...numbered(500)] }), ['ids.2']);
  assert.deepEqual(await faults({ ids: [...numbered(500), '10005', 'x'] }), ['ids.500', 'ids.501']);
  assert.deepEqual(await faults({ ids: [...numbered(500), {}, {}] }), ['ids.500', 'ids.501']);
  assert.deepEqual(await faults({ ids: numbered(10_001) }), ['ids']);
  assert.deepEqual(await faults({ ids: [] }), ['ids']);
});

it('a map is validated by Joi only up to one entry more than its limit', async () => {
  const map = Joi.object()
    .pattern(/^[a-z]\d+$/, Joi.string())
    .max(50);
  const schema = Joi.object({
    attrs: map,
    rows: Joi.array()
      .items(Joi.object({ attrs: map }))
      .max(2),
  });
  const wide = Object.fromEntries(Array.from({ length: FLOOD }, (_, nth) => [`k${nth}`, 'x']));
  const shown: number[] = [];
  const judge = boundedJudge(schema, (value) => {
    const { attrs, rows } = Object(value);
    shown.push(Object.keys(attrs).length, Object.keys(rows[0].attrs).length);
    return { value, details: schema.validate(value, { abortEarly: false }).error?.details ?? [] };
  });
  const { details } = await judge({ attrs: wide, rows: [{ attrs: wide }] });
  assert.deepEqual(shown, [51, 51]);
  assert.deepEqual(
    details.map(({ path, type }) => [path.join('.'), type]),
    [
      ['attrs', 'object.max'],
      ['rows.0.attrs', 'object.max'],
    ],
  );
});
