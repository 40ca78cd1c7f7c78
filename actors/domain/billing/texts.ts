import type { AccountRow, BothLanguages } from '../../../store/billing/accounts.ts';
import type { InvoiceRow } from '../../../store/billing/invoices.ts';
import { wallOf } from '../zones.ts';
import type { BillingContext } from './account.ts';
import { written } from './money.ts';

const DAY_MS = 86_400_000;

const dateText = (zone: string, at: number): string => new Date(wallOf(zone, at).day * DAY_MS).toISOString().slice(0, 10);

export function receiptText(_account: AccountRow, invoice: InvoiceRow, { zone }: BillingContext): BothLanguages {
  const sum = written(invoice.amount, invoice.currency);
  const until = invoice.period_end === null ? null : dateText(zone, invoice.period_end);
  if (invoice.kind === 'overage')
    return {
      en: `Receipt {number}\nMessages beyond the quota, ${invoice.month}: ${sum}. Thank you.`,
      id: `Kuitansi {number}\nPesan di atas kuota, ${invoice.month}: ${sum}. Terima kasih.`,
    };
  return {
    en: `Receipt {number}\nPlan ${invoice.plan} until ${until}: ${sum}. Thank you.`,
    id: `Kuitansi {number}\nPaket ${invoice.plan} sampai ${until}: ${sum}. Terima kasih.`,
  };
}

export function reminderText(plan: string, days: number, end: number, { zone }: BillingContext): BothLanguages {
  const date = dateText(zone, end);
  return {
    en: `Your plan ${plan} ends on ${date}, in ${days} ${days === 1 ? 'day' : 'days'}. Renew it here: {link}`,
    id: `Paket ${plan} Anda berakhir pada ${date}, ${days} hari lagi. Perpanjang di sini: {link}`,
  };
}

export function graceText(plan: string, until: number, { zone }: BillingContext): BothLanguages {
  const date = dateText(zone, until);
  return {
    en: `Your paid period is over. Plan ${plan} continues until ${date}; after that the account changes to the free plan. Renew it here: {link}`,
    id: `Masa langganan Anda telah berakhir. Paket ${plan} tetap aktif sampai ${date}; setelah itu akun beralih ke paket free. Perpanjang di sini: {link}`,
  };
}

export const freeText = (plan: string): BothLanguages => ({
  en: `Plan ${plan} has ended; the account is now on the free plan. Nothing was deleted. Devices above the limit are paused.`,
  id: `Paket ${plan} telah berakhir; akun kini memakai paket free. Tidak ada yang dihapus. Perangkat di atas batas paket dijeda.`,
});

export const overageText = (invoice: InvoiceRow): BothLanguages => ({
  en: `Messages beyond the quota in ${invoice.month}: ${written(invoice.amount, invoice.currency)}. Pay here: {link}`,
  id: `Pesan di atas kuota pada ${invoice.month}: ${written(invoice.amount, invoice.currency)}. Bayar di sini: {link}`,
});

export const quotaText = (level: number, used: number, limit: number): BothLanguages => ({
  en: `${level} % of this month's messages are used: ${used} of ${limit}.`,
  id: `${level} % pesan bulan ini telah terpakai: ${used} dari ${limit}.`,
});
