import { language } from '../state/preferences.ts';

const dates = new Map<string, Intl.DateTimeFormat>();

/** Cached by language and options: creating a format is slower than using it. */
function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${language.value} ${JSON.stringify(options)}`;
  const known = dates.get(name) ?? new Intl.DateTimeFormat(language.value, options);
  dates.set(name, known);
  return known;
}

/** Formats a date and time in the current language. `at`: epoch ms. */
export const whenText = (at: number): string => dateFormat({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }).format(at);

export const numberText = (value: number): string => new Intl.NumberFormat(language.value).format(value);

/** Formats a share (0 to 1) as a percentage. */
export const percentText = (share: number): string =>
  new Intl.NumberFormat(language.value, { style: 'percent', maximumFractionDigits: 1 }).format(share);

/** Formats a calendar day, such as `2026-11-23`, independent of the reader's time zone. */
export const dayText = (date: string): string => dateFormat({ dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(date));

export const shortDayText = (date: string): string =>
  dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' }).format(Date.parse(date));

/** Like `dayText`, with the full name of the month and without the year. */
export const longDayText = (date: string): string =>
  dateFormat({ day: 'numeric', month: 'long', timeZone: 'UTC' }).format(Date.parse(date));

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

const calendars = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns the calendar day of a moment in a time zone, as epoch ms of that day's midnight in UTC.
 * Default zone: the browser's.
 */
function calendarDay(at: number, zone = ''): number {
  const known = calendars.get(zone) ?? new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', ...(zone !== '' && { timeZone: zone }) });
  calendars.set(zone, known);
  return Date.parse(known.format(at));
}

const daysBetween = (at: number, now: number, zone?: string): number =>
  Math.round((calendarDay(at, zone) - calendarDay(now, zone)) / 86_400_000);

/**
 * The time if today, `Yesterday`, the weekday within a week, otherwise the date. Default zone: the
 * browser's. `at`: epoch ms.
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

/** Returns `Today`, `Yesterday` or the date of a moment. Both in epoch ms. */
export function dayOf(at: number, now: number): string {
  const days = daysBetween(at, now);
  if (days > 0 || days < -1) return dateFormat({ weekday: 'short', day: 'numeric', month: 'short', ...yearOf(at, now) }).format(at);
  return relativeDay(days);
}

function relativeDay(days: number): string {
  const text = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(days, 'day');
  return text.charAt(0).toLocaleUpperCase(language.value) + text.slice(1);
}

const yearOf = (at: number, now: number): Intl.DateTimeFormatOptions =>
  new Date(at).getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' };

/** Formats the time of day. `at`: epoch ms. */
export const clockText = (at: number): string => dateFormat(CLOCK).format(at);

/** Returns the hour of the day, 0 to 23, in a time zone. Default zone: the browser's. */
export const hourIn = (at: number, zone: string | undefined): number =>
  Number(new Intl.DateTimeFormat('en', { hour: '2-digit', hourCycle: 'h23', ...(zone !== undefined && { timeZone: zone }) }).format(at));

export const nowIn = (at: number, zone: string): { readonly day: string; readonly time: string } => ({
  day: dateFormat({ weekday: 'long', day: 'numeric', month: 'long', timeZone: zone }).format(at),
  time: dateFormat({ ...CLOCK, timeZone: zone }).format(at),
});

/** Returns the city of a time zone: `Jakarta` for `Asia/Jakarta`. */
export const cityOf = (zone: string): string => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

const unitFor = (passed: number) => UNITS.find(([, length]) => Math.abs(passed) >= length) ?? (['second', 1_000] as const);

/** Formats the time between two moments, such as `5 minutes ago`. Both in epoch ms. */
export function agoText(at: number, now: number): string {
  const passed = now - at;
  const [unit, ms] = unitFor(passed);
  return new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(-Math.round(passed / ms), unit);
}

/** Formats a length of time in its largest unit, such as `12 days`. */
export function lengthText(passed: number): string {
  const [unit, ms] = unitFor(passed);
  return new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.floor(passed / ms));
}
