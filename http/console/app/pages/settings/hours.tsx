import type { JSX } from 'preact';
import { language } from '../../state/preferences.ts';
import { spansBetween } from '../../ui/day.ts';
import { DayStrip } from '../../ui/day-strip.tsx';
import { Field } from '../../ui/field.tsx';

export interface Hours {
  /** Time of day as `HH:MM`. */
  readonly start: string;
  readonly end: string;
  /** Days of the week: Monday is 1, Sunday is 0. */
  readonly days: readonly number[];
}

interface HoursProps {
  readonly labels: { readonly start: string; readonly end: string; readonly days: string };
  readonly value: Hours;
  readonly onHours: (hours: { start: string; end: string; days: number[] }) => void;
  readonly fault?: string | undefined;
  readonly strip: (from: string, until: string) => string;
}

const WEEK = [1, 2, 3, 4, 5, 6, 0];
const SOME_SUNDAY = Date.UTC(2026, 0, 4);

export function HoursField({ labels, value: { start, end, days }, onHours, fault, strip }: HoursProps): JSX.Element {
  const name = new Intl.DateTimeFormat(language.value, { weekday: 'short', timeZone: 'UTC' });
  const change = (patch: Partial<Hours>): void => onHours({ start, end, ...patch, days: [...(patch.days ?? days)] });
  return (
    <>
      <div class="two-fields">
        <Field label={labels.start} type="time" required value={start} onValue={(value) => change({ start: value })} />
        <Field label={labels.end} type="time" required value={end} onValue={(value) => change({ end: value })} fault={fault} />
      </div>
      <DayStrip label={strip(start, end)} open={spansBetween(start, end)} />
      <fieldset class="field">
        <legend>{labels.days}</legend>
        <div class="days">
          {WEEK.map((day) => (
            <label key={day}>
              <input
                type="checkbox"
                checked={days.includes(day)}
                onChange={({ currentTarget: { checked } }) =>
                  change({ days: checked ? [...days, day].sort() : days.filter((one) => one !== day) })
                }
              />
              {name.format(SOME_SUNDAY + day * 86_400_000)}
            </label>
          ))}
        </div>
      </fieldset>
    </>
  );
}
