import { Unreadable } from '../../archives/unreadable.ts';
import { type LeftOutKind, LeftOuts } from './left-out.ts';
import { type Block, type Contents, REASONS } from './reading.ts';
import { blocksOfTable, type Table } from './tables.ts';

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

  /** `read` under one more heading, which may be the innermost by now; what comes after `read` does not stand under it. */
  within(text: string, read: () => void): void {
    const path = this.#path.at(-1) === text ? this.#path.slice(0, -1) : this.#path;
    this.#path = [...path, text];
    read();
    this.#path = path;
  }

  /** The innermost two: what is further out says little of a passage. */
  get current(): string {
    return this.#path
      .filter((text) => text !== '')
      .slice(-2)
      .join(' › ');
  }
}

/** Headings, paragraphs, lists and tables of Markdown; comments and struck-out text are left out. */
export function contentsOfMarkdown(text: string): Contents {
  const leftOut = new LeftOuts();
  const removed = (kind: LeftOutKind) => (): string => {
    leftOut.add(kind);
    return '';
  };
  const shown = text
    .replace(/<!--[\s\S]*?-->/g, removed('comments'))
    .replace(/~~(?!~)[^~\n]+~~/g, removed('struck'))
    .replace(/<(s|del|strike)>[^<\n]*<\/\1>/gi, removed('struck'));
  return { title: null, blocks: blocksOfMarkdown(shown), leftOut: leftOut.list };
}

function blocksOfMarkdown(text: string): readonly Block[] {
  const headings = new Headings();
  const blocks: Block[] = [];
  let lines: string[] = [];
  const flush = (): void => {
    const heading = headings.current;
    const rule = lines.findIndex((line, at) => at > 0 && TABLE_RULE.test(line) && lines[at - 1]?.includes('|'));
    const end = rule < 0 ? lines.length : rule - 1;
    if (end > 0) blocks.push({ heading, text: lines.slice(0, end).map(plain).join('\n') });
    if (rule > 0) blocks.push(...blocksOfTable(markdownTable(lines.slice(rule - 1)), heading));
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

/** The line under the header of a table. */
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

const markdownTable = (lines: readonly string[]): Table =>
  lines.flatMap((line, at) => (at === 1 ? [] : [{ cells: cellsOf(line), ...(at === 0 && { isHeader: true }) }]));

/** A bar with a backslash before it is text. */
const cellsOf = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.replaceAll('\\|', '|')));

const plain = (text: string): string =>
  text
    .replace(/!\[[^[\]\n]*\]\([^()\n]*\)/g, '')
    .replace(/\[([^[\]\n]*)\]\(([^()\s]*)(?:\s[^()\n]*)?\)/g, '$1 ($2)')
    .replace(/(\*\*|__|`)/g, '');
