/**
 * How much a young device may send on each of its days (24 hours from the moment it was linked). The network names no figures for linked
 * phones; those who run such gateways advise at most 50 messages on the first day (whapi.cloud, "How to avoid a WhatsApp ban", 2026), and the
 * network's own first step for businesses on its cloud interface is 1,000 conversations a day. Between the two it grows by the same factor
 * each day.
 */
const FIRST_DAY = 50;
const LAST_DAY = 1_000;
const DAY_MS = 86_400_000;

/** One day of a young device. */
export interface YoungDay {
  readonly name: string;
  /** Messages; replies are counted and never held. */
  readonly limit: number;
  /** Epoch ms. */
  readonly endsAt: number;
}

/** Until when a device linked at `linkedAt` is young; null: never was. `days`: the tenant's setting, null where it is off. */
export const youngUntil = (linkedAt: number | null, days: number | null): number | null =>
  linkedAt === null || days === null ? null : linkedAt + days * DAY_MS;

/** The day that a young device has; null: it may send what it likes. */
export function youngDay(linkedAt: number | null, days: number | null, now: number): YoungDay | null {
  const until = youngUntil(linkedAt, days);
  if (linkedAt === null || days === null || until === null || now >= until) return null;
  const nth = Math.max(0, Math.floor((now - linkedAt) / DAY_MS));
  const grown = days > 1 ? (LAST_DAY / FIRST_DAY) ** (nth / (days - 1)) : 1;
  return { name: `${linkedAt}+${nth}`, limit: Math.round(FIRST_DAY * grown), endsAt: linkedAt + (nth + 1) * DAY_MS };
}
