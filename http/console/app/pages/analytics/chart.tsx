import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { useOwnWidth } from '../../ui/own-width.ts';
import { dayText, numberText, shortDayText } from '../../words/formats.ts';
import { areaUnder, labelled, lineThrough, nearest, type Point, pointsIn, ticksFor } from './scale.ts';
import { words } from './words.ts';

type Day = Schemas['AnalyticsDay'];

const SERIES = ['sent', 'received', 'failed'] as const;
type Series = (typeof SERIES)[number];

const HEIGHT = 270;
const LABEL_WIDTH = 72;
const TIP = { width: 156, height: 92 };

export const Keys = (): JSX.Element => (
  <ul class="row keys" aria-hidden="true">
    {SERIES.map((name) => (
      <li key={name} class="key">
        <svg class="chart" viewBox="0 0 20 12" aria-hidden="true">
          <path class={`line-${name}`} d="M1,6H19" />
        </svg>
        {words().figures[name]}
      </li>
    ))}
  </ul>
);

export function Chart({ days }: { readonly days: readonly Day[] }): JSX.Element {
  const t = words();
  const { ref, width } = useOwnWidth<SVGSVGElement>(960);
  const chosen = useSignal<number | null>(null);
  const ticks = ticksFor(Math.max(0, ...days.flatMap((day) => SERIES.map((name) => day[name]))));
  const top = ticks.at(-1) ?? 1;
  const frame = { left: 12 + 8 * numberText(top).length, right: width.value - 8, top: 12, bottom: HEIGHT - 32 };
  const linesOf = (name: Series): readonly Point[] =>
    pointsIn(
      frame,
      days.map((day) => day[name]),
      top,
    );
  const lines = { sent: linesOf('sent'), received: linesOf('received'), failed: linesOf('failed') };
  const sum = (name: Series): string => numberText(days.reduce((total, day) => total + day[name], 0));
  const at = chosen.value === null ? undefined : days[chosen.value];
  return (
    <figure class="chart-box" data-testid="analytics-chart">
      <svg
        ref={ref}
        class="chart"
        height={HEIGHT}
        role="img"
        tabIndex={0}
        aria-label={t.chart(sum('sent'), sum('received'), sum('failed'))}
        onKeyDown={(event) => step(event, chosen, days.length)}
        onPointerMove={({ offsetX }) => {
          chosen.value = nearest(lines.sent, offsetX);
        }}
        onPointerLeave={() => {
          chosen.value = null;
        }}
        onBlur={() => {
          chosen.value = null;
        }}
      >
        {ticks.map((tick) => {
          const [{ y } = { y: 0 }] = pointsIn(frame, [tick], top);
          return (
            <g key={tick}>
              <line class={tick === 0 ? 'axis' : 'grid'} x1={frame.left} x2={frame.right} y1={y} y2={y} />
              <text x={frame.left - 8} y={y + 4} text-anchor="end">
                {numberText(tick)}
              </text>
            </g>
          );
        })}
        {labelled(days.length, Math.floor((frame.right - frame.left) / LABEL_WIDTH)).map((nth) => (
          <text key={nth} x={lines.sent[nth]?.x} y={HEIGHT - 8} text-anchor={anchorOf(nth, days.length)}>
            {shortDayText(days[nth]?.date ?? '')}
          </text>
        ))}
        <path class="under-sent" d={areaUnder(lines.sent, frame.bottom)} />
        {SERIES.toReversed().map((name) => (
          <path key={name} class={`line-${name}`} d={lineThrough(lines[name])} />
        ))}
        {days.length === 1 && SERIES.map((name) => <Dot key={name} name={name} at={lines[name][0]} />)}
        {chosen.value !== null && at && <Chosen nth={chosen.value} day={at} lines={lines} width={width.value} />}
      </svg>
      <p class="only-heard" role="status">
        {at && `${dayText(at.date)}: ${SERIES.map((name) => `${t.figures[name]} ${numberText(at[name])}`).join(', ')}`}
      </p>
    </figure>
  );
}

const anchorOf = (nth: number, count: number): 'start' | 'middle' | 'end' =>
  count === 1 ? 'middle' : nth === 0 ? 'start' : nth === count - 1 ? 'end' : 'middle';

function step(event: KeyboardEvent, chosen: Signal<number | null>, count: number): void {
  const from = chosen.value;
  const places: Readonly<Record<string, number | null>> = {
    ArrowRight: from === null ? 0 : Math.min(count - 1, from + 1),
    ArrowLeft: from === null ? count - 1 : Math.max(0, from - 1),
    Home: 0,
    End: count - 1,
    Escape: null,
  };
  const next = places[event.key];
  if (next === undefined) return;
  event.preventDefault();
  chosen.value = next;
}

const Dot = ({ name, at }: { readonly name: Series; readonly at: Point | undefined }): JSX.Element | null =>
  at ? <circle class={`point-${name}`} cx={at.x} cy={at.y} r={4.5} /> : null;

interface ChosenProps {
  readonly nth: number;
  readonly day: Day;
  readonly lines: Readonly<Record<Series, readonly Point[]>>;
  readonly width: number;
}

function Chosen({ nth, day, lines, width }: ChosenProps): JSX.Element {
  const t = words();
  const x = lines.sent[nth]?.x ?? 0;
  const left = x + 14 + TIP.width > width ? Math.max(0, x - 14 - TIP.width) : x + 14;
  return (
    <>
      <line class="hair" x1={x} x2={x} y1={4} y2={HEIGHT - 32} />
      {SERIES.map((name) => (
        <Dot key={name} name={name} at={lines[name][nth]} />
      ))}
      <g class="tip" transform={`translate(${left},18)`}>
        <rect width={TIP.width} height={TIP.height} rx={8} />
        <text class="tip-day" x={12} y={22}>
          {dayText(day.date)}
        </text>
        {SERIES.map((name, row) => (
          <g key={name}>
            <text class="tip-name" x={12} y={44 + 18 * row}>
              {t.figures[name]}
            </text>
            <text x={TIP.width - 12} y={44 + 18 * row} text-anchor="end">
              {numberText(day[name])}
            </text>
          </g>
        ))}
      </g>
    </>
  );
}

const COLUMNS = ['sent', 'delivered', 'read', 'failed', 'received'] as const;

export function DayTable({ days }: { readonly days: readonly Day[] }): JSX.Element {
  const t = words();
  return (
    <details class="as-code">
      <summary>{t.asTable}</summary>
      <section class="table-box" tabIndex={0} aria-label={t.daily}>
        <table class="number-table">
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
                  <td key={name}>{numberText(day[name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
