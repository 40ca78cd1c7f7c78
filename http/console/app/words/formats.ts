import { language } from '../state/preferences.ts';
import { zone } from '../state/zone.ts';
import { localDay } from './moment.ts';

const dates = new Map<string, Intl.DateTimeFormat>();

/** Caches formats, because creating one takes longer than using it. */
function dateFormat(own: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const options = { timeZone: zone.value, ...own };
  const name = `${language.value} ${JSON.stringify(options)}`;
  const known = dates.get(name) ?? new Intl.DateTimeFormat(language.value, options);
  dates.set(name, known);
  return known;
}

/** Operators have no business, so their pages pass the browser's zone. */
export const whenText = (at: number, timeZone = zone.value): string =>
  dateFormat({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23', timeZone }).format(at);

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

/** The days of the zone, as their midnights in UTC. */
const calendarDay = (at: number): number => Date.parse(localDay(at, zone.value));

const daysBetween = (at: number, now: number): number => (calendarDay(at) - calendarDay(now)) / 86_400_000;

export function timeText(at: number): string {
  const now = Date.now();
  const days = daysBetween(at, now);
  if (days === 0) return clockText(at);
  if (days === -1) return relativeDay(days);
  if (days < 0 && days > -7) return dateFormat({ weekday: 'short' }).format(at);
  return dateFormat({ day: 'numeric', month: 'short', ...yearOf(at, now) }).format(at);
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
  localDay(at, zone.value).slice(0, 4) === localDay(now, zone.value).slice(0, 4) ? {} : { year: 'numeric' };

export const clockText = (at: number): string => dateFormat(CLOCK).format(at);

export const longDateText = (at: number): string => dateFormat({ weekday: 'long', day: 'numeric', month: 'long' }).format(at);

/** The place by which people know the zone. */
export const cityOf = (name: string): string => (name.split('/').at(-1) ?? name).replaceAll('_', ' ');

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
