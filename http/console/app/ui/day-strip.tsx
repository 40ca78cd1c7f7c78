import type { JSX } from 'preact';

const WIDTH = 960;
const MINUTES = 24 * 60;
const HOURS = ['00', '04', '08', '12', '16', '20', '24'];

const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
};

const xOf = (minutes: number): number => (WIDTH * minutes) / MINUTES;

interface DayStripProps {
  /** What it shows, in a sentence. */
  readonly label: string;
  /** `HH:MM`; an end before the start is of the next day. */
  readonly start: string;
  readonly end: string;
  /** Minutes since midnight; null: not drawn. */
  readonly now: number | null;
}

/** The 24 hours of a day with the hours that are open, and the present moment. Not mirrored in scripts from right to left: it is time. */
export function DayStrip({ label, start, end, now }: DayStripProps): JSX.Element {
  const [from, to] = [minutesOf(start), minutesOf(end)];
  const open = from < to ? [[from, to] as const] : [[from, MINUTES] as const, [0, to] as const];
  return (
    <div class="strip">
      <svg viewBox={`0 0 ${WIDTH} 32`} preserveAspectRatio="none" role="img" aria-label={label}>
        <rect class="strip-day" y={6} width={WIDTH} height={20} rx={5} />
        {open.map(([first, last]) => (
          <rect key={first} class="strip-open" x={xOf(first)} y={6} width={Math.max(0, xOf(last - first))} height={20} rx={5} />
        ))}
        {now !== null && <rect class="strip-now" x={xOf(now)} y={1} width={3} height={30} rx={1.5} />}
      </svg>
      <div class="strip-hours" aria-hidden="true">
        {HOURS.map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
    </div>
  );
}
