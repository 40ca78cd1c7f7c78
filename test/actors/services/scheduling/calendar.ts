import { Temporal } from '@js-temporal/polyfill';
import { clockTime, type Day, wallOf } from '../../../../actors/domain/zones.ts';

/** The same calendar as another library knows it: what schedules and windows are held against. */

/** Clocks that change by an hour, by half of one, at midnight, before it, in the south, not at all; a day that is missing; odd offsets. */
export const ZONES = [
  'Australia/Lord_Howe',
  'America/Santiago',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'Asia/Jakarta',
  'America/New_York',
  'Europe/London',
  'America/Nuuk',
  'Africa/Casablanca',
  'Pacific/Chatham',
  'America/St_Johns',
  'Africa/Cairo',
] as const;

/** Two years each: in the first of them Apia jumped over a day. */
export const SPANS = [
  [Date.UTC(2011, 0, 1), Date.UTC(2013, 0, 1)],
  [Date.UTC(2026, 0, 1), Date.UTC(2028, 0, 1)],
] as const;

/** The moment when a clock shows this, the first after the gap where it never does. */
export function expectedMoment(zone: string, date: Temporal.PlainDate, hour: number, minute: number): number {
  const wall = date.toPlainDateTime({ hour, minute });
  const first = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  if (first.toPlainDateTime().equals(wall)) return first.epochMilliseconds;
  const behindTheGap = wall.toZonedDateTime(zone, { disambiguation: 'later' }).add({ nanoseconds: 1 });
  return behindTheGap.getTimeZoneTransition('previous')!.epochMilliseconds;
}

/** What a clock shows, as the other library reads it. */
export const wallClock = (zone: string, at: number): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);

/** Local dates of a span, with one to spare on both sides. */
export function datesOf(zone: string, [from, to]: readonly [number, number]): readonly Temporal.PlainDate[] {
  const first = wallClock(zone, from).toPlainDate().subtract({ days: 1 });
  const days = Math.round((to - from) / 86_400_000) + 3;
  return Array.from({ length: days }, (_, index) => first.add({ days: index }));
}

export const dayNumber = (date: Temporal.PlainDate): Day => Date.UTC(date.year, date.month - 1, date.day) / 86_400_000;

/** Weekday with 0 = Sunday. */
export const weekday = (date: Temporal.PlainDate): number => date.dayOfWeek % 7;

export const isSameWall = (zone: string, at: number): boolean => {
  const theirs = wallClock(zone, at);
  const ours = wallOf(zone, at);
  const ms = clockTime(theirs.hour, theirs.minute) + theirs.second * 1_000 + theirs.millisecond;
  return ours.day === dayNumber(theirs.toPlainDate()) && ours.ms === ms;
};
