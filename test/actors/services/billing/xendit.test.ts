import assert from 'node:assert/strict';
import { it } from 'node:test';
import { xendit } from '../../../../actors/services/billing/xendit.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { aPageOf, REF } from '../../../support/billing/asked.ts';
import { providerDoubles } from '../../../support/billing/provider-doubles.ts';

const TOKEN = 'the token of the dashboard';
const till = (url: string) => xendit({ secretKey: 'xnd_development_EXAMPLE', callbackToken: TOKEN, url, clock: new VirtualClock() });
const paid = { amount: 499_000, refunded: 0, dispute: null };

/** States of a payment session and of an older invoice, and what each is for an invoice of ours. */
const STATES = [
  ['ACTIVE', { isFinal: false }],
  ['PENDING', { isFinal: false }],
  ['COMPLETED', paid],
  ['PAID', paid],
  ['SETTLED', paid],
  ['EXPIRED', { isFinal: true }],
  ['CANCELED', { isFinal: true }],
] as const;

it('each Xendit state is mapped to paid, pending or final, as documented', async (t) => {
  const doubles = await providerDoubles(t);
  const { said } = await aPageOf(till(doubles.url), doubles);
  for (const [status, follows] of STATES) assert.deepEqual(await said({ status }), { status, ...follows });
});

it('a paid Xendit amount is read as a whole number, or as null if it is invalid', async (t) => {
  const doubles = await providerDoubles(t);
  const { said, page } = await aPageOf(till(doubles.url), doubles);
  page.paid = true;
  for (const [says, amount] of [
    [{ amount: 499_000, paid_amount: 400_000 }, 400_000],
    [{ amount: 499_000.5 }, null],
    [{ amount: 'much' }, null],
  ] as const)
    assert.deepEqual(await said(says), { ...paid, amount, status: 'COMPLETED' });
  page.refunded = 1_000;
  assert.deepEqual(await said({}), { ...paid, refunded: 1_000, status: 'COMPLETED' });
});

it('a Xendit callback is accepted only with the right token, and only its reference or payment id is used', async () => {
  const judged = (body: unknown, token: string | undefined = TOKEN) =>
    till('http://127.0.0.1:1').verify({ raw: Buffer.from(JSON.stringify(body)), header: () => token, now: 0 });
  const reference = (page: string) => ({ kind: 'reference', ref: REF, page });
  const session = { payment_session_id: 'ps-1', reference_id: REF, status: 'COMPLETED' };
  assert.deepEqual(await judged({ event: 'payment_session.completed', data: session }), reference('ps-1'));
  assert.deepEqual(await judged({ event: 'payment_session.expired', data: session }), reference('ps-1'));
  for (const status of ['PAID', 'EXPIRED', 'SETTLED'])
    assert.deepEqual(await judged({ id: 'i', external_id: REF, status }), reference('i'));
  const refund = { event: 'refund.succeeded', data: { id: 'rfd-1', payment_id: 'py-1', reference_id: 'of the refund' } };
  assert.deepEqual(await judged(refund), { kind: 'payment', id: 'py-1' });
  for (const other of [{ event: 'payout.succeeded', data: {} }, {}, []]) assert.deepEqual(await judged(other), { kind: 'ignored' });
  for (const token of ['', `${TOKEN} `, TOKEN.slice(1), TOKEN.toUpperCase()]) assert.equal(await judged(refund, token), null);
  assert.equal(await till('http://127.0.0.1:1').verify({ raw: Buffer.from('{}'), header: () => undefined, now: 0 }), null);
});
