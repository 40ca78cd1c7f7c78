import assert from 'node:assert/strict';
import { it } from 'node:test';
import Joi from 'joi';
import { CampaignSchema, Recipients } from '../../../http/areas/campaigns/schemas.ts';
import { longListsApart } from '../../../http/core/long-lists.ts';
import { validator } from '../../../http/core/validate.ts';
import { Refusal } from '../../../runtime/errors.ts';

const draft = { session_id: '01JZX5ZB4T8QKX3N9V7C2M6D1E', name: 'Sale', message_type: 'text', body: 'Hi' };
const people = (count: number) => Array.from({ length: count }, (_, nth) => ({ phone: `6281${nth}`, name: null, var1: 'x' }));
const nobodies = (count: number) => Array.from({ length: count }, () => ({ phone: 1 }));

/** Validates as a row does, and gives how many recipients Joi looked at. */
function looked(body: object): { readonly seen: number; readonly result: unknown } {
  let seen = 0;
  const whole = CampaignSchema.prefs({ convert: false, abortEarly: false });
  const { value, details } = longListsApart(CampaignSchema, (shown) => {
    seen += (shown as { recipients: readonly unknown[] }).recipients.length;
    const { error, value } = whole.validate(shown);
    return { value, details: error?.details ?? [] };
  })(body);
  return { result: details.length > 0 ? details.map(({ path }) => path.join('.')) : value, seen };
}

/** The paths of the faults that a caller is told. */
function faults(body: object, schema: Joi.Schema = CampaignSchema): readonly string[] {
  try {
    validator(schema, { convert: false, where: 'body' })(body);
    return [];
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return (cause.details['faults'] as readonly { readonly path: string }[]).map(({ path }) => path);
  }
}

it('accepts ten thousand plainly valid recipients without Joi', () => {
  const body = { ...draft, recipients: people(10_000) };
  const { result, seen } = looked(body);
  assert.ok(seen <= 100, `Joi saw ${seen}`);
  assert.deepEqual(result, body);
});

it('passes Joi only a bounded part of invalid or oversized lists', () => {
  for (const recipients of [
    nobodies(10_000),
    [...people(9_999), { phone: 1 }],
    people(10_001),
    nobodies(50_000),
    Array.from({ length: 50_000 }, () => 1),
  ]) {
    const { result, seen } = looked({ ...draft, recipients });
    assert.ok(seen <= 100, `Joi saw ${seen}`);
    assert.ok(Array.isArray(result) && result.length > 0);
  }
});

it('reports each fault with its path in the whole list', () => {
  const some = people(10_000).map((one, nth) => (nth % 4_000 === 3_999 ? { ...one, phone: 1, nam: 'x' } : one));
  const wanted = ['recipients.3999.phone', 'recipients.3999.nam', 'recipients.7999.phone', 'recipients.7999.nam'];
  assert.deepEqual(faults({ ...draft, recipients: some }), wanted);
  assert.deepEqual(faults({ recipients: some }, Joi.object({ recipients: Recipients.required() })), wanted);
  assert.equal(faults({ ...draft, recipients: nobodies(10_000) }).length, 51);
  assert.deepEqual(faults({ ...draft, recipients: [...people(10_000), { phone: 1 }] }), ['recipients', 'recipients.10000.phone']);
});

it('rejects one invalid item, and one item too many', () => {
  assert.deepEqual(faults({ ...draft, recipients: [...people(500), { phone: 1 }] }), ['recipients.500.phone']);
  assert.deepEqual(faults({ ...draft, recipients: people(10_001) }), ['recipients']);
  assert.equal(faults({ ...draft, recipients: people(500), tag: 'vip' }).length, 1);
  assert.deepEqual(faults({ ...draft, recipients: people(500), nothing: 1 }), ['nothing']);
});

it('has Joi check all items that only Joi can check, and uses its results', () => {
  const odd = -0;
  const numbers = Array.from({ length: 350 }, (_, nth) => (nth % 2 === 0 ? odd : nth));
  const schema = Joi.object({ numbers: Joi.array().items(Joi.number()), name: Joi.string() }).or('numbers', 'name');
  const validate = validator(schema, { convert: false, where: 'body' });
  const { numbers: taken } = validate({ numbers }) as { readonly numbers: readonly number[] };
  assert.deepEqual(
    taken,
    numbers.map((one) => one + 0),
  );
  assert.throws(() => validate({ numbers: [...numbers, 'x'] }), Refusal);
});
