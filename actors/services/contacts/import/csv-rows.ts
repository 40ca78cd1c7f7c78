/**
 * Finds the rows of a CSV text, also where quotes break the rules of the format. A quote opens a cell at its beginning only, and the one that closes it
 * stands before a separator, a line end or the end of the file. Invariant: no line is lost and no rows are joined because of a quote that
 * somebody forgot: a row whose quoted cell cannot be what its writer meant ends with its first line, and its quotes are characters like others.
 */
export interface CsvRow {
  /** Place in the text. */
  readonly from: number;
  /** Behind the line end. */
  readonly to: number;
  /** Quotes are characters like others. */
  readonly isLiteral: boolean;
}

export interface CsvRules {
  /** What stands between cells; of a file whose separator is not known yet, all signs that may. */
  readonly separators: string;
  /** The text ends with the file. */
  readonly isLast: boolean;
  /** How much a line looks like a row of the file. Absent: nothing is known of the file's rows. */
  readonly likeness?: ((line: string) => Likeness) | undefined;
}

/** `shape`: it has as many cells as a row. `row`: and it says who it is about. */
export type Likeness = 'none' | 'shape' | 'row';

/** All whole rows. The rest of the text, behind the last of them, is the beginning of a row; it is empty where the file ends. */
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

/** The row that begins at `from`; null: the text ends before it. */
export function rowFrom(text: string, from: number, rules: CsvRules): CsvRow | null {
  const { to, isOpen, isBroken, hasLines } = quotedRow(text, from, rules);
  const isLiteral = isBroken || (isOpen && rules.isLast) || (hasLines && areRows(text.slice(from, to), rules, isOpen));
  if (isLiteral) return literalRow(text, from, rules);
  return isOpen ? null : { from, to, isLiteral: false };
}

/** The first line of the text from there on, as it is; null: the text ends before it. */
export function literalRow(text: string, from: number, { isLast }: Pick<CsvRules, 'isLast'>): CsvRow | null {
  const to = lineEnd(text, from, isLast);
  return to === null ? null : { from, to, isLiteral: true };
}

interface QuotedRow {
  readonly to: number;
  /** The text ends within it. */
  readonly isOpen: boolean;
  /** A quote within a cell of several lines closes nothing. */
  readonly isBroken: boolean;
  /** One of its cells has several lines. */
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

/** `end` is behind the quote that closes it, or that ends its being quoted: then the cell goes on as it is. */
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

/** Behind the next line end; null: the text ends before it, or between the two signs of one. */
function lineEnd(text: string, from: number, isLast: boolean): number | null {
  const at = text.slice(from).search(/[\r\n]/) + from;
  if (at < from) return isLast ? text.length : null;
  if (text[at] === '\n') return at + 1;
  if (at + 1 === text.length && !isLast) return null;
  return text[at + 1] === '\n' ? at + 2 : at + 1;
}

/** Of few lines all must have the shape of rows. Of many, some may have separators within quotes. */
const FEW_LINES = 3;
/** Some rows have no number. */
const MOST = 2 / 3;

/** Whether the lines of one quoted row are rows each. */
function areRows(row: string, { likeness }: CsvRules, isOpen: boolean): boolean {
  if (!likeness) return false;
  const lines = row.split(/\r\n|\n|\r/);
  // The last one may be cut.
  if (isOpen) lines.pop();
  const like = lines.filter((line) => line.trim() !== '').map(likeness);
  const count = like.length;
  if (count < 2 || like[0] !== 'row' || (count <= FEW_LINES && like.includes('none'))) return false;
  return like.filter((one) => one === 'row').length >= count * MOST;
}
