/**
 * Converts times to minutes since midnight in a time zone, for charts of one day. The functions
 * have no side effects.
 */

export const DAY_MINUTES = 1_440;

export type Span = readonly [from: number, to: number];

export function minuteOf(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone }).format(at);
  return minutesIn(parts);
}

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
  const date = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone: zone });
  const [first, last, today] = [date.format(from), date.format(to), date.format(now)];
  if (last < today || first > today) return null;
  return [first < today ? 0 : minuteOf(from, zone), last > today ? DAY_MINUTES : minuteOf(to, zone)];
}
