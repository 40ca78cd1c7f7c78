import Joi from 'joi';
import { CURRENCIES } from '../../../actors/domain/billing/money.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import { markRefunded } from '../../../actors/services/billing/billing.ts';
import type { Ledger } from '../../../actors/services/billing/ledger.ts';
import type { Accounts } from '../../../store/billing/accounts.ts';
import type { Attention, InvoiceRow, Invoices } from '../../../store/billing/invoices.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';
import { Amount, Currency, InvoiceSchema, toInvoice } from '../billing/schemas.ts';

export interface AdminBillingServices {
  readonly billing: { readonly ledger: Ledger; readonly invoices: Invoices; readonly accounts: Accounts };
}

const MAX_SHOWN = 200;
const LISTS: readonly Attention[] = ['open', 'unverified', 'rejected', 'disputed'];

const row = rowsFor<AdminBillingServices>();

const AdminInvoice = Joi.object()
  .concat(InvoiceSchema as Joi.ObjectSchema)
  .keys({
    tenant_id: Ulid.required(),
    payments: Joi.array()
      .items(
        Joi.object({
          id: Joi.string().required().description("The provider's id"),
          amount: Amount.allow(null).required(),
          currency: Joi.string().required(),
          at: Timestamp.required(),
          became: Joi.string().valid('settlement', 'credit', 'rejected').required(),
          reason: Joi.string().allow(null).required().description('Why the payment became credit, or does not match the invoice'),
          refunded: Amount.required(),
          dispute: Joi.string().valid('open', 'won', 'lost').allow(null).required(),
        }),
      )
      .required(),
  })
  .meta({ title: 'AdminInvoice' });

const list = Joi.array().items(AdminInvoice).required();

export const adminBilling: Area<AdminBillingServices> = {
  name: 'operator billing',
  about: 'Payments that need attention, for the platform operator',
  rows: [
    row({
      id: 'getAdminBilling',
      method: 'GET',
      path: '/v1/admin/billing',
      summary: 'List payments to check',
      about:
        'List open invoices, invoices whose provider could not be reached, invoices with a wrong or disputed payment, and tenants with credit. The newest 200 of each',
      access: 'operator',
      query: Joi.object<{ limit: number }>({
        limit: Joi.number().integer().min(1).max(MAX_SHOWN).default(MAX_SHOWN).description('The number of entries of each kind'),
      }),
      status: 200,
      returns: Joi.object({
        open: list,
        unverified: list,
        rejected: list,
        disputed: list,
        credits: Joi.array()
          .items(Joi.object({ tenant_id: Ulid.required(), amount: Amount.required(), currency: Currency.required() }))
          .required(),
      }),
      async run({ billing: { invoices, accounts } }, { query, now }) {
        const [[open, unverified, rejected, disputed], withCredit] = await Promise.all([
          Promise.all(LISTS.map(async (what) => (await invoices.needing(what, query.limit)).map((one) => shown(one, now)))),
          accounts.withCredit(query.limit),
        ]);
        const credits = withCredit.flatMap(({ _id: tenant_id, credit }) =>
          CURRENCIES.filter((currency) => credit[currency] > 0).map((currency) => ({ tenant_id, amount: credit[currency], currency })),
        );
        return { open, unverified, rejected, disputed, credits };
      },
    }),
    row({
      id: 'markInvoiceRefunded',
      method: 'POST',
      path: '/v1/admin/billing/invoices/{id}/refunded',
      summary: 'Mark an invoice refunded',
      about: 'Mark an invoice as refunded outside the gateway. The plan that it paid for ends',
      audit: { action: 'invoice.refund' },
      access: 'operator',
      params: Joi.object<{ id: string }>({ id: Ulid.required().description('The invoice') }),
      body: Joi.object<{ ends?: 'now' | 'period_end' }>({
        ends: Joi.string().valid('now', 'period_end').default('now').description('When the plan ends'),
      }),
      status: 200,
      returns: AdminInvoice,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      async run({ billing }, { params, body, now }) {
        const invoice = await billing.invoices.locate(params.id);
        if (!invoice) throw refusal('NOT_FOUND');
        return shown(await markRefunded(billing, invoice, body.ends ?? 'now'), now);
      },
    }),
  ],
};

function shown(row: InvoiceRow, now: number) {
  const payments = row.payments.map(({ evidence: _, ...payment }) => payment);
  return { ...toInvoice(row, now), tenant_id: row.tenant_id, payments };
}
