import mammoth from 'mammoth';
import readWorkbook, { type CellValue } from 'read-excel-file/node';
import { contentsOfHtml } from './html.ts';
import type { Contents } from './reading.ts';
import { blocksOfTable } from './tables.ts';

/** Headings, paragraphs and tables; no pictures, no macros, no files outside of it. */
export async function contentsOfDocx(bytes: Buffer): Promise<Contents> {
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer: bytes }, { convertImage, externalFileAccess: false });
  return { ...contentsOfHtml(value, false), title: null };
}

/** Every sheet is a table; its name is its heading where there are several. */
export async function contentsOfXlsx(bytes: Buffer): Promise<Contents> {
  const sheets = await readWorkbook(bytes);
  const blocks = sheets.flatMap(({ sheet, data }) =>
    blocksOfTable(
      data.map((row) => row.map(written)),
      sheets.length > 1 ? sheet : '',
    ),
  );
  return { title: null, blocks };
}

function written(cell: CellValue | null): string {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell);
}
