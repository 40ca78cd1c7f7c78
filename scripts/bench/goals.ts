import { present } from '../../runtime/invariant.ts';
import { LIVE, SCRIPT_SIZES, SCROLLING } from './console.ts';
import { DEVICES, REAL_DEVICES } from './devices.ts';
import { GROUPS } from './groups.ts';
import { GROWTH } from './growth.ts';
import { AGENTS } from './http.ts';
import { MESSAGES } from './messages.ts';
import { METRICS } from './metrics.ts';
import type { Metric, Table } from './rounds.ts';
import { START } from './start.ts';
import { SUITE } from './suite.ts';
import { AGES } from './webhooks.ts';
import { TEXTS } from './whatsapp.ts';

/** A goal limits the ratio to the table's upper bound or, with `of: 'figure'`, the figure itself. */
type Goal = ({ readonly atLeast: number } | { readonly atMost: number }) & { readonly of?: 'figure' };

export interface Item {
  readonly name: string;
  readonly table: string;
  readonly variant: string;
  readonly metric: string;
  readonly goal: Goal | null;
}

const ACCEPT = 'http: 202 to a 296-byte body, 50 connections';
const STORES = 'stores: a webhook of 1.2 KB, 50 connections';
const SSE = 'sse: 300-byte events to 1,000 streams';
const STORE = 'store: 50 concurrent, ~600-byte rows, 4 indexes';
const IMPORT = 'crm: contacts imported from CSV';
const RENEWALS = 'cluster: 10,000 lease renewals';
const ASKS = 'cluster: ask across processes, 300-byte body';

