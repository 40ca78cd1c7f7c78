import { Unreadable } from '../../archives/unreadable.ts';
import { type Block, REASONS } from './reading.ts';
import { blocksOfTable } from './tables.ts';

/** UTF-8 and UTF-16 with or without a mark at its beginning, else Windows-1252, which old programs write. Throws Unreadable for what is no text. */
export function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.includes(0)) {
    if (first !== 0 && second === 0) return readable(new TextDecoder('utf-16le').decode(bytes));
    if (first === 0 && second !== 0) return readable(new TextDecoder('utf-16be').decode(bytes));
    throw new Unreadable(REASONS.notText);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function readable(text: string): string {
  if (text.includes('\0')) throw new Unreadable(REASONS.notText);
  return text;
}

/** Paragraphs: what blank lines separate. */
export const blocksOfText = (text: string): readonly Block[] =>
  text.split(/\r?\n[^\S\n]*\r?\n/).map((paragraph) => ({ heading: '', text: paragraph }));

const MAX_LEVELS = 6;

/** Headings above a place, from the outermost. */
export class Headings {
  #path: string[] = [];

  /** `level` from 1. */
  enter(level: number, text: string): void {
    this.#path = [...this.#path.slice(0, level - 1), ...Array<string>(Math.max(0, level - 1 - this.#path.length)).fill(''), text];
  }

  /** The innermost two: what is further out says little of a passage. */
  get current(): string {
    return this.#path
      .filter((text) => text !== '')
      .slice(-2)
      .join(' › ');
  }
}

/** Headings, paragraphs, lists and tables of Markdown. */
export function blocksOfMarkdown(text: string): readonly Block[] {
  const headings = new Headings();
  const blocks: Block[] = [];
  let lines: string[] = [];
  const flush = (): void => {
    const heading = headings.current;
    if (lines.length > 1 && lines.every((line) => line.trim().startsWith('|')))
      blocks.push(...blocksOfTable(lines.flatMap(cellsOf), heading));
    else if (lines.length > 0) blocks.push({ heading, text: lines.map(plain).join('\n') });
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const heading = /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    if (heading) {
      flush();
      headings.enter(Math.min(heading[1]?.length ?? 1, MAX_LEVELS), plain(heading[2] ?? ''));
    } else if (line.trim() === '') flush();
    else lines.push(line);
  }
  flush();
  return blocks;
}

/** A row of a table; none for the line under its header. */
function cellsOf(line: string): readonly (readonly string[])[] {
  if (/^[\s|:-]+$/.test(line)) return [];
  return [
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map(plain),
  ];
}

const plain = (text: string): string =>
  text
    .replace(/!\[[^[\]\n]*\]\([^()\n]*\)/g, '')
    .replace(/\[([^[\]\n]*)\]\(([^()\s]*)(?:\s[^()\n]*)?\)/g, '$1 ($2)')
    .replace(/(\*\*|__|`)/g, '');
