import assert from 'node:assert/strict';
import { it } from 'node:test';
import { stripe } from '../../../../actors/services/billing/stripe.ts';
import { aPageOf, REF } from '../../../support/billing/asked.ts';
import { providerDoubles } from '../../../support/billing/provider-doubles.ts';

const SECRET = 'whsec_EXAMPLE0123456789abcdef';
const till = (url: string) => stripe({ secretKey: 'sk_test_EXAMPLE', webhookSecret: SECRET, url });
const paid = { status: 'paid', amount: 2_900, refunded: 0, dispute: null };

/** `status` and `payment_status` of a Checkout session, and what they are for an invoice. */
const STATES = [
  [['open', 'unpaid'], { status: 'unpaid', isFinal: false }],
  // A way to pay that takes days, and one that failed after all.
  [['complete', 'unpaid'], { status: 'unpaid', isFinal: false }],
  [['expired', 'unpaid'], { status: 'expired', isFinal: true }],
  // No page of ours is over nothing.
  [['complete', 'no_payment_required'], { status: 'no_payment_required', isFinal: false }],
  [['complete', 'paid'], paid],
] as const;

it('each Checkout session state is mapped to paid, pending or final, as documented', async (t) => {
  const doubles = await providerDoubles(t);
  const { said } = await aPageOf(till(doubles.url), doubles);
  for (const [[status, payment_status], follows] of STATES)
    assert.deepEqual(await said({ status, payment_status }), follows, payment_status);
});

/** Of a dispute, and what it is for an invoice. */
const DISPUTES = [
  ['needs_response', 'open'],
  ['under_review', 'open'],
  ['warning_needs_response', 'open'],
  ['warning_under_review', 'open'],
  ['warning_closed', 'won'],
  ['appeal_needs_response', 'open'],
  ['appeal_under_review', 'open'],
  ['prevented', 'won'],
  ['won', 'won'],
  ['lost', 'lost'],
] as const;

it('each Stripe dispute state is mapped to open, won or lost, and partial refunds are added up', async (t) => {
  const doubles = await providerDoubles(t);
  const { said, page } = await aPageOf(till(doubles.url), doubles);
  page.paid = true;
  for (const [status, dispute] of DISPUTES) {
    Object.assign(page, { disputed: status });
    assert.deepEqual(await said({}), { ...paid, dispute }, status);
  }
  Object.assign(page, { disputed: null, refunded: 1_200 });
  assert.deepEqual(await said({}), { ...paid, refunded: 1_200 });
});

/** Made by Stripe's library (23.1.0) for `PAYLOAD` at 1763622130. */
const PAYLOAD = JSON.stringify({
  id: 'evt_1QExample0001',
  object: 'event',
  api_version: '2026-10-28.endive',
  created: 1_763_622_129,
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type: 'checkout.session.completed',
  data: {
    object: {
      id: 'cs_test_a1Example',
      object: 'checkout.session',
      mode: 'payment',
      status: 'complete',
      payment_status: 'paid',
      amount_total: 1900,
      amount_subtotal: 1900,
      currency: 'usd',
      client_reference_id: REF,
      metadata: { invoice_id: REF, tenant_id: '01JD3X0000000000000000TEN1' },
      payment_intent: 'pi_3QExample',
      customer: null,
      livemode: false,
      expires_at: 1_763_708_529,
      url: null,
    },
  },
});
const GENUINE = 'ce7c2ba10d3cf6ef897a26541caca42e3110a306f1a9fdbdf0eeae30f297e947';
const SIGNATURES = [
  [`t=1763622130,v1=${GENUINE}`, true],
  [`t=1763622130,v1=${'0'.repeat(64)},v1=${GENUINE}`, true],
  ['t=1763621829,v1=345f2696274c9d2ce27e158b10504e6668d5104df8d7b20b7265d4560677e4bd', false],
  // The library would take it.
  ['t=1763625730,v1=a3dff104652dbc4b880452a9f416c0e8408986d4d9f918f0e24c3a3929380e19', false],
  [`t=1763622130,v0=${GENUINE}`, false],
  [`t=1763622131,v1=${GENUINE}`, false],
  [`v1=${GENUINE}`, false],
  ['', false],
] as const;

it('a Stripe event is accepted only with a valid, recent signature', async () => {
  const judged = (signature: string, payload = PAYLOAD) =>
    till('http://127.0.0.1:1').verify({ raw: Buffer.from(payload), header: () => signature, now: 1_763_622_130_000 });
  for (const [signature, isGenuine] of SIGNATURES)
    assert.deepEqual(await judged(signature), isGenuine ? { kind: 'reference', ref: REF, page: 'cs_test_a1Example' } : null, signature);
  assert.equal(await judged(SIGNATURES[0][0], `${PAYLOAD} `), null);
});
