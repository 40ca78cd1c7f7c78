import { printable } from '../printable.ts';

export interface Column {
  readonly title: string;
  readonly isFigure?: boolean;
}

const GAP = '  ';

const inOneLine = (cell: string): string => printable(cell).replaceAll('\n', '');

export function table(columns: readonly Column[], cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(inOneLine));
  const widths = columns.map(({ title }, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    columns
      .map(({ isFigure }, i) => (row[i] ?? '')[isFigure ? 'padStart' : 'padEnd'](widths[i] ?? 0))
      .join(GAP)
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)].join('\n');
}

/** Formats a duration: `42 s`, `3 min 5 s`, `2 h 10 min`, `5 d 3 h`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
}
