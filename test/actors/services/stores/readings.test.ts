import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createReadings } from '../../../../actors/services/stores/readings.ts';
import type { ResolvedFact } from '../../../../actors/store-link/protocol.ts';

const ONE = { _id: 'ONE', platform: 'platform_a' } as const;
const ORDER = { id: 7, name: '#7', phone: '0812-3456-7890' };
const body = (change: object = {}): string => JSON.stringify({ ...ORDER, ...change });

const phoneOf = (fact: ResolvedFact): string | null => ('phone' in fact ? fact.phone : null);

it('a webhook body with a known hash is parsed only once per store, topic and country', () => {
  const readings = createReadings();
  const what = { body: body(), mark: 'one' };
  const fact = readings(ONE, 'orders/create', what, '62');
  assert.equal(phoneOf(fact), '6281234567890');
  assert.equal(readings(ONE, 'orders/create', what, '62'), fact);
  assert.equal(readings(ONE, 'checkouts/create', what, '62').type, 'checkout');
  assert.equal(
    phoneOf(readings(ONE, 'orders/create', { ...what, body: body({ phone: '012-345 6789' }), mark: 'other' }, '60')),
    '60123456789',
  );
  assert.notEqual(phoneOf(readings(ONE, 'orders/create', what, '60')), '6281234567890');
  assert.notEqual(readings({ ...ONE, _id: 'TWO' }, 'orders/create', what, '62'), fact);
});

it('a webhook body is parsed every time if it is long or has no hash', () => {
  const readings = createReadings();
  const long = { body: body({ note: 'x'.repeat(9_000) }), mark: 'long' };
  for (const what of [{ body: body(), mark: null }, long])
    assert.notEqual(readings(ONE, 'orders/create', what, '62'), readings(ONE, 'orders/create', what, '62'));
});
