import { planOf } from '../../actors/domain/plans.ts';
import { createSender } from '../../actors/services/accounts/platform-sender.ts';
import { systemDraft } from '../../actors/services/audit/audit-trail.ts';
import type { BillingDeps } from '../../actors/services/billing/billing.ts';
import { type Confirm, createConfirm } from '../../actors/services/billing/confirm.ts';
import { fitDevices } from '../../actors/services/billing/fit-devices.ts';
import { createLedger, type Ledger } from '../../actors/services/billing/ledger.ts';
import { midtrans } from '../../actors/services/billing/midtrans.ts';
import { type BillingOutboxDeps, processBillingOutbox } from '../../actors/services/billing/outbox.ts';
import type { PaymentProvider } from '../../actors/services/billing/provider.ts';
import { watchQuota } from '../../actors/services/billing/quota-watch.ts';
import { runBilling } from '../../actors/services/billing/run-due.ts';
import { sandboxProvider } from '../../actors/services/billing/sandbox-provider.ts';
import { stripe } from '../../actors/services/billing/stripe.ts';
import { xendit } from '../../actors/services/billing/xendit.ts';
import type { EventLog } from '../../actors/services/events/event-log.ts';
import type { OutboxHandler } from '../../actors/services/messaging/outbox-processor.ts';
import type { TenantHints } from '../../actors/tenant/hints.ts';
import type { Released } from '../../actors/tenant/protocol.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Accounts, accountsIn } from '../../store/billing/accounts.ts';
import { invoiceNumbersIn } from '../../store/billing/invoice-numbers.ts';
import { type Invoices, invoicesIn, type ProviderId } from '../../store/billing/invoices.ts';
import { type SandboxPayments, sandboxPaymentsIn } from '../../store/billing/sandbox-payments.ts';
import { sentMessagesIn } from '../../store/messaging/sent-messages.ts';
import { type Wakeups, wakeupsIn } from '../../store/scheduling/wakeups.ts';
import type { Config } from './config.ts';
import { isSandboxServed } from './config.ts';
import type { SharedDeps } from './shared-deps.ts';

export interface BillingServices {
  readonly billing: Omit<BillingDeps, 'countCheckout'> & {
    readonly accounts: Accounts;
    readonly invoices: Invoices;
    readonly confirm: Confirm;
    readonly sandboxPayments: SandboxPayments;
    fitDevices(tenantId: string): Promise<void>;
    onPlanChanged(receive: (tenantId: string) => void): void;
    serveAt(address: () => string): void;
  };
  bill(tenantId: string): Promise<Released>;
  wakeDueAccounts(now: number): Promise<void>;
  readonly watchQuota: OutboxHandler;
}

export interface BillingParts extends SharedDeps {
  readonly eventLog: () => EventLog;
  readonly tenantHints: () => TenantHints;
}

const OVERSLEPT_MS = 60_000;
const MAX_WOKEN = 1_000;
const HUNDREDTHS = 100;

