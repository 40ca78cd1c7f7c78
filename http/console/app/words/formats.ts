import { language } from '../state/preferences.ts';

const dates = new Map<string, Intl.DateTimeFormat>();

/** Made once for each language and form: they take longer to make than to use. */
function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${language.value} ${JSON.stringify(options)}`;
  const known = dates.get(name) ?? new Intl.DateTimeFormat(language.value, options);
  dates.set(name, known);
  return known;
}

/** A day and a time, in words of the language chosen now. `at`: epoch ms. */
export const whenText = (at: number): string => dateFormat({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }).format(at);

/** A number with the marks of the language chosen now. */
export const numberText = (value: number): string => new Intl.NumberFormat(language.value).format(value);

/** A share of 1 as per cent. */
export const percentText = (share: number): string =>
  new Intl.NumberFormat(language.value, { style: 'percent', maximumFractionDigits: 1 }).format(share);

/** A calendar day, such as `2026-11-23`, wherever the reader is. */
export const dayText = (date: string): string => dateFormat({ dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(date));

/** As `dayText`, without the year. */
export const shortDayText = (date: string): string =>
  dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' }).format(Date.parse(date));

/** As `dayText`, with the month in full and without the year. */
export const longDayText = (date: string): string =>
  dateFormat({ day: 'numeric', month: 'long', timeZone: 'UTC' }).format(Date.parse(date));

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

const calendars = new Map<string, Intl.DateTimeFormat>();

/** The calendar day of a moment as epoch ms of its midnight in UTC, by the clock of a zone; without a zone: of the browser. */
function calendarDay(at: number, zone = ''): number {
  const known = calendars.get(zone) ?? new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', ...(zone !== '' && { timeZone: zone }) });
  calendars.set(zone, known);
  return Date.parse(known.format(at));
}

const daysBetween = (at: number, now: number, zone?: string): number =>
  Math.round((calendarDay(at, zone) - calendarDay(now, zone)) / 86_400_000);

/**
 * As short as it is clear: the time of today, `Yesterday`, the weekday of this week, else the day, by the clock of a zone; without a zone: of the browser.
 * `at`: epoch ms.
 */
export function timeText(at: number, zone?: string): string {
  const place = zone === undefined ? {} : { timeZone: zone };
  const now = Date.now();
  const days = daysBetween(at, now, zone);
  if (days === 0) return dateFormat({ ...CLOCK, ...place }).format(at);
  if (days === -1) return relativeDay(days);
  if (days < 0 && days > -7) return dateFormat({ weekday: 'short', ...place }).format(at);
  return dateFormat({ day: 'numeric', month: 'short', ...yearOf(at, now), ...place }).format(at);
}

/** The day of a moment: `Today`, `Yesterday`, else the day itself. Epoch ms. */
export function dayOf(at: number, now: number): string {
  const days = daysBetween(at, now);
  if (days > 0 || days < -1) return dateFormat({ weekday: 'short', day: 'numeric', month: 'short', ...yearOf(at, now) }).format(at);
  return relativeDay(days);
}

/** `Today`, `Yesterday`. */
function relativeDay(days: number): string {
  const text = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(days, 'day');
  return text.charAt(0).toLocaleUpperCase(language.value) + text.slice(1);
}

const yearOf = (at: number, now: number): Intl.DateTimeFormatOptions =>
  new Date(at).getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' };

/** The time of day. Epoch ms. */
export const clockText = (at: number): string => dateFormat(CLOCK).format(at);

/** The hour of the day at a place, 0 to 23; without a zone: here. */
export const hourIn = (at: number, zone: string | undefined): number =>
  Number(new Intl.DateTimeFormat('en', { hour: '2-digit', hourCycle: 'h23', ...(zone !== undefined && { timeZone: zone }) }).format(at));

/** The day in full and the time of day at a place. */
export const nowIn = (at: number, zone: string): { readonly day: string; readonly time: string } => ({
  day: dateFormat({ weekday: 'long', day: 'numeric', month: 'long', timeZone: zone }).format(at),
  time: dateFormat({ ...CLOCK, timeZone: zone }).format(at),
});

/** `Jakarta` of `Asia/Jakarta`. */
export const cityOf = (zone: string): string => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `5 minutes ago`. Both in epoch ms. */
export function agoText(at: number, now: number): string {
  const passed = now - at;
  const [unit, ms] = UNITS.find(([, length]) => Math.abs(passed) >= length) ?? ['second', 1_000];
  return new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(-Math.round(passed / ms), unit);
}