const ITEMS: readonly Item[] = [
  { name: 'tell, 1 actor', table: 'actors: tell 1', variant: 'ours', metric: 'rate', goal: { atLeast: 0.28 } },
  { name: 'tell, 1,000 actors', table: 'actors: tell 1,000', variant: 'ours', metric: 'rate', goal: { atLeast: 0.4 } },
  { name: 'tell, 100,000 actors', table: 'actors: tell 100,000', variant: 'ours', metric: 'rate', goal: { atLeast: 1 } },
  { name: 'ask, 1 actor', table: 'actors: ask 1', variant: 'ours', metric: 'rate', goal: null },
  { name: 'ask, 1,000 actors', table: 'actors: ask 1,000', variant: 'ours', metric: 'rate', goal: { atLeast: 0.33 } },
  { name: 'ask, 100,000 actors', table: 'actors: ask 100,000', variant: 'ours', metric: 'rate', goal: null },
  { name: '200,000 in one mailbox', table: 'actors: 200,000 in one mailbox', variant: 'ours', metric: 'rate', goal: { atLeast: 0.45 } },
  { name: 'idle actor, heap bytes', table: 'actors: idle actor', variant: 'ours', metric: 'bytes', goal: { atMost: 3.7 } },
  { name: 'blast, list to lane, rate', table: 'blasts: list to lane', variant: 'campaign', metric: 'rate', goal: { atLeast: 0.7 } },
  { name: 'blast, list to lane, CPU', table: 'blasts: list to lane', variant: 'campaign', metric: 'cpuUs', goal: null },
  { name: 'log, embedded: a chat', table: 'log: a page of 50, embedded', variant: 'many messages', metric: 'chat', goal: { atMost: 3 } },
  {
    name: 'log, embedded: direction',
    table: 'log: a page of 50, embedded',
    variant: 'many messages',
    metric: 'inbound',
    goal: { atMost: 3 },
  },
  {
    name: 'log, embedded: what failed',
    table: 'log: a page of 50, embedded',
    variant: 'many messages',
    metric: 'failed',
    goal: { atMost: 3 },
  },
  { name: 'log, embedded: type poll', table: 'log: a page of 50, embedded', variant: 'many messages', metric: 'poll', goal: { atMost: 3 } },
  {
    name: 'log, embedded: since, until',
    table: 'log: a page of 50, embedded',
    variant: 'many messages',
    metric: 'window',
    goal: { atMost: 3 },
  },
  {
    name: 'log, embedded: from the middle',
    table: 'log: a page of 50, embedded',
    variant: 'many messages',
    metric: 'deep',
    goal: { atMost: 3 },
  },
  {
    name: '500 rules on a message of 64 KB, CPU',
    table: 'auto-reply: 500 rules on a message of 64 KB',
    variant: 'gateway',
    metric: 'cpuMs',
    goal: null,
  },
  {
    name: '500 rules on a message of 64 KB, event loop held',
    table: 'auto-reply: 500 rules on a message of 64 KB',
    variant: 'gateway',
    metric: 'heldMs',
    goal: null,
  },
  { name: '500 groups at the first login, CPU', table: GROUPS, variant: 'first login', metric: 'listMs', goal: { atMost: 2 } },
  { name: '500 groups at a later login, CPU', table: GROUPS, variant: 'later login', metric: 'listMs', goal: { atMost: 2 } },
  { name: 'a group of 1,024, questions', table: GROUPS, variant: 'first login', metric: 'questions', goal: { atMost: 1 } },
  { name: '500 groups, event loop held', table: GROUPS, variant: 'first login', metric: 'heldMs', goal: null },
  { name: 'store insert, CPU', table: STORE, variant: 'embedded store', metric: 'insertCpu', goal: null },
  { name: 'store guarded update, CPU', table: STORE, variant: 'embedded store', metric: 'claimCpu', goal: null },
  { name: 'accepted send, CPU', table: ACCEPT, variant: 'gateway', metric: 'cpuUs', goal: { atMost: 1.25 } },
  { name: 'accepted send, rate', table: ACCEPT, variant: 'gateway', metric: 'rate', goal: { atLeast: 0.75 } },
  { name: 'accepted send, MongoDB, CPU', table: ACCEPT, variant: 'gateway, MongoDB', metric: 'cpuUs', goal: { atMost: 4 } },
  { name: 'accepted send, p99', table: ACCEPT, variant: 'gateway', metric: 'p99', goal: { atMost: 2 } },
  {
    name: 'accepted send, CPU against node:http + grouped insert',
    table: 'http: the same, durable ceiling',
    variant: 'gateway',
    metric: 'cpuUs',
    goal: { atMost: 2.3 },
  },
  { name: 'a repeated JWT, CPU', table: 'http: a repeated JWT', variant: 'JWT', metric: 'cpuUs', goal: { atMost: 1.05 } },
  { name: 'a tool of AI agents, CPU against its endpoint', table: AGENTS, variant: 'list_chats', metric: 'cpuUs', goal: { atMost: 1.3 } },
  { name: 'the list of tools, CPU (below 500 µs)', table: AGENTS, variant: 'tools/list', metric: 'cpuUs', goal: null },
  {
    name: 'metrics of a message, CPU against its accepted send',
    table: METRICS,
    variant: 'counting',
    metric: 'cpuUs',
    goal: { atMost: 0.01 },
  },
  { name: '10,000 lease renewals', table: RENEWALS, variant: 'keeper', metric: 'ms', goal: { atMost: 1.1 } },
  { name: '10,000 lease renewals, Redis CPU', table: RENEWALS, variant: 'keeper', metric: 'redisCpuMs', goal: null },
  { name: 'cross-node ask, p50', table: ASKS, variant: 'wire', metric: 'p50Us', goal: { atMost: 4 } },
  { name: 'the same through a bare Redis, p50', table: ASKS, variant: 'bare Redis', metric: 'p50Us', goal: null },
  { name: 'cross-node ask, p99', table: ASKS, variant: 'wire', metric: 'p99Us', goal: { atMost: 6 } },
  { name: 'cross-node ask, rate', table: ASKS, variant: 'wire', metric: 'rate', goal: null },
  {
    name: 'a signed delivery, CPU',
    table: 'webhooks: a 472-byte delivery, 50 at once',
    variant: 'signed delivery',
    metric: 'cpuUs',
    goal: { atMost: 1.3 },
  },
  {
    name: 'deliveries beside an endpoint that never answers, p99',
    table: 'webhooks: beside an endpoint that never answers',
    variant: '10,000 waiting for it',
    metric: 'p99',
    goal: { atMost: 1.3 },
  },
  {
    name: 'a webhook at 300 sends a second, p99 of its age',
    table: AGES,
    variant: 'gateway',
    metric: 'p99',
    goal: { atMost: 2, of: 'figure' },
  },
  { name: 'a send, statements', table: MESSAGES, variant: 'together', metric: 'statements', goal: { atMost: 18, of: 'figure' } },
  {
    name: 'a send after another, statements',
    table: MESSAGES,
    variant: 'one by one',
    metric: 'statements',
    goal: { atMost: 18, of: 'figure' },
  },
  { name: 'a send after another, commits', table: MESSAGES, variant: 'one by one', metric: 'commits', goal: { atMost: 2, of: 'figure' } },
  {
    name: 'a campaign message, statements',
    table: MESSAGES,
    variant: 'campaign',
    metric: 'statements',
    goal: { atMost: 25, of: 'figure' },
  },
  { name: 'a campaign message, CPU against a send', table: MESSAGES, variant: 'campaign', metric: 'cpuMs', goal: { atMost: 1.5 } },
  { name: 'a campaign without pace, a second', table: MESSAGES, variant: 'campaign', metric: 'rate', goal: { atLeast: 200, of: 'figure' } },
  {
    name: 'longest turn of the loop by any request',
    table: GROWTH,
    variant: 'gateway',
    metric: 'stall',
    goal: { atMost: 50, of: 'figure' },
  },
  {
    name: 'the same, MongoDB',
    table: GROWTH,
    variant: 'gateway, MongoDB',
    metric: 'stall',
    goal: { atMost: 50, of: 'figure' },
  },
  { name: 'the test suite, minutes', table: SUITE, variant: 'suite', metric: 'minutes', goal: { atMost: 12, of: 'figure' } },
  { name: 'start, CPU', table: START, variant: 'gateway', metric: 'cpuMs', goal: { atMost: 1.3 } },
  { name: 'idle gateway, RSS', table: START, variant: 'gateway', metric: 'rssMb', goal: { atMost: 130, of: 'figure' } },
  { name: 'a store’s webhook, receipt, CPU', table: STORES, variant: 'gateway, receipt', metric: 'cpuUs', goal: { atMost: 1.6 } },
  { name: 'a store’s webhook, repeated, CPU', table: STORES, variant: 'gateway, repetitions', metric: 'cpuUs', goal: { atMost: 1.6 } },
  { name: 'a store’s new order, CPU', table: STORES, variant: 'gateway, and message', metric: 'cpuUs', goal: { atMost: 1.6 } },
  {
    name: 'a text on the real library, one after the other',
    table: TEXTS,
    variant: 'gateway',
    metric: 'sequential',
    goal: { atMost: 1.2 },
  },
  { name: 'a text on the real library, 8 at once', table: TEXTS, variant: 'gateway', metric: 'eight', goal: { atMost: 1 } },
  { name: 'a text on the real library, 20 devices', table: TEXTS, variant: 'gateway', metric: 'everybody', goal: { atMost: 0.85 } },
  { name: 'a text to a group of 2', table: TEXTS, variant: 'gateway', metric: 'pair', goal: { atMost: 0.35 } },
  { name: 'a text to a group of 50', table: TEXTS, variant: 'gateway', metric: 'group', goal: { atMost: 0.25 } },
  { name: 'a real device, RSS, KB', table: REAL_DEVICES, variant: 'gateway', metric: 'rssKb', goal: { atMost: 256, of: 'figure' } },
  { name: 'a real device, heap, KB', table: REAL_DEVICES, variant: 'gateway', metric: 'heapKb', goal: { atMost: 100, of: 'figure' } },
  {
    name: 'real devices in one node, linked and talking',
    table: REAL_DEVICES,
    variant: 'gateway',
    metric: 'talked',
    goal: { atLeast: 3_000, of: 'figure' },
  },
  { name: 'a device online, heap', table: DEVICES, variant: 'gateway', metric: 'heapKb', goal: null },
  { name: 'a device online, RSS', table: DEVICES, variant: 'gateway', metric: 'rssKb', goal: null },
  { name: 'accepted → sent', table: DEVICES, variant: 'gateway', metric: 'rate', goal: null },
  { name: 'live stream, one event a write', table: SSE, variant: 'gateway', metric: 'rate', goal: { atLeast: 0.7 } },
  { name: 'live stream, CPU', table: SSE, variant: 'gateway', metric: 'cpuUs', goal: null },
  { name: 'live stream, 10 events a turn', table: SSE, variant: 'gateway, 10 events a turn', metric: 'rate', goal: { atLeast: 5 } },
  { name: 'idle stream, heap', table: SSE, variant: 'gateway', metric: 'heapKb', goal: { atMost: 1.7 } },
  {
    name: 'console, script of the heaviest page',
    table: SCRIPT_SIZES,
    variant: 'console',
    metric: 'heaviestKb',
    goal: { atMost: 120, of: 'figure' },
  },
  { name: 'console, script of /sign-in', table: SCRIPT_SIZES, variant: 'console', metric: 'signInKb', goal: { atMost: 45, of: 'figure' } },
  { name: 'console, written to painted, p50', table: LIVE, variant: 'console', metric: 'paintedP50', goal: null },
  { name: 'console, written to painted, p99', table: LIVE, variant: 'console', metric: 'paintedP99', goal: { atMost: 300, of: 'figure' } },
  {
    name: 'console, 10,000 chats, frame against an empty page',
    table: SCROLLING,
    variant: 'inbox',
    metric: 'times',
    goal: { atMost: 1.1, of: 'figure' },
  },
  {
    name: 'console, 10,000 chats, CPU of a frame, p95',
    table: SCROLLING,
    variant: 'inbox',
    metric: 'frameCpu',
    goal: { atMost: 16.7, of: 'figure' },
  },
  { name: 'console, 10,000 chats, rows drawn', table: SCROLLING, variant: 'inbox', metric: 'rows', goal: null },
  { name: 'import, rate', table: IMPORT, variant: 'gateway', metric: 'rate', goal: null },
  { name: 'import, CPU', table: IMPORT, variant: 'gateway', metric: 'cpuUs', goal: null },
];

