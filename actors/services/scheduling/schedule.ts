import { clockTime, type Day, dayOf, momentOf, wallOf, weekdayOf } from '../../domain/zones.ts';

export interface Schedule {
  readonly type: 'daily' | 'weekly' | 'monthly' | 'interval';
  readonly hour: number;
  readonly minute: number;
  /** Weekly: 0 is Sunday. Monthly: 1–31, limited to the last day of a shorter month. */
  readonly day?: number;
  readonly everyDays?: number;
  /** Intervals are counted from the first matching time of day after this moment. */
  readonly since?: number;
}

const MAX_DAYS = 366;

export function nextRun(schedule: Schedule, zone: string, after: number): number {
  const ms = clockTime(schedule.hour, schedule.minute);
  const today = wallOf(zone, after).day;
  const isOn = daysOf(schedule, zone);
  // Start with yesterday, because a local time that the clocks skip may fall on today.
  for (let day = today - 1; day <= today + MAX_DAYS; day += 1) {
    const at = isOn(day) ? momentOf(zone, { day, ms }) : after;
    if (at > after) return at;
  }
  throw new Error('a schedule without days never runs');
}

function daysOf(schedule: Schedule, zone: string): (day: Day) => boolean {
  const { type, day: wanted = 1, everyDays = 1 } = schedule;
  switch (type) {
    case 'daily':
      return () => true;
    case 'weekly':
      return (day) => weekdayOf(day) === wanted;
    case 'monthly':
      return (day) => isDayOfMonth(day, wanted);
    case 'interval': {
      const first = firstDay(schedule, zone);
      return (day) => day >= first && (day - first) % everyDays === 0;
    }
  }
}

function isDayOfMonth(day: Day, wanted: number): boolean {
  const date = new Date(day * 86_400_000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  const last = dayOf(year, month + 1, 1) - dayOf(year, month, 1);
  return date.getUTCDate() === Math.min(wanted, last);
}

function firstDay({ hour, minute, since = 0 }: Schedule, zone: string): Day {
  const { day } = wallOf(zone, since);
  return momentOf(zone, { day, ms: clockTime(hour, minute) }) > since ? day : day + 1;
}
