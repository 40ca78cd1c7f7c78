export interface Visible {
  /** The first row that is drawn. */
  readonly from: number;
  /** The one behind the last that is. */
  readonly to: number;
}

/** Rows of equal height that have to be drawn: those that are seen, and some around them. All in px. */
export function windowOf(count: number, rowHeight: number, scrolled: number, height: number, around: number): Visible {
  if (rowHeight <= 0) return { from: 0, to: Math.min(count, around) };
  const first = Math.floor(scrolled / rowHeight);
  const seen = Math.ceil(height / rowHeight) + 1;
  const from = Math.max(0, Math.min(first - around, count - 1));
  return { from, to: Math.min(count, first + seen + around) };
}
