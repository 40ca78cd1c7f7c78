import { type Day, startOf, wallOf } from '../zones.ts';

/** Days of a business in its zone, today among them; moments are epoch ms. */
export interface Period {
  /** The first of them. */
  readonly first: Day;
  readonly days: number;
  readonly since: number;
  readonly until: number;
  /** The period of as many days before it begins here. */
  readonly previousSince: number;
}

/** The last `days` days of `zone`, with today as far as it is over. */
export function periodOf(zone: string, days: number, now: number): Period {
  const first = wallOf(zone, now).day - days + 1;
  return { first, days, since: startOf(zone, first), until: Number.MAX_SAFE_INTEGER, previousSince: startOf(zone, first - days) };
}

/** `YYYY-MM-DD`. */
export const dateOf = (day: Day): string => new Date(day * 86_400_000).toISOString().slice(0, 10);
