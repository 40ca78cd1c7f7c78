import type { FaultName } from './faults.ts';
import type { Figure } from './figures.ts';
import type { Scenario } from './scenarios.ts';
import { type Verdict, violations } from './verdict.ts';

/** Adds an upper bound to figures that must be 0 (rule of three: below 3/n with 95 % confidence). */
export function reportOf(verdict: Verdict, faults: ReadonlyMap<FaultName, number> = new Map()): string {
  const { answered, written, devices } = { ...verdict, devices: verdict.offline };
  const struck = [...faults.values()].reduce((sum, count) => sum + count, 0);
  const rows: (readonly [string, string | number, string])[] = [
    ['requests (202, refused, no response)', `${verdict.requests} (${answered}, ${verdict.refused}, ${verdict.unanswered})`, ''],
    ['answered with 202 but lost', verdict.lost, bound(verdict.lost, answered)],
    ['accepted twice', verdict.doubled, bound(verdict.doubled, verdict.requests)],
    ['second copies that the network dropped', verdict.absorbed, ''],
    ['answered with 202 but not `sent` at the end', verdict.unsent, ''],
    ['incoming messages', written, ''],
    ['incoming messages lost', verdict.inboundLost, bound(verdict.inboundLost, written)],
    ['incoming messages stored twice', verdict.inboundDoubled, bound(verdict.inboundDoubled, written)],
    ['stale writes applied', verdict.stale, struck > 0 ? bound(verdict.stale, struck) : ''],
    ['logins (evictions of another node)', `${verdict.logins} (${verdict.evictions})`, ''],
    [
      'evictions of a node that was alive, awake and connected',
      verdict.wrongEvictions,
      struck > 0 ? bound(verdict.wrongEvictions, struck) : '',
    ],
    ['devices stranded on a node without the store', verdict.stranded, ''],
    ['longest series of mutual evictions', verdict.longestQuarrel, ''],
    ['longest overlap of two awake owners, ms', Math.round(verdict.overlapMs), ''],
    ['devices offline at the end', devices, ''],
    [
      'seconds from the last fault until the system settled',
      verdict.settledMs === null ? 'never' : (verdict.settledMs / 1_000).toFixed(1),
      '',
    ],
  ];
  return columns([['', '', '95 % bound'], ...rows.map((row) => row.map(String))]);
}

export const faultsOf = (faults: ReadonlyMap<FaultName, number>): string =>
  [...faults].map(([name, count]) => `${name} ${count}`).join(', ');

export function guardsOf(withAll: Verdict, without: ReadonlyMap<Scenario, Verdict>): string {
  const rows = [...without].map(([{ guard, about, shows }, verdict]) => [
    guard,
    about,
    shows,
    String(withAll[shows]),
    String(verdict[shows]),
    violations(verdict).join('; ') || 'nothing',
  ]);
  return columns([['without', 'guard; scenario', 'figure', 'with', 'without', 'everything that went wrong without'], ...rows]);
}

export function figuresOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, goal, isMet }) => [name, value, goal, goal === '–' ? '' : isMet ? 'met' : 'MISSED']);
  return columns([['figure', 'measured', 'goal', ''], ...rows]);
}

function bound(found: number, n: number): string {
  return found > 0 || n === 0 ? '' : `< ${((3 / n) * 100).toPrecision(2)} % of ${n}`;
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
