import type { JSX } from 'preact';
import { language } from '../../state/preferences.ts';
import { useOwnWidth } from '../../ui/own-width.ts';
import { numberText } from '../../words/formats.ts';
import { shadeOf } from './scale.ts';
import { words } from './words.ts';

/** Days in display order. In the API, 0 is Sunday. */
const WEEK = [1, 2, 3, 4, 5, 6, 0];
const SOME_SUNDAY = Date.UTC(2026, 0, 4);
const DAY_MS = 86_400_000;
const ROW = 23;
const EVERY_HOURS = 4;
const LEFT = 36;

/** `hours` has seven rows of 24 values each, starting on Sunday. */
export function BusyHours({ hours }: { readonly hours: readonly (readonly number[])[] }): JSX.Element {
  const t = words();
  const { ref, width } = useOwnWidth<SVGSVGElement>(540);
  const cell = (width.value - LEFT) / 24;
  const most = Math.max(0, ...hours.flat());
  const named = (weekday: number, form: 'short' | 'long'): string =>
    new Intl.DateTimeFormat(language.value, { weekday: form, timeZone: 'UTC' }).format(SOME_SUNDAY + weekday * DAY_MS);
  if (most === 0) return <p class="soft">{t.noHours}</p>;
  const day = hours.findIndex((row) => row.includes(most));
  const hour = hours[day]?.indexOf(most) ?? 0;
  const busiest = t.busiest(named(day, 'long'), clock(hour), clock(hour + 1), numberText(most));
  return (
    <>
      <svg ref={ref} class="chart" height={ROW * 7 + 22} role="img" aria-label={busiest}>
        {WEEK.map((weekday, row) => (
          <g key={weekday}>
            <text x={0} y={row * ROW + 15}>
              {named(weekday, 'short')}
            </text>
            {(hours[weekday] ?? []).map((count, nth) => (
              <rect
                key={nth}
                class={`shade-${shadeOf(count, most)}`}
                x={LEFT + nth * cell}
                y={row * ROW}
                width={Math.max(1, cell - 2)}
                height={ROW - 2}
                rx={Math.min(4, cell / 4)}
              >
                <title>{`${named(weekday, 'long')} ${clock(nth)}: ${numberText(count)}`}</title>
              </rect>
            ))}
          </g>
        ))}
        {Array.from({ length: 24 / EVERY_HOURS }, (_one, nth) => (
          <text key={nth} x={LEFT + nth * EVERY_HOURS * cell} y={ROW * 7 + 16}>
            {clock(nth * EVERY_HOURS)}
          </text>
        ))}
      </svg>
      <p class="small meta">{busiest}</p>
    </>
  );
}

const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;