export function startBilling(parts: BillingParts): BillingServices {
  const { config, clock, log, store, tenants, devices, device, usage } = parts;
  const { plans } = config;
  const accounts = accountsIn(store);
  const invoices = invoicesIn(store);
  const sandboxPayments = sandboxPaymentsIn(store);
  const wakeups = wakeupsIn(store);
  const sent = sentMessagesIn(store);
  const sender = createSender({ devices, device, now: () => clock.now() });
  const listeners: ((tenantId: string) => void)[] = [];
  let served = (): string => '';
  const address = (): string => config.base_url ?? served();
  const returnUrl = (invoiceId: string): string => `${address()}/billing/return/${invoiceId}`;
  const providers = providersOf(config, clock, sandboxProvider(sandboxPayments, address));

  /** Repeats until the plan stays the same, because concurrent calls may use different plans. */
  async function fit(tenantId: string): Promise<void> {
    for (let fitted: string | null = null; ; ) {
      const plan = (await tenants.find(tenantId))?.plan ?? null;
      if (plan === fitted) return;
      fitted = plan;
      if (plan !== null) await fitDevices({ devices, device }, tenantId, planOf(plans, plan).devices);
    }
  }

  const outbox: BillingOutboxDeps = {
    accounts,
    invoices,
    numbers: invoiceNumbersIn(store),
    tenants,
    clock,
    log,
    paymentLink: (invoiceId) => (invoiceId === null ? address() : returnUrl(invoiceId)),
    async applyPlan(tenantId, plan, rev) {
      await tenants.setPlan(tenantId, plan, rev, clock.now());
      for (const receive of listeners) receive(tenantId);
      await fit(tenantId);
    },
    record: (tenantId, drafts) => parts.eventLog().record(tenantId, drafts),
    sendText: sender.send,
    audit(tenantId, { key, action, target, at, changes }) {
      const kind = action.startsWith('plan.') ? 'tenant' : 'invoice';
      return parts.audit.record({ ...systemDraft(tenantId, action, { kind, id: target }, at, { changes }), id: key });
    },
  };
  const ledger = createLedger({
    accounts,
    invoices,
    tenants,
    clock,
    plans,
    taxRate: Math.round(config.billing_tax_percent * HUNDREDTHS),
    providerFor: (currency) => [...providers.values()].find(({ currencies }) => currencies.includes(currency))?.id ?? null,
    changed: (tenantId) => changed(tenantId),
  });
  const confirm = createConfirm({ ledger, providers, clock, log, refundEnds: config.billing_refund_ends });

  /** The change has already been stored, so steps that fail from here on are retried later. */
  async function changed(tenantId: string): Promise<void> {
    try {
      await processBillingOutbox(outbox, tenantId, false);
      await wake(wakeups, parts.tenantHints(), tenantId, clock.now());
    } catch (cause) {
      log.warn({ event: 'billing.step_delayed', err: cause, tenant: tenantId }, 'billing: the follow-ups to a change are delayed');
    }
  }

  return {
    billing: {
      accounts,
      invoices,
      confirm,
      ledger,
      providers,
      plans,
      clock,
      returnUrl,
      sandboxPayments,
      fitDevices: fit,
      onPlanChanged: (receive) => void listeners.push(receive),
      serveAt(at) {
        served = at;
      },
    },
    bill: (tenantId) => runBilling({ accounts, ledger, confirm, outbox, countSent: sent.count }, tenantId),

    async wakeDueAccounts(now) {
      for (const tenantId of await accounts.due(now - OVERSLEPT_MS, MAX_WOKEN)) await wake(wakeups, parts.tenantHints(), tenantId, now);
    },

    watchQuota: watchQuota({ usage, tenants, plans, ledger: ledger satisfies Ledger, now: () => clock.now() }),
  };
}

async function wake(wakeups: Wakeups, hints: TenantHints, tenantId: string, now: number): Promise<void> {
  await wakeups.put(tenantId, now, 'billing');
  hints.eventsArrived(tenantId);
}

function providersOf(config: Config, clock: Clock, sandbox: PaymentProvider): ReadonlyMap<ProviderId, PaymentProvider> {
  const { midtrans_server_key, xendit_secret_key, xendit_callback_token, stripe_secret_key, stripe_webhook_secret } = config;
  const all = [
    midtrans_server_key ? midtrans({ serverKey: midtrans_server_key, url: config.midtrans_url, clock }) : null,
    xendit_secret_key && xendit_callback_token
      ? xendit({ secretKey: xendit_secret_key, callbackToken: xendit_callback_token, url: config.xendit_url, clock })
      : null,
    stripe_secret_key && stripe_webhook_secret
      ? stripe({ secretKey: stripe_secret_key, webhookSecret: stripe_webhook_secret, url: config.stripe_url })
      : null,
    config.network === 'sandbox' && isSandboxServed(config) ? sandbox : null,
  ];
  return new Map(all.flatMap((provider) => (provider ? [[provider.id, provider] as const] : [])));
}
