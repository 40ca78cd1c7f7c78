import { MAX_CELLS, MAX_COLUMNS, MAX_ROWS } from '../../archives/sheet-bounds.ts';
import { FILE_REASONS, Unreadable } from '../../archives/unreadable.ts';
import { shownNumber } from './number-formats.ts';
import { isOn, richText, type SharedText, type Workbook } from './workbook.ts';
import { readXml } from './xml.ts';

/** Rows and columns start at 1. Cells without text are absent. */
export interface Sheet {
  readonly rows: ReadonlyMap<number, SheetRow>;
  readonly height: number;
  readonly width: number;
  readonly mergesOf: ReadonlyMap<number, readonly Area[]>;
  readonly hiddenColumns: readonly (readonly [from: number, to: number])[];
}

export interface SheetRow {
  readonly isHidden: boolean;
  readonly cells: Map<number, SheetCell>;
}

/** A cell with its formatted text. The text is empty if all of it is struck out. */
export type SheetCell = SharedText;

export interface Area {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

export const isWithin = ({ top, left, bottom, right }: Area, row: number, column: number): boolean =>
  row >= top && row <= bottom && column >= left && column <= right;

const MAX_MERGES = 10_000;
const MAX_MERGED_ROWS = 200_000;
const PLACE = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i;

export function readSheet(file: Buffer, workbook: Workbook): Sheet {
  const reader = sheetReader(workbook);
  readXml(file, reader);
  return reader.sheet();
}

type Attributes = ReadonlyMap<string, string>;

const flag = (attributes: Attributes, name: string, otherwise = false): boolean =>
  attributes.has(name) ? isOn(attributes.get(name)) : otherwise;

function sheetReader(workbook: Workbook) {
  const rows = new Map<number, SheetRow>();
  const merges: Area[] = [];
  const hiddenColumns: (readonly [number, number])[] = [];
  const inline = richText();
  let [height, width, number, column] = [0, 0, 0, 0];
  let isHiddenByDefault = false;
  let row: SheetRow = { isHidden: false, cells: new Map() };
  let cell = { type: 'n', format: 0, value: '' };
  let isValue = false;

  const opened: Readonly<Record<string, (attributes: Attributes) => void>> = {
    sheetFormatPr(attributes) {
      isHiddenByDefault = flag(attributes, 'zeroHeight');
    },
    col(attributes) {
      if (flag(attributes, 'hidden') || Number(attributes.get('width') ?? 1) === 0)
        hiddenColumns.push([Number(attributes.get('min')), Number(attributes.get('max'))]);
    },
    row(attributes) {
      number = Number(attributes.get('r') ?? number + 1);
      column = 0;
      if (!(number <= MAX_ROWS)) throw new Unreadable(FILE_REASONS.tooManyCells);
      const isHidden = flag(attributes, 'hidden', isHiddenByDefault) || Number(attributes.get('ht') ?? 1) === 0;
      row = { isHidden, cells: new Map() };
    },
    c(attributes) {
      column = placeOf(attributes.get('r'))?.column ?? column + 1;
      if (column > MAX_COLUMNS) throw new Unreadable(FILE_REASONS.tooManyCells);
      cell = { type: attributes.get('t') ?? 'n', format: Number(attributes.get('s') ?? 0), value: '' };
      inline.start();
    },
    v() {
      isValue = true;
    },
    mergeCell(attributes) {
      const area = areaOf(attributes.get('ref') ?? '');
      if (area) merges.push(area);
      if (merges.length > MAX_MERGES) throw new Unreadable(FILE_REASONS.tooManyCells);
    },
  };

  function keep(read: SheetCell): void {
    if (read.text === '' && !read.isStruck) return;
    rows.set(number, row);
    row.cells.set(column, read);
    [height, width] = [Math.max(height, number), Math.max(width, column)];
  }

  return {
    open(name: string, attributes: Attributes): void {
      const open = Object.hasOwn(opened, name) ? opened[name] : undefined;
      if (open) open(attributes);
      else inline.open(name, attributes);
    },
    text(piece: string): void {
      if (isValue) cell.value += piece;
      else inline.text(piece);
    },
    close(name: string): void {
      if (name === 'v') isValue = false;
      else if (name === 'c') keep(cellOf(cell.type, cell.value, cell.format, inline.end(), workbook));
      else inline.close(name);
    },
    sheet(): Sheet {
      if (height * width > MAX_CELLS) throw new Unreadable(FILE_REASONS.tooManyCells);
      return { rows, height, width, mergesOf: byRow(merges, height), hiddenColumns };
    },
  };
}

function byRow(merges: readonly Area[], height: number): ReadonlyMap<number, readonly Area[]> {
  const rows = new Map<number, Area[]>();
  let count = 0;
  for (const area of merges)
    for (let number = area.top; number <= Math.min(area.bottom, height); number += 1) {
      count += 1;
      if (count > MAX_MERGED_ROWS) throw new Unreadable(FILE_REASONS.tooManyCells);
      const row = rows.get(number);
      if (row) row.push(area);
      else rows.set(number, [area]);
    }
  return rows;
}

function cellOf(type: string, value: string, format: number, inline: SheetCell, { texts, formats, is1904 }: Workbook): SheetCell {
  const { code, isStruck } = formats[format] ?? { code: '', isStruck: false };
  const cell = contentOf(type, value, inline, texts, (number) => shownNumber(number, code, is1904));
  return isStruck && !cell.hasLook && cell.text !== '' ? { text: '', isStruck } : cell;
}

function contentOf(
  type: string,
  value: string,
  inline: SheetCell,
  texts: Workbook['texts'],
  written: (number: number) => string,
): SheetCell {
  const plain = (text: string): SheetCell => ({ text, isStruck: false });
  switch (type) {
    case 's':
      return texts[Number(value)] ?? plain('');
    case 'inlineStr':
      return inline;
    case 'str':
      return plain(value);
    case 'b':
      return plain(value === '1' ? 'TRUE' : 'FALSE');
    case 'e':
      // A failed formula shows an error (`#REF!`), which is not content.
      return plain('');
    case 'd':
      return plain(value.replace('T', ' '));
    default: {
      const number = Number(value);
      return plain(value.trim() === '' || !Number.isFinite(number) ? '' : written(number));
    }
  }
}

function placeOf(text: string | undefined): { readonly row: number; readonly column: number } | null {
  const [, letters, digits] = PLACE.exec(text ?? '') ?? [];
  if (letters === undefined || digits === undefined) return null;
  return { row: Number(digits), column: [...letters.toUpperCase()].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) };
}

function areaOf(ref: string): Area | null {
  const [from, to] = ref.split(':').map(placeOf);
  if (!from || !to) return null;
  return {
    top: Math.min(from.row, to.row),
    left: Math.min(from.column, to.column),
    bottom: Math.max(from.row, to.row),
    right: Math.max(from.column, to.column),
  };
}
