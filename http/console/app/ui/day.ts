/**
 * Converts times to minutes since midnight in a time zone, for charts of one day. The functions
 * have no side effects.
 */

import { localClock, localDay } from '../words/moment.ts';

export const DAY_MINUTES = 1_440;

export type Span = readonly [from: number, to: number];

export const minuteOf = (at: number, zone: string): number => minutesIn(localClock(at, zone));

function minutesIn(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}

export function spansBetween(start: string, end: string): readonly Span[] {
  const [from, to] = [minutesIn(start), minutesIn(end)];
  if (from < to) return [[from, to]];
  const parts: readonly Span[] = [
    [0, to],
    [from, DAY_MINUTES],
  ];
  return parts.filter(([first, last]) => last > first);
}

export function todayOf(from: number, to: number, now: number, zone: string): Span | null {
  const [first, last, today] = [localDay(from, zone), localDay(to, zone), localDay(now, zone)];
  if (last < today || first > today) return null;
  return [first < today ? 0 : minuteOf(from, zone), last > today ? DAY_MINUTES : minuteOf(to, zone)];
}
