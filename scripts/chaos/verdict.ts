import type { Evidence, StoredMessage } from './evidence.ts';
import { judgeLogins, type Logins } from './logins.ts';
import { staleInDevice, staleInMessage } from './trail.ts';

export interface Verdict extends Logins {
  readonly requests: number;
  readonly answered: number;
  readonly refused: number;
  readonly unanswered: number;
  readonly lost: number;
  readonly doubled: number;
  /** Number of duplicates that the network recognized by the message id. */
  readonly absorbed: number;
  /** Number of messages answered with 202 that are not `sent` or later in the store at the end. */
  readonly unsent: number;
  readonly written: number;
  readonly inboundLost: number;
  readonly inboundDoubled: number;
  /** Number of an owner's writes that the store applied after writes of a later owner. */
  readonly stale: number;
  /** Number of devices that stayed on a node that could not reach the store. */
  readonly stranded: number;
  readonly offline: number;
  readonly settledMs: number | null;
}

/** Two awake processes may both hold a connection until the older one learns of its end. */
const LONGEST_OVERLAP_MS = 1_000;
const LONGEST_QUARREL = 2;
const ARRIVED: ReadonlySet<string> = new Set(['sent', 'delivered', 'read']);

export function judge({ ledger, journal, messages, devices, timeline, stranded, settledMs }: Evidence): Verdict {
  const accepted = tally(journal.filter(({ what }) => what === 'accepted').map(({ to }) => to));
  const acceptedOf = ({ to }: { to: string }): number => accepted.get(`${to}@s.whatsapp.net`) ?? 0;
  const answered = ledger.sends.filter(({ status }) => status === 202);
  const stored = new Map(messages.map((message) => [message._id, message]));
  const inbound = tally(messages.filter(({ direction }) => direction === 'inbound').map(({ body }) => body));
  const inStore = (body: string): number => inbound.get(body) ?? 0;
  return {
    requests: ledger.sends.length,
    answered: answered.length,
    refused: ledger.sends.filter(({ status }) => status !== null && status !== 202).length,
    unanswered: ledger.sends.filter(({ status }) => status === null).length,
    lost: answered.filter((send) => acceptedOf(send) === 0).length,
    doubled: ledger.sends.filter((send) => acceptedOf(send) > 1).length,
    absorbed: journal.filter(({ what }) => what === 'duplicate').length,
    unsent: answered.filter(({ id }) => !ARRIVED.has(stored.get(id ?? '')?.status ?? '')).length,
    written: ledger.written.length,
    inboundLost: ledger.written.filter((body) => inStore(body) === 0).length,
    inboundDoubled: ledger.written.filter((body) => inStore(body) > 1).length,
    stale: staleIn(messages) + devices.reduce((sum, { trail = [] }) => sum + staleInDevice(trail), 0),
    stranded,
    offline: devices.filter(({ status }) => status !== 'connected').length,
    settledMs,
    ...judgeLogins(journal, timeline),
  };
}

export function violations(verdict: Verdict): readonly string[] {
  const none = ['lost', 'doubled', 'unsent', 'inboundLost', 'inboundDoubled', 'stale', 'wrongEvictions', 'stranded', 'offline'] as const;
  return [
    ...none.filter((key) => verdict[key] > 0).map((key) => `${key}: ${verdict[key]}`),
    ...(verdict.overlapMs > LONGEST_OVERLAP_MS ? [`two nodes connected at once for ${verdict.overlapMs} ms`] : []),
    ...(verdict.longestQuarrel > LONGEST_QUARREL ? [`${verdict.longestQuarrel} mutual evictions in a row`] : []),
    ...(verdict.settledMs === null ? ['the system never settled'] : []),
    ...(verdict.answered === 0 ? ['nothing was answered'] : []),
  ];
}

function staleIn(messages: readonly StoredMessage[]): number {
  return messages.reduce((sum, { trail = [] }) => sum + staleInMessage(trail), 0);
}

function tally(keys: readonly (string | null | undefined)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) if (key) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
