import { clockTime, dayOf, momentOf, wallOf } from '../zones.ts';

/**
 * Account periods and calendar months, in the tenant's time zone. Pure. Timestamps are in epoch ms.
 */

const DAY_MS = 86_400_000;
/** Delay before a day is metered, because a message may be stored shortly after the day's end. */
const LATE_USAGE_MS = 2 * 3_600_000;

interface Date3 {
  readonly year: number;
  readonly month: number;
  readonly date: number;
}

function dateOf(zone: string, at: number): Date3 {
  const then = new Date(wallOf(zone, at).day * DAY_MS);
  return { year: then.getUTCFullYear(), month: then.getUTCMonth() + 1, date: then.getUTCDate() };
}

const daysIn = (year: number, month: number): number => dayOf(year, month + 1, 1) - dayOf(year, month, 1);

export interface Anchor {
  readonly anchor: number;
  readonly anchor_zone: string;
}

export const anchorOf = (zone: string, at: number): number => dateOf(zone, at).date;

/** Computed in the anchor's time zone, because it may already be the next day in another zone. */
export function periodEnd(start: number, { anchor, anchor_zone: zone }: Anchor): number {
  const { year, month } = dateOf(zone, start);
  const date = Math.min(anchor, daysIn(year, month + 1));
  return momentOf(zone, { day: dayOf(year, month + 1, date), ms: wallOf(zone, start).ms });
}

export function monthIn(zone: string, at: number): string {
  const { year, month } = dateOf(zone, at);
  return `${year}-${String(month).padStart(2, '0')}`;
}

export function monthBounds(zone: string, name: string): { readonly start: number; readonly end: number } {
  const [year = 0, month = 0] = name.split('-').map(Number);
  const first = (m: number): number => momentOf(zone, { day: dayOf(year, m, 1), ms: clockTime(0, 0) });
  return { start: first(month), end: first(month + 1) };
}

export function meterEnd(zone: string, { month, until }: { readonly month: string; readonly until: number }): number {
  return Math.max(until, Math.min(midnightAfter(zone, until), monthBounds(zone, month).end));
}

export const meterDueAt = (zone: string, metered: { readonly month: string; readonly until: number }): number =>
  meterEnd(zone, metered) + LATE_USAGE_MS;

function midnightAfter(zone: string, at: number): number {
  const { day } = wallOf(zone, at);
  const next = momentOf(zone, { day: day + 1, ms: clockTime(0, 0) });
  // If clocks go back at midnight, midnight occurs twice. After the first one, use the next day's.
  return next > at ? next : momentOf(zone, { day: day + 2, ms: clockTime(0, 0) });
}
