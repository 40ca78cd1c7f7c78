import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Temporal } from '@js-temporal/polyfill';
import { clockTime, isOpen, momentOf, opensAt } from '../../../actors/domain/zones.ts';
import { nextRun, type Schedule } from '../../../actors/services/scheduling/schedule.ts';
import { seededRandom } from '../../../runtime/random.ts';
import type { Hours } from '../../../store/accounts/tenants.ts';
import { isNight } from '../../support/night.ts';
import { datesOf, dayNumber, expectedMoment, isSameWall, SPANS, wallClock, weekday, ZONES } from '../services/scheduling/calendar.ts';

const DAY = 86_400_000;
const DAILY = [
  [2, 30],
  [0, 0],
  ...(isNight
    ? ([
        [9, 0],
        [23, 30],
        [1, 45],
      ] as const)
    : []),
] as const;
/** The reference library is slow. */
const MOMENTS = isNight ? 1_500 : 300;

/** Every run of a schedule within the span, each asked for at the one before. */
function runs(schedule: Schedule, zone: string, [from, to]: readonly [number, number]): readonly number[] {
  const found: number[] = [];
  for (let at = nextRun(schedule, zone, from - 1); at < to; at = nextRun(schedule, zone, at)) found.push(at);
  return found;
}

function expectedRuns(
  zone: string,
  span: readonly [number, number],
  at: readonly [number, number],
  isOn: (date: Temporal.PlainDate) => boolean,
) {
  const moments = datesOf(zone, span)
    .filter(isOn)
    .map((date) => expectedMoment(zone, date, ...at));
  // Where a day is missing its midnight is the next day's: one moment, one run.
  return [...new Set(moments)].filter((moment) => moment >= span[0] && moment < span[1]);
}

for (const [nth, zone] of ZONES.entries())
  describe(`schedules over two years in ${zone}`, () => {
    // By day every other zone has the earlier years, among them the zone that skipped a day in 2011.
    for (const span of isNight ? SPANS : SPANS.filter((_span, which) => which === nth % SPANS.length)) {
      const since = span[0] - 1;
      const years = `from ${new Date(span[0]).getUTCFullYear()}`;

      it(`include each daily run once, ${years}`, () => {
        for (const [hour, minute] of DAILY)
          assert.deepEqual(
            runs({ type: 'daily', hour, minute }, zone, span),
            expectedRuns(zone, span, [hour, minute], () => true),
          );
      });

      it(`include each weekly, monthly and multi-day run once, ${years}`, () => {
        const at = { hour: 2, minute: 15 };
        const weekly = runs({ type: 'weekly', day: 0, ...at }, zone, span);
        assert.deepEqual(
          weekly,
          expectedRuns(zone, span, [2, 15], (date) => weekday(date) === 0),
        );
        const monthly = runs({ type: 'monthly', day: 31, ...at }, zone, span);
        assert.deepEqual(
          monthly,
          expectedRuns(zone, span, [2, 15], ({ day, daysInMonth }) => day === daysInMonth),
        );
        const every = runs({ type: 'interval', everyDays: 3, since, ...at }, zone, span);
        const first = dayNumber(wallClock(zone, every[0]!).toPlainDate());
        assert.deepEqual(
          every,
          expectedRuns(zone, span, [2, 15], (date) => dayNumber(date) >= first && (dayNumber(date) - first) % 3 === 0),
        );
      });
    }

    it('agree with a reference library on local times and opening hours', () => {
      const random = seededRandom(7);
      for (let turn = 0; turn < MOMENTS; turn += 1) {
        const [from, to] = SPANS[turn % 2]!;
        const at = from + Math.floor(random() * (to - from));
        assert.ok(isSameWall(zone, at), `${at}`);
        const hours = someHours(random);
        assert.equal(isOpen(hours, zone, at), isExpectedOpen(hours, zone, at), `${JSON.stringify(hours)} at ${at}`);
      }
    });

    it('resume at the first moment within the opening hours', () => {
      const random = seededRandom(11);
      for (const { at, hours } of nearChanges(zone, random)) {
        const opens = opensAt(hours, zone, at);
        assert.ok(isExpectedOpen(hours, zone, opens), `outside: ${JSON.stringify(hours)} at ${at}`);
        for (const before of momentsBefore(at, opens))
          assert.ok(!isExpectedOpen(hours, zone, before), `too late: ${JSON.stringify(hours)} at ${at}, open at ${before}`);
      }
    });
  });

/** By day hourly moments and the last one; at night every five minutes of two days or fewer. */
function momentsBefore(at: number, opens: number): readonly number[] {
  const step = isNight && opens - at <= 2 * DAY ? 300_000 : 3_600_000;
  const moments = Array.from({ length: Math.ceil((opens - at) / step) }, (_, nth) => at + nth * step);
  return opens > at ? [...moments, opens - 1] : [];
}

const two = (number: number): string => String(number).padStart(2, '0');
const someTime = (random: () => number): string => `${two(Math.floor(random() * 24))}:${two(15 * Math.floor(random() * 4))}`;

function someHours(random: () => number): Hours {
  const [start, end] = [someTime(random), someTime(random)];
  const days = [0, 1, 2, 3, 4, 5, 6].filter(() => random() < 0.6);
  return { start, end: end === start ? '23:59' : end, days: days.length > 0 ? days : [2] };
}

/** Moments within a day of where clocks change. */
function nearChanges(zone: string, random: () => number): readonly { at: number; hours: Hours }[] {
  return SPANS.flatMap(([from, to]) => {
    const found: number[] = [];
    for (let next = wallClock(zone, from).getTimeZoneTransition('next'); next; next = next.getTimeZoneTransition('next')) {
      if (next.epochMilliseconds >= to) break;
      found.push(next.epochMilliseconds);
    }
    const moments = found.length > 0 ? found : [from + 100 * DAY];
    return moments.flatMap((moment) =>
      Array.from({ length: 4 }, () => ({ at: moment + Math.floor((random() - 0.7) * DAY), hours: someHours(random) })),
    );
  });
}

/** By the digits on the wall. */
function isExpectedOpen({ start, end, days }: Hours, zone: string, at: number): boolean {
  const local = wallClock(zone, at);
  const time = local.toPlainTime().toString({ smallestUnit: 'minute' });
  const today = weekday(local.toPlainDate());
  if (start < end) return days.includes(today) && time >= start && time < end;
  return (days.includes(today) && time >= start) || (days.includes((today + 6) % 7) && time < end);
}

describe('a local time', () => {
  it('resolves to the end of the gap if a clock change skips it, and to the first occurrence if it occurs twice', () => {
    const at = (zone: string, year: number, month: number, day: number, hour: number, minute: number) =>
      new Date(momentOf(zone, { day: Date.UTC(year, month - 1, day) / DAY, ms: clockTime(hour, minute) })).toISOString();
    assert.equal(at('America/New_York', 2026, 3, 8, 2, 30), '2026-03-08T07:00:00.000Z');
    assert.equal(at('America/New_York', 2026, 11, 1, 1, 30), '2026-11-01T05:30:00.000Z');
    assert.equal(at('Pacific/Apia', 2011, 12, 30, 12, 0), '2011-12-30T10:00:00.000Z');
    assert.equal(at('Australia/Lord_Howe', 2026, 10, 4, 2, 10), '2026-10-03T15:30:00.000Z');
  });
});
