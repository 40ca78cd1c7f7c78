import Joi from 'joi';

/** The fields that the gateway reads in payment providers' callbacks. All others are ignored. */

const read = Joi.string().required();
const unread = Joi.any().description('Ignored: the gateway asks the provider instead');
const reference = read.description('The reference that the gateway gave the payment').example('01JD3X5Z8K9QW2E4R6T8Y0B1N3');

const Midtrans = Joi.object({
  order_id: reference,
  status_code: read.example('200'),
  gross_amount: read.example('99000.00'),
  signature_key: read.description('SHA-512 (hex) of `order_id`, `status_code`, `gross_amount` and the server key, joined without changes'),
  transaction_status: unread.example('settlement'),
  fraud_status: unread.example('accept'),
  transaction_id: unread,
  payment_type: unread.example('qris'),
  currency: unread.example('IDR'),
})
  .unknown()
  .description('`midtrans`: an HTTP notification');

const XenditSession = Joi.object({
  event: read.pattern(/^payment_session\./).example('payment_session.completed'),
  data: Joi.object({
    reference_id: reference,
    payment_session_id: unread.example('ps-661f87c614802d6c402cd82d'),
    payment_id: unread,
    status: unread.example('COMPLETED'),
    amount: unread.example(99_000),
    currency: unread.example('IDR'),
  })
    .unknown()
    .required(),
})
  .unknown()
  .description('`xendit`: a payment session was completed or expired. The header `x-callback-token` is the verification token');

const XenditRefund = Joi.object({
  event: read.pattern(/^refund\./).example('refund.succeeded'),
  data: Joi.object({
    payment_id: read.description("The provider's id of the refunded payment"),
    reference_id: unread,
    amount: unread.example(99_000),
    status: unread.example('SUCCEEDED'),
  })
    .unknown()
    .required(),
})
  .unknown()
  .description('`xendit`: a refund');

const XenditInvoice = Joi.object({
  external_id: reference,
  status: read.description('Its presence identifies an invoice; its value is not read').example('PAID'),
  id: unread,
  amount: unread.example(99_000),
  paid_amount: unread.example(99_000),
  currency: unread.example('IDR'),
})
  .unknown()
  .description('`xendit`: the callback of its older invoices');

const StripeSession = Joi.object({
  type: read.pattern(/^checkout\.session\./).example('checkout.session.completed'),
  data: Joi.object({
    object: Joi.object({ client_reference_id: reference, payment_status: unread.example('paid'), amount_total: unread.example(900) })
      .unknown()
      .required(),
  })
    .unknown()
    .required(),
})
  .unknown()
  .description('`stripe`: an event of a Checkout session. The header `stripe-signature` signs the raw body and is valid for five minutes');

const StripeMoney = Joi.object({
  type: read.pattern(/^charge\.(refunded$|dispute\.)/).example('charge.refunded'),
  data: Joi.object({
    object: Joi.object({ payment_intent: read.description("The provider's id of the payment").example('pi_3QExample') })
      .unknown()
      .required(),
  })
    .unknown()
    .required(),
})
  .unknown()
  .description('`stripe`: a refund or a dispute');

export const CALLBACKS = [Midtrans, XenditSession, XenditRefund, XenditInvoice, StripeSession, StripeMoney] as const;

const Other = Joi.object()
  .unknown()
  .description('Events of any other kind. If the signature is valid, they are answered `{ok: true}` and ignored');

export const CallbackSchema = Joi.alternatives(...CALLBACKS, Other);
