import { LeftOuts } from './left-out.ts';
import type { Contents } from './reading.ts';
import { type Area, isWithin, readSheet, type Sheet } from './sheet.ts';
import { blocksOfTable, type Row, type Table } from './tables.ts';
import { openWorkbook } from './workbook.ts';

/**
 * Reads the visible content of a workbook. Each sheet is a table. If there are several, the sheet's
 * name is its heading. Numbers, dates and times are formatted as shown. Hidden sheets, rows and
 * columns, struck-out text and charts are left out and reported.
 */

export function contentsOfXlsx(bytes: Buffer): Contents {
  const leftOut = new LeftOuts();
  const workbook = openWorkbook(bytes, leftOut);
  const blocks = workbook.sheets.flatMap(({ name, file }) => {
    const sheet = readSheet(file, workbook);
    const table = shownTable(sheet, name, leftOut);
    return blocksOfTable(table, workbook.sheets.length > 1 ? name : '');
  });
  return { title: null, blocks, leftOut: leftOut.list };
}

function shownTable(sheet: Sheet, name: string, leftOut: LeftOuts): Table {
  const columns = Array.from({ length: sheet.width }, (_, at) => at + 1);
  const isHidden = (column: number): boolean => sheet.hiddenColumns.some(([from, to]) => column >= from && column <= to);
  const hidden = new Set(columns.filter(isHidden));
  const shown = columns.filter((column) => !hidden.has(column));
  const filled = new Set([...sheet.rows.values()].flatMap(({ cells }) => [...cells.keys()].filter((column) => hidden.has(column))));
  for (const column of hidden) if (filled.has(column)) leftOut.add('hiddenColumns', `${lettersOf(column)} (${name})`);
  const table: Row[] = [];
  for (let number = 1; number <= sheet.height; number += 1) {
    const row = sheet.rows.get(number);
    if (row?.isHidden) leftOut.add('hiddenRows', `${number} (${name})`);
    else table.push(...shownRow(sheet, number, shown, leftOut));
  }
  return table;
}

/** Returns no row if all of its texts are repeated from merged cells that begin above it. */
function shownRow(sheet: Sheet, number: number, shown: readonly number[], leftOut: LeftOuts): readonly Row[] {
  const row = sheet.rows.get(number);
  const merges = sheet.mergesOf.get(number) ?? [];
  for (const column of shown) if (row?.cells.get(column)?.isStruck) leftOut.add('struck');
  const areaAt = (column: number): Area | undefined => merges.find((area) => isWithin(area, number, column));
  const textAt = (column: number): string => {
    const area = merges.length > 0 ? areaAt(column) : undefined;
    return (area ? sheet.rows.get(area.top)?.cells.get(area.left) : row?.cells.get(column))?.text ?? '';
  };
  const cells = shown.map(textAt);
  const filled = shown.filter((_, at) => cells[at] !== '');
  if (filled.length === 0) return [{ cells: [] }];
  if (merges.length === 0) return [{ cells }];
  const areas = filled.map(areaAt);
  if (areas.every((area) => area !== undefined && area.top < number)) return [];
  const isSpanning = filled.length > 1 && areas.every((area) => area !== undefined && area === areas[0]);
  return [{ cells, ...(isSpanning && { isSpanning }) }];
}

function lettersOf(column: number): string {
  const before = Math.floor((column - 1) / 26);
  return `${before > 0 ? lettersOf(before) : ''}${String.fromCharCode(65 + ((column - 1) % 26))}`;
}
