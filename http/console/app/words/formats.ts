import { language } from '../state/preferences.ts';

const dates = new Map<string, Intl.DateTimeFormat>();

/** Caches formats, because creating one takes longer than using it. */
function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${language.value} ${JSON.stringify(options)}`;
  const known = dates.get(name) ?? new Intl.DateTimeFormat(language.value, options);
  dates.set(name, known);
  return known;
}

export const whenText = (at: number, zone?: string): string =>
  dateFormat({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23', ...(zone !== undefined && { timeZone: zone }) }).format(at);

export const numberText = (value: number): string => new Intl.NumberFormat(language.value).format(value);

export const percentText = (share: number): string =>
  new Intl.NumberFormat(language.value, { style: 'percent', maximumFractionDigits: 1 }).format(share);

/** The result does not depend on the reader's own time zone. */
export const dayText = (date: string): string => dateFormat({ dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(date));

export const shortDayText = (date: string): string =>
  dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' }).format(Date.parse(date));

export const longDayText = (date: string): string =>
  dateFormat({ day: 'numeric', month: 'long', timeZone: 'UTC' }).format(Date.parse(date));

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

const calendars = new Map<string, Intl.DateTimeFormat>();

/** Returns the day in `zone`, as its midnight in UTC (epoch ms). Default: the browser's time zone. */
function calendarDay(at: number, zone = ''): number {
  const known = calendars.get(zone) ?? new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', ...(zone !== '' && { timeZone: zone }) });
  calendars.set(zone, known);
  return Date.parse(known.format(at));
}

const daysBetween = (at: number, now: number, zone?: string): number =>
  Math.round((calendarDay(at, zone) - calendarDay(now, zone)) / 86_400_000);

export function timeText(at: number, zone?: string): string {
  const place = zone === undefined ? {} : { timeZone: zone };
  const now = Date.now();
  const days = daysBetween(at, now, zone);
  if (days === 0) return dateFormat({ ...CLOCK, ...place }).format(at);
  if (days === -1) return relativeDay(days);
  if (days < 0 && days > -7) return dateFormat({ weekday: 'short', ...place }).format(at);
  return dateFormat({ day: 'numeric', month: 'short', ...yearOf(at, now), ...place }).format(at);
}

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

export const clockText = (at: number): string => dateFormat(CLOCK).format(at);

export const hourIn = (at: number, zone: string | undefined): number =>
  Number(new Intl.DateTimeFormat('en', { hour: '2-digit', hourCycle: 'h23', ...(zone !== undefined && { timeZone: zone }) }).format(at));

export const nowIn = (at: number, zone: string): { readonly day: string; readonly time: string } => ({
  day: dateFormat({ weekday: 'long', day: 'numeric', month: 'long', timeZone: zone }).format(at),
  time: dateFormat({ ...CLOCK, timeZone: zone }).format(at),
});

export const cityOf = (zone: string): string => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

const unitFor = (passed: number) => UNITS.find(([, length]) => Math.abs(passed) >= length) ?? (['second', 1_000] as const);

export function agoText(at: number, now: number): string {
  const passed = now - at;
  const [unit, ms] = unitFor(passed);
  return new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(-Math.round(passed / ms), unit);
}

export function lengthText(passed: number): string {
  const [unit, ms] = unitFor(passed);
  return new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.floor(passed / ms));
}
