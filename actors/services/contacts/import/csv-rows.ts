/**
 * Finds the rows of a CSV text, even if its quotes break the rules of the format. Invariant: a
 * missing quote neither loses a line nor joins rows. If a quoted cell is probably a mistake, its
 * row ends with the first line, and the quotes count as ordinary characters.
 */

export interface CsvRow {
  readonly from: number;
  readonly to: number;
  readonly isLiteral: boolean;
}

export interface CsvRules {
  /** The character that separates cells, or all candidates if the separator is not known yet. */
  readonly separators: string;
  readonly isLast: boolean;
  readonly likeness?: ((line: string) => Likeness) | undefined;
}

/** How similar a line is to a row. `shape`: as many cells. `row`: it also identifies a person. */
export type Likeness = 'none' | 'shape' | 'row';

export function csvRows(text: string, rules: CsvRules): readonly CsvRow[] {
  const rows: CsvRow[] = [];
  for (let from = 0; from < text.length; ) {
    const row = rowFrom(text, from, rules);
    if (row === null) break;
    rows.push(row);
    from = row.to;
  }
  return rows;
}

/** Finds the row at an offset. Null if the text ends within the row. */
export function rowFrom(text: string, from: number, rules: CsvRules): CsvRow | null {
  const { to, isOpen, isBroken, hasLines } = quotedRow(text, from, rules);
  const isLiteral = isBroken || (isOpen && rules.isLast) || (hasLines && areRows(text.slice(from, to), rules, isOpen));
  if (isLiteral) return literalRow(text, from, rules);
  return isOpen ? null : { from, to, isLiteral: false };
}

export function literalRow(text: string, from: number, { isLast }: Pick<CsvRules, 'isLast'>): CsvRow | null {
  const to = lineEnd(text, from, isLast);
  return to === null ? null : { from, to, isLiteral: true };
}

interface QuotedRow {
  readonly to: number;
  readonly isOpen: boolean;
  /** Whether a cell with several lines contains a quote, other than the one that closes it. */
  readonly isBroken: boolean;
  readonly hasLines: boolean;
}

function quotedRow(text: string, from: number, { separators, isLast }: CsvRules): QuotedRow {
  let [isCellStart, hasLines] = [true, false];
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"' && isCellStart) {
      const cell = quotedCell(text, at, separators, isLast);
      hasLines ||= cell.hasLines;
      if (cell.isOpen || cell.isBroken) return { to: text.length, ...cell };
      at = cell.end - 1;
      isCellStart = false;
    } else if (sign === '\n' || sign === '\r') {
      const to = lineEnd(text, at, isLast);
      return { to: to ?? text.length, isOpen: to === null, isBroken: false, hasLines };
    } else isCellStart = sign !== undefined && separators.includes(sign);
  }
  return { to: text.length, isOpen: !isLast, isBroken: false, hasLines };
}

/** `end` is the position after the quote that closes the cell or its quoted part. */
function quotedCell(text: string, from: number, separators: string, isLast: boolean) {
  let hasLines = false;
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '\n' || sign === '\r') hasLines = true;
    if (sign !== '"') continue;
    const next = text[at + 1];
    if (next === '"') at += 1;
    else if (next === undefined && !isLast) break;
    else {
      const closes = next === undefined || separators.includes(next) || next === '\n' || next === '\r';
      return { end: at + 1, isOpen: false, isBroken: hasLines && !closes, hasLines };
    }
  }
  return { end: text.length, isOpen: true, isBroken: false, hasLines };
}

function lineEnd(text: string, from: number, isLast: boolean): number | null {
  const at = text.slice(from).search(/[\r\n]/) + from;
  if (at < from) return isLast ? text.length : null;
  if (text[at] === '\n') return at + 1;
  if (at + 1 === text.length && !isLast) return null;
  return text[at + 1] === '\n' ? at + 2 : at + 1;
}

/** A quoted cell of up to this many lines is a mistake if all look like rows; a longer one, if most do. */
const FEW_LINES = 3;
const MOST = 2 / 3;

function areRows(row: string, { likeness }: CsvRules, isOpen: boolean): boolean {
  if (!likeness) return false;
  const lines = row.split(/\r\n|\n|\r/);
  // The last line is left out, because it may be incomplete.
  if (isOpen) lines.pop();
  const like = lines.filter((line) => line.trim() !== '').map(likeness);
  const count = like.length;
  if (count < 2 || like[0] !== 'row' || (count <= FEW_LINES && like.includes('none'))) return false;
  return like.filter((one) => one === 'row').length >= count * MOST;
}
