import { hash } from 'node:crypto';
import type { SandboxPayment, SandboxPayments } from '../../../store/billing/sandbox-payments.ts';
import { CURRENCIES } from '../../domain/billing/money.ts';
import { type AskedPayment, NOTHING, type PaymentProvider } from './provider.ts';

export function sandboxProvider(pages: SandboxPayments, address: () => string): PaymentProvider {
  return {
    id: 'sandbox',
    currencies: CURRENCIES,
    goesByReference: true,

    async create({ ref, invoice, expiresAt }) {
      await pages.open({ _id: ref, invoice: invoice._id, amount: invoice.amount, currency: invoice.currency, status: 'waiting' });
      return { providerId: null, url: `${address()}/sandbox/pay/${invoice._id}`, expiresAt };
    },

    async ask(_invoice, { ref }) {
      const page = await pages.find(ref);
      return page ? said(page) : NOTHING;
    },

    // The sandbox sends no webhooks. A click on its page makes the gateway check the payment.
    verify: () => null,
  };
}

function said(page: SandboxPayment): AskedPayment {
  if (page.status === 'failed') return { status: 'failed', isFinal: false, payments: [] };
  if (page.status !== 'paid') return { ...NOTHING, status: page.status };
  const { _id, amount, currency } = page;
  const evidence = hash('sha256', JSON.stringify(page), 'hex');
  const payment = { id: `sandbox-${_id}`, amount, currency, isOurs: true, refunded: 0, dispute: null, evidence };
  return { status: 'paid', isFinal: true, payments: [payment] };
}
