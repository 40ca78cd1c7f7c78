import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { dayText, numberText } from '../../words/formats.ts';
import { words } from './words.ts';

type Day = Schemas['AnalyticsDay'];

const SERIES = ['sent', 'received', 'failed'] as const;
const COLUMNS = ['sent', 'delivered', 'read', 'failed', 'received'] as const;

const HEIGHT = 100;
/** Each series has one step of a day, and one stays free. */
const STEPS = SERIES.length + 1;

/** Bars for each day; who does not see them hears the sums, and has every figure in the table below. */
export function Chart({ days }: { readonly days: readonly Day[] }): JSX.Element {
  const t = words();
  const most = Math.max(1, ...days.flatMap((day) => SERIES.map((name) => day[name])));
  const sum = (name: (typeof SERIES)[number]): string => numberText(days.reduce((total, day) => total + day[name], 0));
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure class="chart" data-testid="analytics-chart">
      <ul class="row small" aria-hidden="true">
        {SERIES.map((name) => (
          <li key={name} class={`key ${name}`}>
            {t.figures[name]}
          </li>
        ))}
      </ul>
      <svg
        role="img"
        aria-label={t.chart(sum('sent'), sum('received'), numberText(most))}
        viewBox={`0 0 ${days.length * STEPS} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {days.map((day, nth) => (
          <g key={day.date}>
            <title>{`${dayText(day.date)} · ${SERIES.map((name) => `${t.figures[name]} ${numberText(day[name])}`).join(' · ')}`}</title>
            <rect class="day" x={nth * STEPS} y={0} width={STEPS} height={HEIGHT} />
            {SERIES.map((name, at) => {
              const height = (HEIGHT * day[name]) / most;
              return <rect key={name} class={name} x={nth * STEPS + at + 0.5} y={HEIGHT - height} width={1} height={height} />;
            })}
          </g>
        ))}
      </svg>
      <div class="row apart small soft" aria-hidden="true">
        <span>{first && dayText(first.date)}</span>
        <span>{last && dayText(last.date)}</span>
      </div>
    </figure>
  );
}

/** Every figure of the chart, the newest day first. */
export function DayTable({ days }: { readonly days: readonly Day[] }): JSX.Element {
  const t = words();
  return (
    <details class="as-code">
      <summary>{t.asTable}</summary>
      <section class="table-box" tabIndex={0} aria-label={t.daily}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.date}</th>
              {COLUMNS.map((name) => (
                <th key={name} scope="col">
                  {t.figures[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.date} data-testid="analytics-day">
                <th scope="row">{dayText(day.date)}</th>
                {COLUMNS.map((name) => (
                  <td key={name} class="figures">
                    {numberText(day[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
