import { FILE_REASONS, Unreadable } from '../../archives/unreadable.ts';
import { contentOf, type DomElement } from './dom.ts';
import type { Row, Table } from './tables.ts';

const MAX_CELLS = 200_000;
const MAX_COLUMNS = 1_000;

/** Repeats a cell's text in every column and row that the cell covers. Throws Unreadable. */
export function tableIn(element: DomElement): Table {
  const caption = element.querySelector('caption');
  const rows = [...element.querySelectorAll('tr')];
  const grid = gridOf(rows);
  const table = rows.map((row, at): Row => {
    const cells = cellsIn(row);
    const named = cells.filter((cell) => contentOf(cell) !== '');
    const isHeader = named.length > 0 && (row.closest('thead') !== null || named.every((cell) => cell.tagName.toUpperCase() === 'TH'));
    const isSpanning = cells.length === 1 && spanOf(cells[0], 'colspan') > 1;
    return {
      cells: Array.from(grid[at] ?? [], (text) => text ?? ''),
      ...(isHeader && !isSpanning && { isHeader }),
      ...(isSpanning && { isSpanning }),
    };
  });
  return caption ? [{ cells: [contentOf(caption)], isSpanning: true }, ...table] : table;
}

const cellsIn = (row: DomElement): readonly DomElement[] => [...row.querySelectorAll('td, th')];

function gridOf(rows: readonly DomElement[]): (string | undefined)[][] {
  const grid: (string | undefined)[][] = rows.map(() => []);
  let count = 0;
  const fill = (text: string, at: number, column: number, wide: number, high: number): void => {
    for (const line of grid.slice(at, at + high))
      for (let beside = column; beside < column + wide; beside += 1) {
        count += 1;
        if (count > MAX_CELLS || beside > MAX_COLUMNS) throw new Unreadable(FILE_REASONS.tooManyCells);
        line[beside] = text;
      }
  };
  for (const [at, row] of rows.entries()) {
    let column = 0;
    for (const cell of cellsIn(row)) {
      while (grid[at]?.[column] !== undefined) column += 1;
      const wide = spanOf(cell, 'colspan');
      fill(contentOf(cell), at, column, wide, spanOf(cell, 'rowspan') || rows.length);
      column += wide;
    }
  }
  return grid;
}

function spanOf(cell: DomElement | undefined, name: string): number {
  const span = Number(cell?.getAttribute(name) ?? 1);
  return Number.isSafeInteger(span) && span >= 0 ? span : 1;
}
