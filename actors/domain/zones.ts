import { IANAZone } from 'luxon';
import { RecentCache } from '../../runtime/recent-cache.ts';
import type { Hours } from '../../store/accounts/tenants.ts';

/**
 * Local time in IANA zones. Timestamps are in epoch ms. `zone` is a name that `isTimezone` accepts.
 */

export type Day = number;

export interface Wall {
  readonly day: Day;
  /** Milliseconds since 00:00 on the clock. A clock change skips or repeats some of them. */
  readonly ms: number;
}

export const LATEST_MS = 8_640_000_000_000_000;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const THURSDAY = 4;

export const dayOf = (year: number, month: number, date: number): Day => Date.UTC(year, month - 1, date) / DAY_MS;
/** Returns 0 for Sunday. */
export const weekdayOf = (day: Day): number => (((day + THURSDAY) % 7) + 7) % 7;
export const clockTime = (hour: number, minute: number): number => (hour * 60 + minute) * MINUTE_MS;

export function wallOf(zone: string, at: number): Wall {
  const local = at + offsetOf(zone, at);
  const day = Math.floor(local / DAY_MS);
  return { day, ms: local - day * DAY_MS };
}

export function clockIn(zone: string, at: number): string {
  const minutes = Math.floor(wallOf(zone, at).ms / MINUTE_MS);
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Returns the first moment after the gap if the clocks skip this time; the first of two if repeated. */
export const momentOf = (zone: string, wall: Wall): number => momentsOf(zone, wall)[0];

/** Opening hours past midnight belong to the day on which they began. */
export function isOpen(hours: Hours, zone: string, now: number): boolean {
  const { day, ms } = wallOf(zone, now);
  const [start, end] = [parsed(hours.start), parsed(hours.end)];
  const isDay = (which: Day): boolean => hours.days.includes(weekdayOf(which));
  if (start < end) return isDay(day) && ms >= start && ms < end;
  return (isDay(day) && ms >= start) || (isDay(day - 1) && ms < end);
}

/** Number of days to search. Enough even if the only open day of a week is skipped. */
const MAX_DAYS = 15;

export function opensAt(hours: Hours, zone: string, now: number): number {
  if (isOpen(hours, zone, now)) return now;
  const today = wallOf(zone, now).day;
  for (let day = today; day <= today + MAX_DAYS; day += 1) {
    const opening = openings(hours, zone, day).filter((at) => at > now && isOpen(hours, zone, at));
    if (opening.length > 0) return Math.min(...opening);
  }
  throw new Error('hours without days never open');
}

export function closesAt(hours: Hours, zone: string, now: number): number {
  const today = wallOf(zone, now).day;
  const ends = [today, today + 1, today + 2].flatMap((day) => momentsOf(zone, { day, ms: parsed(hours.end) }));
  return Math.min(...ends.filter((at) => at > now));
}

/** If a clock change skips the start of the hours, the moment of the change is a possible start. */
function openings({ start }: Hours, zone: string, day: Day): readonly number[] {
  const [from, to] = [startOf(zone, day), startOf(zone, day + 1)];
  const changed = offsetOf(zone, from) === offsetOf(zone, to) ? [] : [changeBetween(zone, from, to)];
  return [...momentsOf(zone, { day, ms: parsed(start) }), ...changed];
}

export const startOf = (zone: string, day: Day): number => momentOf(zone, { day, ms: 0 });

function momentsOf(zone: string, { day, ms }: Wall): readonly [number, ...number[]] {
  const local = day * DAY_MS + ms;
  // Offsets are shorter than a day, so these are the offsets before and after any clock change nearby.
  const [before, after] = [offsetOf(zone, local - DAY_MS), offsetOf(zone, local + DAY_MS)];
  const moments = [...new Set([local - before, local - after])].filter((at) => at + offsetOf(zone, at) === local);
  const [first, ...others] = moments.toSorted((a, b) => a - b);
  return first === undefined ? [changeBetween(zone, local - after, local - before)] : [first, ...others];
}

function changeBetween(zone: string, from: number, to: number): number {
  const old = offsetOf(zone, from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetOf(zone, middle) === old) low = middle;
    else high = middle;
  }
  return high;
}

/** Offsets by zone and UTC day; null if the clocks change that day. Cached for speed. */
const offsets = new RecentCache<string, number | null>(10_000);

function offsetOf(zone: string, at: number): number {
  const start = Math.floor(at / DAY_MS) * DAY_MS;
  const key = `${zone} ${start}`;
  const known = offsets.get(key);
  if (typeof known === 'number') return known;
  if (known === undefined) offsets.set(key, offsetOfDay(zone, start));
  return offsets.get(key) ?? exactOffset(zone, at);
}

function offsetOfDay(zone: string, start: number): number | null {
  const offset = exactOffset(zone, start);
  return offset === exactOffset(zone, start + DAY_MS) ? offset : null;
}

function exactOffset(zone: string, at: number): number {
  const offset = IANAZone.create(zone).offset(at) * MINUTE_MS;
  if (Number.isNaN(offset)) throw new RangeError(`${zone} is not a zone`);
  return offset;
}

const parsed = (time: string): number => clockTime(Number(time.slice(0, 2)), Number(time.slice(3)));
