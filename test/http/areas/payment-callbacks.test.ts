import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CALLBACKS } from '../../../http/areas/billing/callback-schemas.ts';
import { callbackOf, type Provider } from '../../support/billing/callbacks.ts';
import { aGateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';

const PAGE = {
  ...{ ref: '01JD3X5Z8K9QW2E4R6T8Y0B1N3', id: 'ps-1', amount: 99_000, currency: 'IDR' },
  ...{ paid: true, fee: 0, refunded: 0, disputed: null, expired: false },
};

const genuine = (provider: Provider): unknown => JSON.parse(callbackOf(provider, PAGE, 0).body);

/** Calls as the providers document them, besides the doubles' own. */
const CALLS: readonly (readonly [form: number, body: unknown])[] = [
  [0, genuine('midtrans')],
  [1, genuine('xendit')],
  [2, { event: 'refund.succeeded', data: { id: 'rfd-1', payment_id: 'py-1', amount: 99_000, reference_id: 'of the refund' } }],
  [3, { id: '6748105a77f16ebe0cc583a7', external_id: PAGE.ref, status: 'EXPIRED', amount: 99_000, currency: 'IDR' }],
  [4, genuine('stripe')],
  [5, { type: 'charge.refunded', data: { object: { id: 'ch_1', payment_intent: 'pi_1' } } }],
  [5, { type: 'charge.dispute.created', data: { object: { id: 'dp_1', payment_intent: 'pi_1' } } }],
];

const fitting = (body: unknown): readonly number[] =>
  CALLBACKS.flatMap((form, nth) => (form.validate(body, { convert: false }).error ? [] : [nth]));

it('every payment callback matches exactly one documented schema', () => {
  for (const [form, body] of CALLS) assert.deepEqual(fitting(body), [form], JSON.stringify(body));
  for (const body of [{}, { event: 'payout.succeeded', data: {} }, { type: 'customer.created', data: { object: {} } }])
    assert.deepEqual(fitting(body), []);
});

eachStore('the payment callback API', (kind) => {
  it("documents the required fields of each provider's callbacks", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { body } = await gateway.api('GET', '/openapi.json');
    const { schema } = body.paths['/hooks/payments/{provider}'].post.requestBody.content['application/json'];
    const forms = schema.anyOf.map(({ description, required = [] }: { description: string; required?: string[] }) => [
      /^`(\w+)`/.exec(description)?.[1] ?? 'any',
      ...required,
    ]);
    assert.deepEqual(forms, [
      ['midtrans', 'order_id', 'status_code', 'gross_amount', 'signature_key'],
      ['xendit', 'event', 'data'],
      ['xendit', 'event', 'data'],
      ['xendit', 'external_id', 'status'],
      ['stripe', 'type', 'data'],
      ['stripe', 'type', 'data'],
      ['any'],
    ]);
    assert.equal(schema.anyOf[4].properties.data.properties.object.required[0], 'client_reference_id');
    const page = await (await fetch(`${gateway.node.url}/docs/api`)).text();
    const [, shown = ''] = page.split('id="receivePaymentWebhook"');
    for (const field of ['signature_key', 'data.reference_id', 'data.object.payment_intent']) assert.ok(shown.includes(field), field);
  });
});
