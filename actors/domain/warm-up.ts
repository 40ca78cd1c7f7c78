/**
 * Operators advise at most 50 messages on the first day (whapi.cloud, "How to avoid a WhatsApp
 * ban", 2026); the network's first step for businesses is 1,000 conversations a day.
 */
const FIRST_DAY = 50;
const LAST_DAY = 1_000;
const DAY_MS = 86_400_000;

export interface YoungDay {
  readonly name: string;
  /** Replies count towards the limit, but are sent even if it is reached. */
  readonly limit: number;
  readonly endsAt: number;
}

export const youngUntil = (linkedAt: number | null, days: number | null): number | null =>
  linkedAt === null || days === null ? null : linkedAt + days * DAY_MS;

export function youngDay(linkedAt: number | null, days: number | null, now: number): YoungDay | null {
  const until = youngUntil(linkedAt, days);
  if (linkedAt === null || days === null || until === null || now >= until) return null;
  const nth = Math.max(0, Math.floor((now - linkedAt) / DAY_MS));
  const grown = days > 1 ? (LAST_DAY / FIRST_DAY) ** (nth / (days - 1)) : 1;
  return { name: `${linkedAt}+${nth}`, limit: Math.round(FIRST_DAY * grown), endsAt: linkedAt + (nth + 1) * DAY_MS };
}
