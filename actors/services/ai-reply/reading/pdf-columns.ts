/**
 * Restores the reading order of prose in two columns. Many programs write both columns line by line
 * across a PDF page. Tables are left as they are; their cells are recognized because they are short
 * or end early. Takes time linear in the number of pieces on a page.
 */

export interface TextItem {
  readonly str: string;
  readonly width: number;
  readonly height: number;
  readonly transform: readonly number[];
  readonly hasEOL: boolean;
}

interface Piece {
  readonly items: TextItem[];
  readonly x: number;
  readonly y: number;
  readonly size: number;
  end: number;
}

/** Minimum gap in multiples of the letter size. A space is about a third of the letter size. */
export const COLUMN_GAP = 0.75;
const MIN_ROWS = 4;
const MIN_WORDS = 4;
/** Share of its column's width that a full line fills. Prose columns have mostly full lines (MOSTLY). */
const FULL = 0.75;
const MOSTLY = 0.6;
const APART = 2.5;
const TRIED = 12;

export function inReadingOrder(items: readonly TextItem[]): readonly TextItem[] {
  const pieces = piecesOf(items);
  for (const start of commonStarts(pieces)) {
    const sides = sidesOf(pieces, start);
    if (sides && areProse(sides))
      return [...read(sides)].flatMap(({ items: of }) => of.map((item, nth) => ({ ...item, hasEOL: nth === of.length - 1 })));
  }
  return items;
}

function piecesOf(items: readonly TextItem[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const item of items) {
    const { str, width, height, transform } = item;
    if (str.trim() === '') continue;
    const [x = 0, y = 0] = [transform[4], transform[5]];
    const last = pieces.at(-1);
    const size = Math.max(height, last?.size ?? 0, 1);
    const follows = last && Math.abs(last.y - y) < size / 2 && x >= last.end - size / 2 && x - last.end <= size * COLUMN_GAP;
    if (follows) {
      if (x - last.end > size / 8) last.items.push({ ...item, str: ' ', width: x - last.end, hasEOL: false });
      last.items.push(item);
      last.end = x + width;
    } else pieces.push({ items: [item], x, y, size: Math.max(height, 1), end: x + width });
  }
  return pieces;
}

function commonStarts(pieces: readonly Piece[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const { x } of pieces) counts.set(Math.round(x), (counts.get(Math.round(x)) ?? 0) + 1);
  const common = [...counts].filter(([, count]) => count >= MIN_ROWS).toSorted(([, one], [, other]) => other - one);
  return common.slice(0, TRIED).map(([x]) => x);
}

interface Sides {
  readonly left: readonly Piece[];
  readonly right: readonly Piece[];
  readonly across: readonly Piece[];
}

function sidesOf(pieces: readonly Piece[], start: number): Sides | null {
  const right = pieces.filter(({ x }) => x >= start - 1);
  const besides = pieces.filter(({ x, end, size }) => x < start - 1 && end <= start - size * COLUMN_GAP);
  const across = pieces.filter(({ x, end, size }) => x < start - 1 && end > start - size * COLUMN_GAP);
  const rows = new Set(right.map(({ y }) => Math.round(y)));
  const both = besides.filter(({ y }) => rows.has(Math.round(y)));
  if (both.length < MIN_ROWS || both.length < Math.min(besides.length, right.length) / 2) return null;
  const left = columnAround(besides, both);
  const inside = new Set(left);
  return { left, right, across: [...across, ...besides.filter((piece) => !inside.has(piece))] };
}

/** Excludes a title above the column and a page number below it. */
function columnAround(side: readonly Piece[], both: readonly Piece[]): readonly Piece[] {
  const downward = downwards(side);
  const rows = downwards(both);
  let [top, foot] = [rows[0]?.y ?? 0, rows.at(-1)?.y ?? 0];
  for (const { y, size } of downward) if (y < foot && foot - y <= size * APART) foot = y;
  for (const { y, size } of downward.toReversed()) if (y > top && y - top <= size * APART) top = y;
  return side.filter(({ y }) => y <= top && y >= foot);
}

const areProse = ({ left, right }: Sides): boolean => isProse(left) && isProse(right);

function isProse(pieces: readonly Piece[]): boolean {
  const widest = pieces.reduce((most, { x, end }) => Math.max(most, end - x), 0);
  const full = pieces.filter(({ x, end, items }) => end - x >= widest * FULL && wordsIn(items) >= MIN_WORDS).length;
  return full >= pieces.length * MOSTLY;
}

const wordsIn = (items: readonly TextItem[]): number =>
  items
    .map(({ str }) => str)
    .join('')
    .trim()
    .split(/\s+/).length;

function* read({ left, right, across }: Sides): Generator<Piece> {
  const [ofLeft, ofRight, breaks] = [left, right, across].map(downwards);
  for (const one of [...(breaks ?? []), null]) {
    for (const side of [ofLeft, ofRight]) while (side?.[0] && (one === null || side[0].y > one.y)) yield* side.splice(0, 1);
    if (one) yield one;
  }
}

const downwards = (pieces: readonly Piece[]): Piece[] => pieces.toSorted((one, other) => other.y - one.y || one.x - other.x);
