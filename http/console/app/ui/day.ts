/**
 * Minutes of a day in a time zone, for drawings of a day. Pure functions; minutes are counted from
 * midnight.
 */

export const DAY_MINUTES = 1_440;

export type Span = readonly [from: number, to: number];

/** Returns the minute of the day of a moment (epoch ms) in a time zone. */
export function minuteOf(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone }).format(at);
  return minutesIn(parts);
}

function minutesIn(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}

/** Returns the time between two clock times: one span, or two if it crosses midnight. */
export function spansBetween(start: string, end: string): readonly Span[] {
  const [from, to] = [minutesIn(start), minutesIn(end)];
  if (from < to) return [[from, to]];
  const parts: readonly Span[] = [
    [0, to],
    [from, DAY_MINUTES],
  ];
  return parts.filter(([first, last]) => last > first);
}

/**
 * Returns the part of the period `from` to `to` that is today, in minutes of the day in this zone;
 * null if no part of it is today.
 */
export function todayOf(from: number, to: number, now: number, zone: string): Span | null {
  const date = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone: zone });
  const [first, last, today] = [date.format(from), date.format(to), date.format(now)];
  if (last < today || first > today) return null;
  return [first < today ? 0 : minuteOf(from, zone), last > today ? DAY_MINUTES : minuteOf(to, zone)];
}
