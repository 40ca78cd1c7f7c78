export interface Visible {
  readonly from: number;
  /** Index of the first row after the last drawn row. */
  readonly to: number;
}

/** All lengths are in px. */
export function windowOf(count: number, rowHeight: number, scrolled: number, height: number, around: number): Visible {
  if (rowHeight <= 0) return { from: 0, to: Math.min(count, around) };
  const first = Math.floor(scrolled / rowHeight);
  const seen = Math.ceil(height / rowHeight) + 1;
  const from = Math.max(0, Math.min(first - around, count - 1));
  return { from, to: Math.min(count, first + seen + around) };
}
