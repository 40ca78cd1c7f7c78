import assert from 'node:assert/strict';
import { it } from 'node:test';
import { midtrans } from '../../../../actors/services/billing/midtrans.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { aPageOf, REF, SETTLED } from '../../../support/billing/asked.ts';
import { providerDoubles, SERVER_KEY } from '../../../support/billing/provider-doubles.ts';

const till = (url: string) => midtrans({ serverKey: SERVER_KEY, url, clock: new VirtualClock() });
const paid = { amount: 499_000, refunded: 0, dispute: null };
const waits = { isFinal: false };
const over = { isFinal: true };

/** Midtrans' own states (`transaction_status`, `fraud_status`), and what each is for an invoice. */
const STATES = [
  [['settlement', 'accept'], paid],
  [['settlement', undefined], paid],
  [['settlement', 'challenge'], waits],
  [['capture', 'accept'], paid],
  [['capture', 'challenge'], waits],
  [['capture', 'deny'], waits],
  [['authorize', 'accept'], waits],
  [['pending', 'accept'], waits],
  [['deny', 'deny'], waits],
  [['cancel', 'accept'], over],
  [['expire', 'accept'], over],
  [['failure', 'accept'], over],
  [['chargeback', 'accept'], { ...paid, dispute: 'open' }],
  [['partial_chargeback', 'accept'], { ...paid, dispute: 'open' }],
] as const;

it('each Midtrans state is mapped to paid, pending or final, as documented', async (t) => {
  const doubles = await providerDoubles(t);
  const { said, ask } = await aPageOf(till(doubles.url), doubles);
  assert.deepEqual(await ask(), { status: 'pending', isFinal: false, payments: [] }, 'no way to pay was chosen yet: 404 in the body');
  for (const [[transaction_status, fraud_status], follows] of STATES)
    assert.deepEqual(await said({ transaction_status, fraud_status }), { status: transaction_status, ...follows }, transaction_status);
});

it('Midtrans refunds and chargebacks are recognized after a settlement', async (t) => {
  const doubles = await providerDoubles(t);
  const { said } = await aPageOf(till(doubles.url), doubles);
  const after = async (transaction_status: string, more: object = {}) =>
    said({ transaction_status, fraud_status: 'accept', ...more }, [SETTLED]);
  assert.deepEqual(await after('partial_refund', { refund_amount: '1000.00' }), { ...paid, status: 'partial_refund', refunded: 1_000 });
  // Of a full refund the fee of the customer may stay behind.
  assert.deepEqual(await after('refund', { refund_amount: '1000.00' }), { ...paid, status: 'refund', refunded: 499_000 });
  assert.deepEqual(await after('deny', { fraud_status: 'deny' }), { ...paid, status: 'deny', dispute: 'open' });
  assert.deepEqual(await after('capture', { fraud_status: 'challenge' }), { ...paid, status: 'capture' });
});

it('a denied or challenged Midtrans card payment is ignored if another payment page has been paid', async (t) => {
  const doubles = await providerDoubles(t);
  const { said } = await aPageOf(till(doubles.url), doubles);
  for (const [transaction_status, fraud_status] of [
    ['deny', 'deny'],
    ['capture', 'challenge'],
    ['settlement', 'challenge'],
  ] as const)
    for (const became of ['settlement', 'credit'] as const) {
      const other = { ...SETTLED, id: `tx-${REF}-2`, became };
      assert.deepEqual(await said({ transaction_status, fraud_status }, [other]), { ...waits, status: transaction_status });
    }
  const credited = { ...SETTLED, became: 'credit' } as const;
  assert.deepEqual(await said({ transaction_status: 'deny', fraud_status: 'deny' }, [credited]), {
    ...paid,
    status: 'deny',
    dispute: 'open',
  });
});

it('a Midtrans amount is read as whole rupiah without customer fees, or as null if it is invalid', async (t) => {
  const doubles = await providerDoubles(t);
  const { said, page } = await aPageOf(till(doubles.url), doubles);
  page.paid = true;
  const info = (original_amount: string, customer_imposed_payment_fee: string) => ({
    metadata: { extra_info: { gross_amount_info: { original_amount, customer_imposed_payment_fee } } },
  });
  const sums = [
    [{ gross_amount: '499000' }, 499_000],
    [{ gross_amount: '499000.50' }, null],
    [{ gross_amount: '4.99e5' }, null],
    [{ gross_amount: '-499000.00' }, null],
    [{ gross_amount: '499693.00', ...info('499000', '693') }, 499_000],
    // What does not add up is believed as a whole, and fits no invoice.
    [{ gross_amount: '500000.00', ...info('499000', '693') }, 500_000],
  ] as const;
  for (const [says, amount] of sums) assert.deepEqual(await said(says), { ...paid, amount, status: 'settlement' });
});

it('a Midtrans response without a valid state is treated as a failure', async (t) => {
  const doubles = await providerDoubles(t);
  const { said, ask } = await aPageOf(till(doubles.url), doubles);
  await assert.rejects(said({ transaction_status: undefined, status_code: '401' }), { name: 'ProviderFailure' });
  doubles.fault = 'error';
  await assert.rejects(ask(), { name: 'ProviderFailure' });
});

/** Made by another hand, with Midtrans' formula. */
const SIGNED = {
  settlement: {
    status_code: '200',
    gross_amount: '99000.00',
    signature_key:
      '49eeac6193edbeb83882a3abeed9cd65093e63ca10b0fa2d145da2e0092e23da46e4355b389f70ebc7e5f62f717f1358c8362b0d180a0cfe5259e3fd3fea0216',
  },
  imposedFee: {
    status_code: '200',
    gross_amount: '99693.00',
    signature_key:
      'f9cdc566479d1af24ad2aafe7666a9060926bde810564c1655833c36b1f85e1cc609681223ac5ce04d1fefbd18905c8c249b663b5b6786f3f58e43f251544307',
  },
};

it('a Midtrans notification is accepted only with a valid signature of its exact text', async () => {
  const judged = (body: unknown) =>
    till('http://127.0.0.1:1').verify({ raw: Buffer.from(JSON.stringify(body)), header: () => undefined, now: 0 });
  for (const signed of Object.values(SIGNED))
    assert.deepEqual(await judged({ order_id: REF, ...signed }), { kind: 'reference', ref: REF, page: null });
  const { settlement } = SIGNED;
  const altered = [
    { ...settlement, gross_amount: '99000' },
    { ...settlement, status_code: '201' },
    { ...settlement, status_code: 200 },
    { ...settlement, signature_key: SIGNED.imposedFee.signature_key },
    { ...settlement, signature_key: [settlement.signature_key] },
    { ...settlement, signature_key: settlement.signature_key.toUpperCase() },
  ];
  for (const body of altered) assert.equal(await judged({ order_id: REF, ...body }), null);
  for (const body of [null, [], 'text', 1]) assert.equal(await judged(body), null);
});
