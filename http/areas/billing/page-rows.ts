import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { Confirm } from '../../../actors/services/billing/confirm.ts';
import { type PaymentPageDeps, payUrlOf, withPage } from '../../../actors/services/billing/payment-page.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { InvoiceRow, Invoices } from '../../../store/billing/invoices.ts';
import type { SandboxPayments } from '../../../store/billing/sandbox-payments.ts';
import { type Area, Raw, rowsFor } from '../../core/row.ts';
import { Ulid } from '../../core/schemas.ts';
import { payPage, statePage } from './pages.ts';

export interface BillingPagesServices {
  readonly billing: PaymentPageDeps & { readonly invoices: Invoices; readonly confirm: Confirm; readonly sandboxPayments: SandboxPayments };
  /** Returns false if this invoice has been checked with the provider too often recently. */
  mayAsk(invoiceId: string, now: number): Promise<boolean>;
}

const row = rowsFor<BillingPagesServices>();
const oneInvoice = Joi.object<{ invoiceId: string }>({ invoiceId: Ulid.required().description('The invoice') });
const HTML = 'text/html; charset=utf-8';

export const billingPages: Area<BillingPagesServices> = {
  name: 'payment pages',
  about: 'The page to which a payment provider sends the customer back',
  rows: [
    row({
      id: 'returnFromPayment',
      method: 'GET',
      path: '/billing/return/{invoiceId}',
      summary: "Show an invoice's state",
      about: 'Show the state of an invoice as a web page. The gateway asks the provider first. An open invoice links to its payment page',
      access: 'none',
      params: oneInvoice,
      // Providers append the payment result to the URL. It could be forged, so the gateway ignores
      // it and asks the provider.
      query: Joi.object().unknown(),
      status: 200,
      produces: ['text/html'],
      returns: Joi.string(),
      refuses: ['NOT_FOUND'],
      async run(services, { params, lang, now }) {
        const known = await located(services, params.invoiceId);
        if (known.status !== 'paid' && (await services.mayAsk(known._id, now))) await services.billing.confirm.confirm(known);
        const invoice = await payable(services, await located(services, params.invoiceId));
        return new Raw(statePage(invoice, payUrlOf(invoice, now), lang), HTML);
      },
    }),
  ],
};

export const sandboxPay: Area<BillingPagesServices> = {
  name: 'sandbox payments',
  about: 'The payment page of the `sandbox` provider. No money moves; a button decides the outcome. Only for callers on this machine',
  rows: [
    row({
      id: 'sandboxPayPage',
      method: 'GET',
      path: '/sandbox/pay/{invoiceId}',
      summary: 'Show the payment page',
      about: 'Show a page with three buttons: paid, failed, pending',
      access: 'none',
      loopback: true,
      params: oneInvoice,
      status: 200,
      produces: ['text/html'],
      returns: Joi.string(),
      refuses: ['NOT_FOUND'],
      run: async (services, { params, lang }) => new Raw(payPage(await sandboxed(services, params.invoiceId), lang), HTML),
    }),
    row({
      id: 'sandboxPay',
      method: 'POST',
      path: '/sandbox/pay/{invoiceId}',
      summary: 'Press a payment button',
      about: 'Press one of the buttons',
      audit: { none: 'the result of the payment has a separate entry' },
      access: 'none',
      loopback: true,
      params: oneInvoice,
      body: Joi.object<{ outcome: 'paid' | 'failed' | 'pending' }>({
        outcome: Joi.string().valid('paid', 'failed', 'pending').required().example('paid'),
      }),
      status: 200,
      returns: Joi.object({
        ok: Joi.valid(true).required(),
        status: Joi.string().required().description('The status of the invoice').example('paid'),
        return_url: Joi.string().required(),
      }),
      refuses: ['NOT_FOUND'],
      async run(services, { params, body }) {
        const invoice = await sandboxed(services, params.invoiceId);
        const ref = invoice.attempts.at(-1)?.ref ?? '';
        if (!(await services.billing.sandboxPayments.press(ref, body.outcome))) throw refusal('NOT_FOUND');
        await services.billing.confirm.confirm(invoice);
        const { status } = await located(services, params.invoiceId);
        return { ok: true as const, status, return_url: services.billing.returnUrl(invoice._id) };
      },
    }),
  ],
};

async function located({ billing }: BillingPagesServices, id: string): Promise<InvoiceRow> {
  const invoice = await billing.invoices.locate(id);
  if (!invoice) throw refusal('NOT_FOUND');
  return invoice;
}

async function sandboxed(services: BillingPagesServices, id: string): Promise<InvoiceRow> {
  const invoice = await located(services, id);
  if (invoice.provider !== 'sandbox') throw refusal('NOT_FOUND');
  return invoice;
}

async function payable({ billing }: BillingPagesServices, invoice: InvoiceRow): Promise<InvoiceRow> {
  try {
    return invoice.status === 'open' ? await withPage(billing, invoice.tenant_id, invoice._id) : invoice;
  } catch (cause) {
    if (cause instanceof Refusal) return invoice;
    throw cause;
  }
}
