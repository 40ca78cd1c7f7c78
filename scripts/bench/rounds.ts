import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { entry, at as valueAt } from '../../runtime/invariant.ts';
import { memberOf } from '../../runtime/shapes.ts';

/** The last line that a script prints must contain its figures as JSON. */
export interface Variant {
  readonly name: string;
  readonly script: URL;
  readonly args?: readonly string[];
}

export interface Metric {
  readonly key: string;
  readonly title: string;
  readonly digits: number;
}

export interface RoundsOrder {
  readonly title: string;
  readonly variants: readonly Variant[];
  readonly ceiling: string;
  readonly metrics: readonly Metric[];
  readonly rounds: number;
  readonly timeoutMs?: number;
}

export interface Figure {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** Median over the rounds of the ratio to that round's upper bound; NaN if no round has both figures. */
  readonly ratio: number;
}

export interface Row {
  readonly variant: string;
  readonly figures: ReadonlyMap<string, Figure>;
  readonly failed: number;
  readonly complaint: string;
}

export interface Table {
  readonly title: string;
  readonly ceiling: string;
  readonly metrics: readonly Metric[];
  readonly rows: readonly Row[];
}

type Figures = Readonly<Record<string, number>>;
type Run = { readonly figures: Figures } | { readonly complaint: string };

const RUN_TIMEOUT_MS = 120_000;
const run = promisify(execFile);

export type Runs = ReadonlyMap<string, readonly Run[]>;

/** Runs variants in separate processes, in the order A B C A B C … */
export async function runRounds(order: RoundsOrder): Promise<Table> {
  return tabulate(order, await runAll(order));
}

export async function runAll(order: RoundsOrder): Promise<Runs> {
  const runs = new Map<string, Run[]>(order.variants.map(({ name }) => [name, []]));
  for (let round = 0; round < order.rounds; round += 1) {
    for (const variant of order.variants) entry(runs, variant.name).push(await runOnce(variant, order.timeoutMs ?? RUN_TIMEOUT_MS));
  }
  return runs;
}

export function tabulate({ title, variants, metrics, ceiling }: RoundsOrder, runs: Runs): Table {
  const best = runs.get(ceiling) ?? [];
  return { title, ceiling, metrics, rows: variants.map(({ name }) => toRow(name, runs.get(name) ?? [], best, metrics)) };
}

export interface RoundsOptions {
  readonly rounds: number;
  readonly isQuick: boolean;
}

export function roundsOptions(argv: readonly string[]): RoundsOptions {
  const isQuick = argv.includes('--quick');
  const at = argv.indexOf('--rounds');
  const rounds = at === -1 ? (isQuick ? 1 : 5) : Number(argv[at + 1]);
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds takes a whole number from 1');
  return { rounds, isQuick };
}

export function formatTable({ title, metrics, rows }: Table): string {
  const head = ['', ...metrics.flatMap((metric) => [metric.title, 'x'])];
  const lines = rows.map((row) => [row.variant, ...metrics.flatMap((metric) => cells(row, metric))]);
  const notes = rows.filter(({ failed }) => failed > 0).map((row) => `${row.variant}: ${row.failed} failed (${row.complaint})`);
  return [`### ${title}`, '', line(head), line(head.map(() => '---')), ...lines.map(line), '', ...notes].join('\n');
}

async function runOnce({ script, args = [] }: Variant, timeout: number): Promise<Run> {
  try {
    const { stdout } = await run(process.execPath, ['--expose-gc', fileURLToPath(script), ...args], { timeout });
    return { figures: JSON.parse(valueAt(stdout.trimEnd().split('\n'), -1)) };
  } catch (cause) {
    return { complaint: complaintOf(cause) };
  }
}

function complaintOf(cause: unknown): string {
  const said = String(memberOf(cause, 'stderr') ?? '').split('\n');
  const error = said.find((text) => /^\S*Error\b/.test(text)) ?? (cause instanceof Error ? cause.message : String(cause));
  return error.trim().slice(0, 120);
}

function toRow(variant: string, runs: readonly Run[], ceiling: readonly Run[], metrics: readonly Metric[]): Row {
  const complaints = runs.flatMap((one) => ('complaint' in one ? [one.complaint] : []));
  const figures = metrics.flatMap(({ key }) => {
    const values = runs.map((one) => figureOf(one, key));
    const ratios = values.map((value, round) => value / figureOf(ceiling[round], key));
    return values.some(Number.isFinite) ? [[key, toFigure(values, ratios)] as const] : [];
  });
  return { variant, figures: new Map(figures), failed: complaints.length, complaint: complaints.at(-1) ?? '' };
}

function figureOf(one: Run | undefined, key: string): number {
  return one !== undefined && 'figures' in one ? (one.figures[key] ?? Number.NaN) : Number.NaN;
}

function toFigure(values: readonly number[], ratios: readonly number[]): Figure {
  const known = values.filter(Number.isFinite);
  return { median: median(known), least: Math.min(...known), most: Math.max(...known), ratio: median(ratios.filter(Number.isFinite)) };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = Number.NaN, above = Number.NaN] = [sorted[sorted.length - 1 - middle], sorted[middle]];
  return (below + above) / 2;
}

function cells({ figures }: Row, { key, digits }: Metric): [string, string] {
  const figure = figures.get(key);
  if (figure === undefined) return ['–', '–'];
  const text = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: digits });
  return [
    `${text(figure.median)} [${text(figure.least)}..${text(figure.most)}]`,
    Number.isNaN(figure.ratio) ? '–' : figure.ratio.toPrecision(3),
  ];
}

const line = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;
