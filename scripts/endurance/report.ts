import { cpus, totalmem } from 'node:os';
import { HELD, median, type Series } from './flatness.ts';
import type { EnduranceResult } from './run.ts';
import type { Moment } from './samples.ts';
import { type Verdict, violationsIn } from './verdict.ts';

export interface Told {
  readonly minutes: number;
  readonly rate: number;
  readonly devices: number;
  readonly seed: number;
}

const MB = 1024 * 1024;

export function reportOf({ verdict, moments, faults, lastedMs }: EnduranceResult, { minutes, rate, devices, seed }: Told): string {
  const wrong = violationsIn(verdict);
  const struck = [...faults].map(([name, count]) => `${name} ${count}`).join(', ');
  return [
    `**Verdict: ${wrong.length === 0 ? 'every promise was kept, and nothing grows' : `BROKEN: ${wrong.join('; ')}`}.**`,
    `${Math.round(lastedMs / 6_000) / 10} minutes of ${minutes}, ${devices} devices, ${rate} sends a second requested, seed ${seed}; ` +
      `${cpus().length} cores, ${Math.round(totalmem() / MB / 1024)} GB, Node ${process.versions.node}.`,
    `Faults: ${struck}.`,
    '### Messages and their outcomes',
    table(['', 'count'], ledgerOf(verdict)),
    '### Resources of the nodes',
    'Medians of the samples of each third. A figure is flat when its last third is within the bound of its middle third.',
    table(['figure', 'of', 'samples', 'first third', 'middle', 'last', 'an hour', 'flat'], verdict.series.map(seriesRow)),
    '### All starts of all nodes',
    table(['start', 'samples', 'lived, min', ...HELD.map((what) => `${what}, last`), 'lag p99, ms', 'highest'], livesOf(moments)),
    '### Rows of the store, at the beginning, in the middle and at the end',
    table(['collection', 'beginning', 'middle', 'end'], rowsOf(moments)),
  ].join('\n\n');
}

function ledgerOf(verdict: Verdict): readonly (readonly [string, string | number])[] {
  const { sends, answered, refused, unanswered, settledMs } = verdict;
  return [
    ['sends (202, refused, no response)', `${sends} (${answered}, ${refused}, ${unanswered})`],
    ['texts of campaigns that were started', verdict.campaignTexts],
    ['accepted but on no phone', verdict.lost],
    ['on a phone twice', verdict.doubled],
    ['phone and log differ', verdict.unlike],
    ['written by phones', verdict.written],
    ['of these: lost, stored twice', `${verdict.inboundLost}, ${verdict.inboundDoubled}`],
    ['messages reported by webhooks', verdict.events],
    [
      'messages never reported, reported under two ids, and reports without a message',
      `${verdict.webhooksLost}, ${verdict.webhooksDoubled}, ${verdict.webhooksStrange}`,
    ],
    ['of these accepted more than once under one id', verdict.webhooksRepeated],
    ['keys or pre-keys used twice', verdict.violations.length],
    ['devices offline at the end', verdict.offline],
    ['seconds from the last fault until the system settled', settledMs === null ? `never: ${verdict.left}` : Math.round(settledMs / 1_000)],
  ];
}

function seriesRow({ what, of, samples, thirds, perHour, isFlat }: Series): readonly (string | number)[] {
  const shown = (value: number): string => shownAs(what, value);
  return [what, of, samples, ...thirds.map(shown), `${perHour >= 0 ? '+' : ''}${shown(perHour)}`, isFlat ? 'yes' : '**no**'];
}

const shownAs = (what: Series['what'], value: number): string =>
  what === 'heap' || what === 'rss' ? `${(value / MB).toFixed(1)} MB` : String(Math.round(value));

function livesOf(moments: readonly Moment[]): readonly (readonly (string | number)[])[] {
  const samples = moments.flatMap(({ at, nodes }) => nodes.map((node) => ({ at, ...node })));
  return [...Map.groupBy(samples, ({ name }) => name)].map(([name, own]) => {
    const [first, last] = [own[0], own.at(-1)];
    const lags = own.map(({ lagP99 }) => lagP99);
    const lived = (((last?.at ?? 0) - (first?.at ?? 0)) / 60_000).toFixed(1);
    return [
      name,
      own.length,
      lived,
      ...HELD.map((what) => shownAs(what, last?.[what] ?? 0)),
      Math.round(median(lags)),
      Math.round(Math.max(...lags)),
    ];
  });
}

function rowsOf(moments: readonly Moment[]): readonly (readonly (string | number)[])[] {
  const [first, middle, last] = [moments[0], moments[Math.floor(moments.length / 2)], moments.at(-1)];
  const counts = (name: string): readonly number[] => [first, middle, last].map((moment) => moment?.rows[name] ?? 0);
  const changed = Object.keys(last?.rows ?? {}).filter((name) => new Set(counts(name)).size > 1);
  return [
    ...changed.map((name) => [name, ...counts(name)]),
    ['bytes of the files of all nodes', ...[first, middle, last].map((moment) => moment?.fileBytes ?? 0)],
  ];
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
