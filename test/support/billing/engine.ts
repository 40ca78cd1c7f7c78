import { pino } from 'pino';
import type { Plans } from '../../../actors/domain/plans.ts';
import { type BillingDeps, type CheckedOut, checkout } from '../../../actors/services/billing/billing.ts';
import { type Confirm, createConfirm } from '../../../actors/services/billing/confirm.ts';
import { createLedger, type Ledger } from '../../../actors/services/billing/ledger.ts';
import { type BillingOutboxDeps, processBillingOutbox } from '../../../actors/services/billing/outbox.ts';
import type { PaymentProvider } from '../../../actors/services/billing/provider.ts';
import { runBilling } from '../../../actors/services/billing/run-due.ts';
import { sandboxProvider } from '../../../actors/services/billing/sandbox-provider.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { TenantRow } from '../../../store/accounts/tenants.ts';
import { type Accounts, accountsIn } from '../../../store/billing/accounts.ts';
import { type InvoiceNumbers, invoiceNumbersIn } from '../../../store/billing/invoice-numbers.ts';
import { type BillingCurrency, type Invoices, invoicesIn } from '../../../store/billing/invoices.ts';
import { type SandboxPayments, sandboxPaymentsIn } from '../../../store/billing/sandbox-payments.ts';
import { sentMessagesIn } from '../../../store/messaging/sent-messages.ts';
import type { Store } from '../../../store/port.ts';

/** The billing of one node over a store, without HTTP and actors. */
export interface Engine {
  readonly ledger: Ledger;
  readonly confirm: Confirm;
  readonly accounts: Accounts;
  readonly invoices: Invoices;
  readonly numbers: InvoiceNumbers;
  readonly pages: SandboxPayments;
  readonly deps: BillingDeps;
  /** Performs the due steps of a tenant's billing. */
  bill(tenantId: string): Promise<unknown>;
  /** Makes an invoice at the first provider. */
  buy(tenantId: string, plan: string, currency?: BillingCurrency): Promise<CheckedOut>;
}

interface World {
  readonly clock: Clock;
  readonly plans: Plans;
  /** Sends a text over the network; default: does nothing. */
  readonly sendText?: BillingOutboxDeps['sendText'];
  readonly applyPlan?: BillingOutboxDeps['applyPlan'];
  readonly record?: BillingOutboxDeps['record'];
  readonly providers?: readonly PaymentProvider[];
}

const nothing = async (): Promise<void> => {};
const PROFILE = {
  business_name: null,
  country: 'ID',
  timezone: 'Asia/Jakarta',
  locale: 'id',
  industry: null,
  currency: 'IDR',
  configured: true,
} as const;

/** Returns a billing engine for which every tenant id exists, in Jakarta's time zone. */
export function anEngine(store: Store, { clock, plans, ...world }: World): Engine {
  const [accounts, invoices, numbers, pages] = [accountsIn(store), invoicesIn(store), invoiceNumbersIn(store), sandboxPaymentsIn(store)];
  const log = pino({ level: 'silent' });
  const tenants = { find: async (_id: string): Promise<TenantRow> => tenantOf(_id) };
  const providers = new Map((world.providers ?? [sandboxProvider(pages, () => 'https://gateway.example')]).map((one) => [one.id, one]));
  const outbox: BillingOutboxDeps = {
    accounts,
    invoices,
    numbers,
    tenants,
    clock,
    log,
    paymentLink: () => 'https://gateway.example',
    applyPlan: world.applyPlan ?? nothing,
    record: world.record ?? nothing,
    sendText: world.sendText ?? nothing,
    audit: nothing,
  };
  const ledger = createLedger({
    accounts,
    invoices,
    tenants,
    clock,
    plans,
    taxRate: 0,
    providerFor: () => [...providers.keys()][0] ?? null,
    changed: (tenantId) => processBillingOutbox(outbox, tenantId, false),
  });
  const confirm = createConfirm({ ledger, providers, clock, log, refundEnds: 'now' });
  const deps: BillingDeps = { ledger, providers, plans, clock, returnUrl: (id) => `https://gateway.example/${id}`, countCheckout: nothing };
  const [provider] = providers.keys();
  return {
    ledger,
    confirm,
    accounts,
    invoices,
    numbers,
    pages,
    deps,
    bill: (tenantId) => runBilling({ accounts, ledger, confirm, outbox, countSent: sentMessagesIn(store).count }, tenantId),
    buy: (tenantId, plan, currency) => checkout(deps, tenantId, { plan, provider: provider ?? '', currency, isPreview: false }),
  };
}

const tenantOf = (_id: string): TenantRow => ({
  _id,
  name: _id,
  phone: '6281100009999',
  plan: 'free',
  suspended: false,
  profile: PROFILE,
  settings: {},
  settings_revision: 0,
  created_at: 0,
  updated_at: 0,
});
