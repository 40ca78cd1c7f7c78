import { existsSync, readFileSync } from 'node:fs';
import type { Line } from './run.ts';
import { harmOf, together } from './verdict.ts';

export const linesIn = (files: readonly string[]): readonly Line[] =>
  files.filter((file) => existsSync(file)).flatMap((file) => textsIn(file).map((text): Line => JSON.parse(text)));

const textsIn = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text !== '');

export function totals(lines: readonly Line[]): readonly Line[] {
  const points = Map.groupBy(lines, ({ point }) => point);
  return [...points.values()].map((own) => own.reduce((sum, line) => ({ ...together(sum, line), point: sum.point })));
}

export function print(lines: readonly Line[]): void {
  for (const line of lines) console.log(`${line.point.padEnd(38)} ${wordsOf(line)}`);
  const [first, ...others] = lines;
  if (!first) return;
  const all = others.reduce((sum, line) => ({ ...together(sum, line), point: sum.point }), first);
  console.log(`${'all'.padEnd(38)} ${wordsOf(all)}`);
  for (const violation of all.violations) console.log(violation);
}

function wordsOf(line: Line): string {
  const { kills, answered, written, optOuts, linked, askedAgain } = line;
  const counts = { kills, answered, written, optOuts, linked, ...harmOf(line), askedAgain };
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
