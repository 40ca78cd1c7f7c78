import type { JSX } from 'preact';
import { areaUnder, lineThrough, pointsIn } from '../pages/analytics/scale.ts';

const FRAME = { left: 0, right: 100, top: 3, bottom: 31 };

interface SparkProps {
  readonly values: readonly number[];
  readonly tone?: 'grey' | 'bad' | undefined;
}

export function Spark({ values, tone }: SparkProps): JSX.Element {
  const points = pointsIn(FRAME, values, Math.max(...values, 0));
  return (
    <svg class={`spark ${tone ?? ''}`} viewBox="0 0 100 32" preserveAspectRatio="none" aria-hidden="true">
      <path class="under" d={areaUnder(points, FRAME.bottom)} />
      <path d={lineThrough(points)} />
    </svg>
  );
}
