import { Unreadable } from '../../archives/unreadable.ts';
import { type LeftOutKind, LeftOuts } from './left-out.ts';
import { type Block, type Contents, REASONS } from './reading.ts';
import { blocksOfTable, type Table } from './tables.ts';

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

export const blocksOfText = (text: string): readonly Block[] =>
  text.split(/\r?\n[^\S\n]*\r?\n/).map((paragraph) => ({ heading: '', text: paragraph }));

const MAX_LEVELS = 6;

export class Headings {
  #path: string[] = [];

  enter(level: number, text: string): void {
    this.#path = [...this.#path.slice(0, level - 1), ...Array<string>(Math.max(0, level - 1 - this.#path.length)).fill(''), text];
  }

  within(text: string, read: () => void): void {
    const path = this.#path.at(-1) === text ? this.#path.slice(0, -1) : this.#path;
    this.#path = [...path, text];
    read();
    this.#path = path;
  }

  get current(): string {
    return this.#path
      .filter((text) => text !== '')
      .slice(-2)
      .join(' › ');
  }
}

export function contentsOfMarkdown(text: string): Contents {
  const leftOut = new LeftOuts();
  const removed = (kind: LeftOutKind) => (): string => {
    leftOut.add(kind);
    return '';
  };
  const shown = text
    .replace(FRONT_MATTER, removed('comments'))
    .replace(/<!--[\s\S]*?-->/g, removed('comments'))
    .replace(COMMENT_LINK, removed('comments'))
    .replace(HIDDEN_TAG, removed('hiddenText'))
    .replace(/~~(?!~)(?:[^~\n]|\n(?!\s*\n)){1,2000}~~/g, removed('struck'))
    .replace(STRUCK_TAG, removed('struck'))
    .replace(/\[\^[^\]\s]{1,50}\]:?/g, '')
    .replace(/<\/?[a-z][a-z\d-]{0,30}(?:\s[^<>]{0,500})?\/?>/gi, '');
  return { title: null, blocks: blocksOfMarkdown(shown), leftOut: leftOut.list };
}

const FRONT_MATTER = /^\s*---\n(?:[\w-]+:[^\n]*\n|[ \t-][^\n]*\n|\n){1,100}---(?=\n|$)/;
/** An unused link definition, which Markdown authors use as a comment. */
const COMMENT_LINK =
  /^ {0,3}\[(?:\/\/|comment|hidden|note|_)?[^\]\n]{0,30}\]:[ \t]*(?:#|<>)[ \t]*(?:\([^\n]*\)|"[^\n]*"|'[^\n]*')?[ \t]*$/gm;
const HIDDEN_TAG =
  /<(\w{1,20})\s(?=[^<>]{0,500}?(?:\bhidden\b|display\s*:\s*none|visibility\s*:\s*hidden))[^<>]{0,1000}>[^<]{0,5000}<\/\1>/gi;
const STRUCK_TAG =
  /<(s|del|strike)(?:\s[^<>]{0,500})?>[^<]{0,2000}<\/\1>|<(\w{1,20})\s(?=[^<>]{0,500}?line-through)[^<>]{0,1000}>[^<]{0,2000}<\/\2>/gi;

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

const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

const markdownTable = (lines: readonly string[]): Table =>
  lines.flatMap((line, at) => (at === 1 ? [] : [{ cells: cellsOf(line), ...(at === 0 && { isHeader: true }) }]));

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
