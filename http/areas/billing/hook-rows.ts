import Joi from 'joi';
import { type ReceiveHookDeps, receiveHook } from '../../../actors/services/billing/receive-hook.ts';
import { type Area, type Bytes, type OpenCall, rowsFor } from '../../core/row.ts';
import { CallbackSchema } from './callback-schemas.ts';

export interface PaymentHooksServices {
  readonly receivingPayments: ReceiveHookDeps;
}

const MAX_BYTES = 262_144;

const row = rowsFor<PaymentHooksServices>();

export const paymentHooks: Area<PaymentHooksServices> = {
  name: 'payment webhooks',
  about:
    'Webhooks of payment providers. Not for clients: the gateway verifies each call by the scheme of its provider, then asks the provider for the state of the payment',
  rows: [
    row({
      id: 'receivePaymentWebhook',
      method: 'POST',
      path: '/hooks/payments/{provider}',
      summary: 'Receive a payment webhook',
      audit: { none: 'the result of the payment has a separate entry' },
      access: 'none',
      params: Joi.object<{ provider: string }>({ provider: Joi.string().max(20).required().example('midtrans') }),
      bytes: { types: ['*'], maxBytes: MAX_BYTES, describedBy: CallbackSchema },
      headers: ['x-callback-token', 'stripe-signature'],
      status: 200,
      returns: Joi.object({
        ok: Joi.boolean()
          .required()
          .description('True if the event was handled or deliberately ignored; false if the payment is not settled'),
        status: Joi.string()
          .description('With `ok: false`: the status of the provider, `rejected` (the payment does not fit its invoice), or `unverified`')
          .example('pending'),
      }).meta({ title: 'PaymentWebhookAck' }),
      refuses: ['NOT_FOUND', 'BAD_SIGNATURE', 'RATE_LIMITED', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE'],
      run: ({ receivingPayments }, { params, body, header, address, now }: OpenCall<{ provider: string }, unknown, Bytes>) =>
        receiveHook(receivingPayments, params.provider, { raw: body.bytes, header, now }, address),
    }),
  ],
};
