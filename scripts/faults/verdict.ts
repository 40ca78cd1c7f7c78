import type { JournalEntry } from '../../actors/network/sandbox/protocol.ts';
import type { Point } from './points.ts';
import type { Ledger, Send, Written } from './rounds.ts';

export interface Logged {
  readonly id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly chat_id: string;
  readonly body: string | null;
  readonly status: string;
}

export interface Line {
  readonly point: Point;
  readonly kills: number;
  readonly requests: number;
  readonly answered: number;
  /** Number of messages answered with 202 that the network never accepted. */
  readonly lost: number;
  readonly doubled: number;
  /** Number of duplicates that the network recognized by their id. */
  readonly absorbed: number;
  readonly wrong: number;
  readonly written: number;
  readonly inboundLost: number;
  readonly inboundDoubled: number;
}

export interface Evidence {
  readonly ledger: Ledger;
  readonly own: string;
  readonly journal: readonly JournalEntry[];
  readonly log: readonly Logged[];
}

export function judge({ ledger, own, journal, log }: Evidence): readonly Line[] {
  const facts: Facts = {
    accepted: tally(journal.filter(({ what, phone }) => what === 'accepted' && phone === own).map(({ to }) => to)),
    absorbed: tally(journal.filter(({ what, phone }) => what === 'duplicate' && phone === own).map(({ to }) => to)),
    shown: tally(journal.filter(({ what }) => what === 'delivered').map(({ phone }) => phone)),
    outbound: Map.groupBy(
      log.filter(({ direction }) => direction === 'outbound'),
      ({ chat_id }) => chat_id,
    ),
    inbound: tally(log.filter(({ direction }) => direction === 'inbound').map(({ body }) => body)),
  };
  return [...ledger.kills].map(([point, kills]) => {
    const sends = ledger.sends.filter((send) => send.point === point);
    const written = ledger.written.filter((one) => one.point === point);
    return lineOf({ point, kills, sends, written }, facts);
  });
}

export const isClean = (line: Line): boolean =>
  line.lost + line.doubled + line.wrong + line.inboundLost + line.inboundDoubled === 0 && line.answered > 0;

interface Facts {
  readonly accepted: ReadonlyMap<string, number>;
  readonly absorbed: ReadonlyMap<string, number>;
  readonly outbound: ReadonlyMap<string, readonly Logged[]>;
  readonly shown: ReadonlyMap<string, number>;
  readonly inbound: ReadonlyMap<string, number>;
}

interface Round {
  readonly point: Point;
  readonly kills: number;
  readonly sends: readonly Send[];
  readonly written: readonly Written[];
}

function lineOf({ point, kills, sends, written }: Round, facts: Facts): Line {
  const acceptedOf = ({ to }: Send): number => facts.accepted.get(jid(to)) ?? 0;
  const answered = sends.filter(({ status }) => status === 202);
  const inLog = ({ body }: Written): number => facts.inbound.get(body) ?? 0;
  return {
    point,
    kills,
    requests: sends.length,
    answered: answered.length,
    lost: answered.filter((send) => acceptedOf(send) === 0).length,
    doubled: sends.filter((send) => acceptedOf(send) > 1).length,
    absorbed: sends.reduce((sum, { to }) => sum + (facts.absorbed.get(jid(to)) ?? 0), 0),
    wrong: sends.filter((send) => !isTrue(send, facts)).length,
    written: written.length,
    inboundLost: written.filter((one) => inLog(one) === 0).length,
    inboundDoubled: written.filter((one) => inLog(one) > 1).length,
  };
}

function isTrue({ to, id, status }: Send, { accepted, shown, outbound }: Facts): boolean {
  const [row, ...more] = outbound.get(jid(to)) ?? [];
  const wasAccepted = accepted.has(jid(to));
  if (!row) return status !== 202 && !wasAccepted;
  if (more.length > 0 || (id !== null && row.id !== id) || (status !== null && status !== 202)) return false;
  if (row.status === 'delivered' || row.status === 'read') return shown.has(to);
  return (row.status === 'sent') === wasAccepted;
}

const jid = (digits: string): string => `${digits}@s.whatsapp.net`;

function tally(keys: readonly (string | null | undefined)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) if (key) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
