import { parse } from 'csv-parse/sync';
import type { Block } from './reading.ts';

/** The cells of a table, row by row. */
export type Table = readonly (readonly string[])[];

const QUESTION = /^(pertanyaan|tanya|question|q|faq)$/i;
const ANSWER = /^(jawaban|jawab|answer|a)$/i;

/**
 * A block for each row: of a table of questions and answers the answer under its question, else `Header: value; Header: value`, so that each row says
 * by itself what its cells mean.
 */
export function blocksOfTable(table: Table, heading: string): readonly Block[] {
  const rows = table.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some((cell) => cell !== ''));
  const [header = [], ...rest] = rows;
  const question = header.findIndex((cell) => QUESTION.test(cell));
  const answer = header.findIndex((cell) => ANSWER.test(cell));
  if (question >= 0 && answer >= 0) return rest.map((row) => ({ heading: row[question] ?? '', text: row[answer] ?? '', isAnswer: true }));
  const isHeader = rest.length > 0 && header.length > 1 && header.every((cell) => !/\d/.test(cell));
  const textOf = (row: readonly string[]): string =>
    isHeader
      ? row.flatMap((cell, at) => (cell === '' ? [] : [header[at] ? `${header[at]}: ${cell}` : cell])).join('; ')
      : row.filter((cell) => cell !== '').join(row.length === 2 ? ': ' : '; ');
  return (isHeader ? rest : rows).map((row) => ({ heading, text: textOf(row) }));
}

const DELIMITERS = [',', ';', '\t', '|'];

/** Comma, semicolon, tab or bar: what its first lines have most of. */
export function blocksOfCsv(text: string): readonly Block[] {
  const head = text.slice(0, 4_096).replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => head.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  const options = { delimiter, relax_quotes: true, relax_column_count: true, skip_empty_lines: true, bom: true } as const;
  return blocksOfTable(parse(text, options), '');
}
