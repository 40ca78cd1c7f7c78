import { getDocumentProxy } from 'unpdf';
import { Unreadable } from '../../archives/unreadable.ts';
import { LeftOuts } from './left-out.ts';
import { COLUMN_GAP, inReadingOrder, type TextItem } from './pdf-columns.ts';
import { type Block, type Contents, MAX_CHARACTERS, MAX_PAGES, REASONS } from './reading.ts';

/** `y` is the height above the bottom of the page, in points. */
interface Line {
  readonly text: string;
  readonly size: number;
  readonly y: number;
  /** Whether the line has a gap wider than a space. If so, it is a table row. */
  readonly isRow: boolean;
}

/** Factor by which a heading is larger than most of its page. */
const LARGER = 1.15;
const MAX_HEADING = 120;
/** Lines that are further apart than this multiple of their size are in different paragraphs. */
const GAP = 1.8;
const BULLET = /^\s*([•▪◦‣*–-]|\d{1,3}[.)])\s/;

export async function contentsOfPdf(bytes: Uint8Array, tell: (done: number, of: number) => void): Promise<Contents> {
  const pdf = await opened(bytes);
  if (pdf.numPages > MAX_PAGES) throw new Unreadable(REASONS.tooManyPages);
  const blocks: Block[] = [];
  const leftOut = new LeftOuts();
  let heading = '';
  let length = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const items: readonly object[] = (await page.getTextContent()).items;
    const read = paragraphsOf(linesOf(inReadingOrder(items.filter(isText))), heading);
    page.cleanup();
    if (read.blocks.length === 0) leftOut.add('emptyPages', String(number));
    blocks.push(...read.blocks);
    heading = read.heading;
    length += read.blocks.reduce((sum, { text }) => sum + text.length, 0);
    if (length > MAX_CHARACTERS) throw new Unreadable(REASONS.tooLong);
    tell(number, pdf.numPages);
  }
  if (length === 0) throw new Unreadable(REASONS.scanned);
  return { title: null, blocks, leftOut: leftOut.list };
}

async function opened(bytes: Uint8Array) {
  try {
    return await getDocumentProxy(bytes);
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === 'PasswordException';
    throw new Unreadable(isLocked ? REASONS.password : REASONS.broken, cause);
  }
}

function linesOf(items: readonly TextItem[]): readonly Line[] {
  const lines: Line[] = [];
  let text = '';
  let size = 0;
  let y = 0;
  let isRow = false;
  const flush = (): void => {
    if (text.trim() !== '') lines.push({ text: text.replace(/\s+/g, ' ').trim(), size, y, isRow });
    text = '';
    size = 0;
    isRow = false;
  };
  for (const item of items) {
    if (item.str.trim() !== '' && item.height > size) size = item.height;
    if (item.str.trim() === '' && text.trim() !== '' && size > 0 && item.width > size * COLUMN_GAP) isRow = true;
    if (item.str.trim() !== '') y = item.transform[5] ?? y;
    text += item.str;
    if (item.hasEOL) flush();
  }
  flush();
  return lines;
}

const isText = (item: object): item is TextItem => 'str' in item;

function paragraphsOf(lines: readonly Line[], before: string): { readonly blocks: readonly Block[]; readonly heading: string } {
  const usual = usualSize(lines);
  const blocks: Block[] = [];
  let heading = before;
  let text = '';
  let last: Line | null = null;
  const flush = (): void => {
    if (text !== '') blocks.push({ heading, text });
    text = '';
    last = null;
  };
  for (const line of lines) {
    if (line.size > usual * LARGER && line.text.length <= MAX_HEADING) {
      flush();
      heading = line.text;
      continue;
    }
    if (last && Math.abs(last.y - line.y) > GAP * Math.max(last.size, line.size)) flush();
    const isRow = line.isRow || (last?.isRow ?? false);
    text += text === '' ? line.text : `${isRow ? '\n' : joint(text, line.text)}${line.text}`;
    last = line;
  }
  flush();
  return { blocks, heading };
}

function joint(text: string, next: string): string {
  if (BULLET.test(next)) return '\n';
  return /\p{L}-$/u.test(text) ? '' : ' ';
}

function usualSize(lines: readonly Line[]): number {
  const written = new Map<number, number>();
  for (const { size, text } of lines) written.set(Math.round(size), (written.get(Math.round(size)) ?? 0) + text.length);
  return [...written].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? 0;
}
