/**
 * Converts between moments (epoch ms) and the date and time that a clock shows in a time zone.
 * The functions have no side effects.
 */

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Returns text such as `2026-11-29T08:30:00`. Swedish dates have this form; years may lack zeros. */
function clockOf(at: number, zone: string): string {
  const clock = clocks.get(zone) ?? new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium', timeZone: zone });
  clocks.set(zone, clock);
  return clock.format(at).replace(' ', 'T').padStart(19, '0');
}

/** Returns text such as `2026-11-29T08:30`, the form of a date field. */
export const localText = (at: number, zone: string): string => clockOf(at, zone).slice(0, -3);

/** Returns text such as `2026-11-29`. */
export const localDay = (at: number, zone: string): string => clockOf(at, zone).slice(0, -9);

/** Returns text such as `08:30`. */
export const localClock = (at: number, zone: string): string => clockOf(at, zone).slice(-8, -3);

const DAY_MS = 86_400_000;

/**
 * Returns the moment at which clocks in `zone` show `text`, or null if `text` is no date and time.
 * If clocks show `text` twice, returns the first moment. If clocks skip `text`, returns the moment as
 * much later as they skip.
 */
export function momentOf(text: string, zone: string): number | null {
  const inUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(inUtc)) return null;
  // The offset from UTC may change on this day, so those of the days before and after it are tried.
  const [first, second] = [inUtc - offsetAt(inUtc - DAY_MS, zone), inUtc - offsetAt(inUtc + DAY_MS, zone)];
  return localText(first, zone) !== text && localText(second, zone) === text ? second : first;
}

/** `at` is a whole second. */
const offsetAt = (at: number, zone: string): number => Date.parse(`${clockOf(at, zone)}Z`) - at;

/** Returns the moment at which clocks show `clock`, so many `days` after the day of `now`. */
export function clockInDays(now: number, days: number, clock: string, zone: string): number {
  const day = new Date(Date.parse(localDay(now, zone)) + days * DAY_MS).toISOString().slice(0, 10);
  return momentOf(`${day}T${clock}`, zone) ?? now;
}
