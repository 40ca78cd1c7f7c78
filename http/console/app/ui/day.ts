/** Minutes of a day in a time zone, for the drawing of a day: pure, all minutes are counted from midnight. */

export const DAY_MINUTES = 1_440;

/** From, to. */
export type Span = readonly [from: number, to: number];

/** The minute of the day at a moment (epoch ms), as clocks of this zone show it. */
export function minuteOf(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone }).format(at);
  return minutesIn(parts);
}

/** `08:30` as a minute of the day. */
function minutesIn(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}

/** The hours between two clock times; one span, or two where they go over midnight. */
export function spansBetween(start: string, end: string): readonly Span[] {
  const [from, to] = [minutesIn(start), minutesIn(end)];
  if (from < to) return [[from, to]];
  const parts: readonly Span[] = [
    [0, to],
    [from, DAY_MINUTES],
  ];
  return parts.filter(([first, last]) => last > first);
}

/** What of the time between two moments is today, in minutes of this zone; null: nothing. */
export function todayOf(from: number, to: number, now: number, zone: string): Span | null {
  const date = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone: zone });
  const [first, last, today] = [date.format(from), date.format(to), date.format(now)];
  if (last < today || first > today) return null;
  return [first < today ? 0 : minuteOf(from, zone), last > today ? DAY_MINUTES : minuteOf(to, zone)];
}
