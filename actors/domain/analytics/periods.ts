import { type Day, startOf, wallOf } from '../zones.ts';

export interface Period {
  readonly first: Day;
  readonly days: number;
  readonly since: number;
  readonly until: number;
  readonly previousSince: number;
}

export function periodOf(zone: string, days: number, now: number): Period {
  const first = wallOf(zone, now).day - days + 1;
  return { first, days, since: startOf(zone, first), until: Number.MAX_SAFE_INTEGER, previousSince: startOf(zone, first - days) };
}

export const dateOf = (day: Day): string => new Date(day * 86_400_000).toISOString().slice(0, 10);