/** Maximum ratios for `--ceilings`, each a third above the ratio measured when it was set. */
const CEILINGS: Readonly<Record<string, number>> = {
  'accepted send, CPU': 1.81,
  'a text on the real library, one after the other': 2.13,
  'a campaign message, CPU against a send': 1.33,
  'a signed delivery, CPU': 1.53,
  'a store’s webhook, receipt, CPU': 1.53,
};
export const PARTS_WITH_CEILINGS: readonly string[] = ['http', 'whatsapp', 'messages', 'webhooks', 'stores'];

export function aboveCeilings(tables: readonly Table[]): readonly string[] {
  return Object.entries(CEILINGS).flatMap(([name, most]) => {
    const ratio = ratioOf(name, tables);
    if (ratio <= most) return [];
    return [`${name}: ${Number.isNaN(ratio) ? 'not measured' : `${ratio.toPrecision(3)}x, ceiling ${most}x`}`];
  });
}

function ratioOf(name: string, tables: readonly Table[]): number {
  const { table, variant, metric } = present(
    ITEMS.find((item) => item.name === name),
    name,
  );
  const measured = tables.find(({ title }) => title === table);
  return measured?.rows.find((row) => row.variant === variant)?.figures.get(metric)?.ratio ?? Number.NaN;
}

