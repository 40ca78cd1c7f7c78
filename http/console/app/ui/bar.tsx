import type { JSX } from 'preact';

type Tone = 'good' | 'warn' | 'bad' | 'grey' | undefined;

interface BarProps {
  readonly value: number;
  readonly max: number;
  readonly tone?: Tone;
  readonly then?: readonly (readonly [value: number, tone: Tone])[];
  readonly size?: 'large' | 'tall';
}

export function Bar({ value, max, tone, then = [], size }: BarProps): JSX.Element {
  let from = 0;
  return (
    <svg class={size ? `bar ${size}` : 'bar'} aria-hidden="true">
      {[[value, tone] as const, ...then].map(([part, look], nth) => {
        const share = max > 0 ? Math.min(100 - from, (100 * part) / max) : 0;
        const x = from;
        from += share;
        return <rect key={nth} class={look} x={`${x}%`} width={`${share}%`} height="100%" />;
      })}
    </svg>
  );
}
