import { keysOf } from '../../runtime/keys-of.ts';
import type { Line } from './verdict.ts';

const COLUMNS = {
  point: 'point',
  kills: 'kills',
  requests: 'requests',
  answered: '202',
  lost: 'lost',
  doubled: 'doubled',
  absorbed: 'absorbed',
  wrong: 'wrong',
  written: 'inbound',
  inboundLost: 'in lost',
  inboundDoubled: 'in doubled',
} as const satisfies Record<keyof Line, string>;

const KEYS = keysOf(COLUMNS);

export function tableOf(lines: readonly Line[]): string {
  const sums = KEYS.map((key) => (key === 'point' ? 'all' : String(lines.reduce((sum, line) => sum + Number(line[key]), 0))));
  const rows = [KEYS.map((key) => COLUMNS[key]), ...lines.map((line) => KEYS.map((key) => String(line[key]))), sums];
  const widths = KEYS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(padded).join('  ')).join('\n');
}