export function verdicts(tables: readonly Table[]): string {
  const rows = ITEMS.flatMap((item) => {
    const table = tables.find(({ title }) => title === item.table);
    return table?.rows.some(({ variant }) => variant === item.variant) ? [verdict(item, table)] : [];
  });
  const head = ['item', 'ours', 'ceiling', 'ratio', 'goal', 'met'];
  return [head, head.map(() => '---'), ...rows].map((texts) => `| ${texts.join(' | ')} |`).join('\n');
}

function verdict({ name, variant, metric: key, goal }: Item, table: Table): readonly string[] {
  const metric = present(
    table.metrics.find((one) => one.key === key),
    `the metric ${key}`,
  );
  const figure = table.rows.find((row) => row.variant === variant)?.figures.get(key);
  const ratio = figure?.ratio ?? Number.NaN;
  const unit = goal?.of === 'figure' ? '' : 'x';
  const isOnlyOurs = table.ceiling === variant;
  return [
    name,
    amount(table, variant, metric),
    isOnlyOurs ? '–' : amount(table, table.ceiling, metric),
    isOnlyOurs || Number.isNaN(ratio) ? '–' : `${ratio.toPrecision(3)}x`,
    goal ? ('atLeast' in goal ? `≥ ${goal.atLeast}${unit}` : `≤ ${goal.atMost}${unit}`) : '–',
    goal ? (isMet(goal.of === 'figure' ? (figure?.median ?? Number.NaN) : ratio, goal) ? 'yes' : 'NO') : '–',
  ];
}

function isMet(value: number, goal: Goal): boolean {
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}

function amount({ rows }: Table, variant: string, { key, title, digits }: Metric): string {
  const figure = rows.find((row) => row.variant === variant)?.figures.get(key);
  return figure ? `${figure.median.toLocaleString('en', { maximumFractionDigits: digits })} ${title}` : 'failed';
}
