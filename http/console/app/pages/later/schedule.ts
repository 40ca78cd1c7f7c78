import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';

export type Recurring = Schemas['RecurringMessage'];
export type ScheduleType = Recurring['schedule_type'];
export type ScheduleConfig = Recurring['schedule_config'];

type Editable = Pick<Recurring, 'name' | 'targets' | 'message' | 'schedule_type' | 'schedule_config'> & {
  /** Null selects the business's time zone. */
  readonly timezone: string | null;
};

/** If the schedule has changed, its type and config are sent together. */
export function changesOf(before: Recurring, after: Editable): Partial<Editable> {
  const { schedule_type, schedule_config } = after;
  const isSame = (field: keyof Editable): boolean => JSON.stringify(before[field]) === JSON.stringify(after[field]);
  const changed = (['name', 'targets', 'message', 'timezone'] as const).filter((field) => !isSame(field));
  return {
    ...Object.fromEntries(changed.map((field) => [field, after[field]])),
    ...((schedule_type !== before.schedule_type || !isSameConfig(before.schedule_config, schedule_config)) && {
      schedule_type,
      schedule_config,
    }),
  };
}

const isSameConfig = (one: ScheduleConfig, other: ScheduleConfig): boolean =>
  (['hour', 'minute', 'day', 'every_days'] as const).every((part) => one[part] === other[part]);

interface ScheduleWords {
  daily(time: string): string;
  weekly(day: string, time: string): string;
  monthly(day: number, time: string): string;
  interval(days: number, time: string): string;
}

export function scheduleText(
  type: ScheduleType,
  { hour, minute, day, every_days }: ScheduleConfig,
  language: string,
  words: ScheduleWords,
): string {
  const time = timeOf({ hour, minute });
  switch (type) {
    case 'daily':
      return words.daily(time);
    case 'weekly':
      return words.weekly(weekdayName(day ?? 0, language), time);
    case 'monthly':
      return words.monthly(day ?? 1, time);
    case 'interval':
      return words.interval(every_days ?? 1, time);
  }
}

const A_SUNDAY = Date.UTC(2_023, 0, 1);
const DAY_MS = 86_400_000;

export const weekdayName = (day: number, language: string): string =>
  new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(A_SUNDAY + day * DAY_MS);

export const timeOf = ({ hour, minute }: Pick<ScheduleConfig, 'hour' | 'minute'>): string =>
  [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');

export function clockOf(time: string): Pick<ScheduleConfig, 'hour' | 'minute'> {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return { hour, minute };
}

export const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
