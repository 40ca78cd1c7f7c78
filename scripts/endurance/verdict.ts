import type { Evidence, Row } from './evidence.ts';
import { WATCHED } from './evidence.ts';
import type { Series } from './flatness.ts';

export interface Verdict {
  readonly sends: number;
  readonly answered: number;
  readonly refused: number;
  readonly unanswered: number;
  readonly campaignTexts: number;
  readonly lost: number;
  readonly doubled: number;
  /** Number of texts that a phone shows more or less often than the log reports them as sent. */
  readonly unlike: number;
  readonly written: number;
  readonly inboundLost: number;
  readonly inboundDoubled: number;
  readonly events: number;
  readonly webhooksLost: number;
  readonly webhooksDoubled: number;
  /** Number of webhooks accepted twice under one event id, which at-least-once delivery allows. */
  readonly webhooksRepeated: number;
  /** Number of notifications about messages that are not in the log. */
  readonly webhooksStrange: number;
  readonly violations: readonly string[];
  readonly offline: number;
  readonly settledMs: number | null;
  readonly left: string;
  readonly series: readonly Series[];
}

const SENT: ReadonlySet<string> = new Set(['sent', 'delivered', 'read']);

export function judge(evidence: Evidence, series: readonly Series[]): Verdict {
  const { ledger, rows, violations, offline, settledMs, left } = evidence;
  const shown = tally(evidence.shown);
  const inbound = tally(rows.filter(({ direction }) => direction === 'inbound').map(({ body }) => body ?? ''));
  const sentRows = rows.filter((row) => row.direction === 'outbound' && SENT.has(row.status));
  const sent = tally(sentRows.map(({ body }) => body ?? ''));
  const asked = [...ledger.sends, ...ledger.campaigns];
  const promised = asked.filter(({ status }) => status === 202 || status === 200);
  const of = (counts: ReadonlyMap<string, number>, body: string): number => counts.get(body) ?? 0;
  return {
    sends: ledger.sends.length,
    answered: ledger.sends.filter(({ status }) => status === 202).length,
    refused: ledger.sends.filter(({ status }) => status !== null && status !== 202).length,
    unanswered: ledger.sends.filter(({ status }) => status === null).length,
    campaignTexts: ledger.campaigns.filter(({ status }) => status === 200 || status === 202).length,
    lost: promised.filter(({ body }) => of(shown, body) === 0).length,
    doubled: asked.filter(({ body }) => of(shown, body) > 1).length,
    unlike: asked.filter(({ body }) => of(shown, body) !== of(sent, body)).length,
    written: ledger.written.length,
    inboundLost: ledger.written.filter((body) => of(inbound, body) === 0).length,
    inboundDoubled: ledger.written.filter((body) => of(inbound, body) > 1).length,
    ...webhooksOf(evidence, [...rows.filter(({ direction }) => direction === 'inbound'), ...sentRows]),
    violations,
    offline,
    settledMs,
    left,
    series,
  };
}

function webhooksOf({ told }: Evidence, rows: readonly Row[]) {
  const keys = new Set(rows.map(({ _id, direction }) => `${WATCHED[direction]} ${_id}`));
  const all = [...told].filter(([key]) => keys.has(key)).map(([, one]) => one);
  return {
    events: keys.size,
    webhooksLost: [...keys].filter((key) => !told.get(key)?.accepted).length,
    webhooksDoubled: all.filter(({ ids }) => ids.size > 1).length,
    webhooksRepeated: all.filter(({ accepted }) => accepted > 1).length,
    webhooksStrange: told.size - all.length,
  };
}

export function violationsIn(verdict: Verdict): readonly string[] {
  const none = [
    ...(['lost', 'doubled', 'unlike', 'inboundLost', 'inboundDoubled'] as const),
    ...(['webhooksLost', 'webhooksDoubled', 'webhooksStrange', 'offline'] as const),
  ];
  return [
    ...none.filter((key) => verdict[key] > 0).map((key) => `${key}: ${verdict[key]}`),
    ...(verdict.violations.length > 0 ? [`the network reported ${verdict.violations.join('; ')}`] : []),
    ...(verdict.settledMs === null ? [`the system never settled: ${verdict.left}`] : []),
    ...(verdict.answered === 0 ? ['nothing was answered'] : []),
    ...(verdict.series.some(({ of }) => of !== 'redis') ? [] : ['no node lived long enough to show a leak']),
    ...verdict.series.filter(({ isFlat }) => !isFlat).map(({ what, of }) => `${what} of ${of} grows`),
  ];
}

function tally(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
