import type { CampaignDraft } from '../../../store/campaigns/campaigns.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { FREE_SERVICE, type OfficialMonths } from '../../../store/devices/official-months.ts';
import { rounded } from '../../domain/analytics/costs.ts';
import { factsOf } from '../../domain/phone-numbers.ts';
import type { PriceBook } from '../official/prices.ts';

/**
 * Estimates the cost on the official platform at current prices. Templates are always billed. Free
 * text in a window is free while the number has free messages left this month, which are assigned
 * to the first countries in the list. Only delivered messages are billed, so the bill may be lower.
 */

export interface EstimateDeps {
  readonly priceBook: PriceBook;
  readonly officialMonths: Pick<OfficialMonths, 'service'>;
}

export interface CostEstimate {
  readonly amount: number | null;
  readonly currency: string | null;
  readonly rows: readonly EstimatedCost[];
}

interface EstimatedCost {
  /** Null if the number does not reveal its country. */
  readonly country: string | null;
  readonly category: string;
  readonly messages: number;
  readonly amount: number | null;
}

export class CostCount {
  readonly #countries = new Map<string | null, number>();

  add(phones: readonly string[]): void {
    for (const phone of phones) {
      const country = factsOf(phone)?.country ?? null;
      this.#countries.set(country, (this.#countries.get(country) ?? 0) + 1);
    }
  }

  /** Returns null unless the campaign runs on a single official number. */
  async estimate(deps: EstimateDeps, draft: CampaignDraft, devices: readonly DeviceRow[], now: number): Promise<CostEstimate | null> {
    const [device] = devices;
    if (!device?.official) return null;
    const { currency } = device.official;
    const category = draft.official?.category ?? 'service';
    let free = category === 'service' ? Math.max(0, FREE_SERVICE - (await deps.officialMonths.service(device._id, now))) : 0;
    const rows: EstimatedCost[] = [];
    for (const [country, messages] of this.#countries) {
      const billed = Math.max(0, messages - free);
      free = Math.max(0, free - messages);
      const price = billed === 0 ? 0 : await deps.priceBook.priceOf({ currency, country, category }, now);
      rows.push({ country, category, messages, amount: price === null ? null : rounded(price * billed) });
    }
    const isKnown = rows.every(({ amount }) => amount !== null);
    const amount = isKnown ? rounded(rows.reduce((sum, one) => sum + (one.amount ?? 0), 0)) : null;
    return { amount, currency: currency ?? null, rows };
  }
}
