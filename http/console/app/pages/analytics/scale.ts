/**
 * Geometry of the charts on the Reports page: axis ticks, points of a series, and the SVG path
 * through them. The functions have no side effects, so they can be tested without a browser.
 * Lengths are in CSS pixels.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

const STEPS = [1, 2, 2.5, 5, 10];

/** Returns three to six round values, from 0 to at least `most`, which must be a whole number. */
export function ticksFor(most: number): readonly number[] {
  const rough = Math.max(most, 4) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, Math.ceil((STEPS.find((one) => one * power >= rough) ?? 10) * power));
  return Array.from({ length: Math.ceil(Math.max(most, 1) / step) + 1 }, (_one, nth) => nth * step);
}

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export function pointsIn({ left, right, top, bottom }: Frame, values: readonly number[], most: number): readonly Point[] {
  const apart = values.length > 1 ? (right - left) / (values.length - 1) : 0;
  const first = values.length > 1 ? left : (left + right) / 2;
  return values.map((value, nth) => ({ x: first + nth * apart, y: bottom - ((bottom - top) * value) / Math.max(most, 1e-9) }));
}

const short = (length: number): number => Math.round(length * 10) / 10;

export const lineThrough = (points: readonly Point[]): string =>
  points.map(({ x, y }, nth) => `${nth === 0 ? 'M' : 'L'}${short(x)},${short(y)}`).join('');

export function areaUnder(points: readonly Point[], bottom: number): string {
  const [first, last] = [points[0], points.at(-1)];
  return first && last ? `${lineThrough(points)}L${short(last.x)},${short(bottom)}L${short(first.x)},${short(bottom)}Z` : '';
}

export function labelled(count: number, most: number): readonly number[] {
  const apart = Math.max(1, Math.ceil(count / Math.max(1, most)));
  return Array.from({ length: Math.ceil(count / apart) }, (_one, nth) => nth * apart);
}

export function nearest(points: readonly Point[], x: number): number {
  let best = -1;
  for (const [nth, point] of points.entries()) if (best < 0 || Math.abs(point.x - x) < Math.abs((points[best]?.x ?? 0) - x)) best = nth;
  return best;
}

const SHADES = 5;

export const shadeOf = (value: number, most: number): number => (value === 0 ? 0 : Math.max(1, Math.ceil((SHADES * value) / most)));
