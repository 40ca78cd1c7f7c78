import type { JSX } from 'preact';
import { DAY_MINUTES, type Span } from './day.ts';

interface DayStripProps {
  readonly label: string;
  readonly open: readonly Span[];
  readonly used?: Span | null;
  readonly planned?: Span | null;
  /** The current time, in minutes since midnight. */
  readonly now?: number;
}

const WIDTH = 960;
const LEAST = 4;
const HOURS = ['00', '04', '08', '12', '16', '20', '24'];
const place = (minute: number): number => (minute / DAY_MINUTES) * WIDTH;
const rectOf = ([from, to]: Span) => ({ x: place(from), width: Math.max(LEAST, place(to) - place(from)) });

export const DayStrip = ({ label, open, used, planned, now }: DayStripProps): JSX.Element => (
  <div class="day-strip">
    <svg viewBox={`0 0 ${WIDTH} 32`} preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="base" y="6" width={WIDTH} height="20" rx="5" />
      {open.map((span) => (
        <rect key={span[0]} class="open" y="6" height="20" rx="5" {...rectOf(span)} />
      ))}
      {planned && <rect class="planned" y="11" height="10" rx="4" {...rectOf(planned)} />}
      {used && <rect class="used" y="11" height="10" rx="4" {...rectOf(used)} />}
      {now !== undefined && <rect class="now" y="1" width="3" height="30" rx="1.5" x={place(now)} />}
    </svg>
    <div class="hours" aria-hidden="true">
      {HOURS.map((hour) => (
        <span key={hour}>{hour}</span>
      ))}
    </div>
  </div>
);
