import type { JSX } from 'preact';

interface BarProps {
  readonly value: number;
  readonly max: number;
  readonly tone?: 'good' | 'warn' | 'bad' | undefined;
}

/** A filled share of a line. Hidden from screen readers, which read the figures beside it. */
export const Bar = ({ value, max, tone }: BarProps): JSX.Element => (
  <svg class="bar" aria-hidden="true">
    <rect class={tone} width={`${max > 0 ? Math.min(100, (100 * value) / max) : 0}%`} height="100%" />
  </svg>
);
