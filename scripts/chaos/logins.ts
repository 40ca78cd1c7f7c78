import { CLOSED } from '../../actors/network/port.ts';
import type { JournalEntry } from '../../actors/network/sandbox/protocol.ts';
import type { Excuse, Span, Timeline } from './timeline.ts';

export interface Logins {
  readonly logins: number;
  readonly evictions: number;
  /** Number of evictions of nodes that were alive, awake and connected, and should have logged out first. */
  readonly wrongEvictions: number;
  /**
   * Longest series of evictions in which two nodes evict each other in turn. A series ends when the
   * evicted node suffers another fault.
   */
  readonly longestQuarrel: number;
  readonly overlapMs: number;
}

type Told = Pick<Timeline, 'spans' | 'excuses'>;

/** A process that has just resumed needs a moment to learn of its eviction. */
const GRACE_MS = 1_500;
const QUARREL_MS = 10_000;

export function judgeLogins(journal: readonly JournalEntry[], told: Told): Logins {
  const evictions = evictionsIn(journal);
  return {
    logins: journal.filter(({ what }) => what === 'login').length,
    evictions: evictions.length,
    wrongEvictions: evictions.filter((eviction) => !isExcused(eviction, told.excuses)).length,
    longestQuarrel: longestQuarrel(evictions, told.excuses),
    overlapMs: longestOverlap(told),
  };
}

interface Eviction {
  readonly at: number;
  readonly phone: string;
  readonly evicted: string;
  readonly came: string;
}

/** A login that only replaces the same node's old connection does not count as an eviction. */
function evictionsIn(journal: readonly JournalEntry[]): readonly Eviction[] {
  const out = new Map<string, JournalEntry>();
  const evictions: Eviction[] = [];
  for (const entry of journal) {
    if (entry.what === 'logout') out.set(entry.phone, entry);
    if (entry.what !== 'login') continue;
    const last = out.get(entry.phone);
    out.delete(entry.phone);
    if (last?.code !== CLOSED.replaced || nodeIn(last) === nodeIn(entry)) continue;
    evictions.push({ at: last.at, phone: entry.phone, evicted: nodeIn(last), came: nodeIn(entry) });
  }
  return evictions;
}

const nodeIn = ({ deviceId }: JournalEntry): string => deviceId?.split(' ')[1] ?? '';

function isExcused({ evicted, at }: Eviction, excuses: readonly Excuse[]): boolean {
  return excuses.some(({ node, from, to }) => node === evicted && at >= from - 5 && at <= to + GRACE_MS);
}

const isStruckSince = (since: number, { evicted, at }: Eviction, excuses: readonly Excuse[]): boolean =>
  excuses.some(({ node, from }) => node === evicted && from > since && from <= at);

function longestQuarrel(evictions: readonly Eviction[], excuses: readonly Excuse[]): number {
  let longest = 0;
  for (const own of Map.groupBy(evictions, ({ phone }) => phone).values()) {
    let run = 0;
    for (const [i, eviction] of own.entries()) {
      const last = own[i - 1];
      const isTurn = last && last.evicted === eviction.came && eviction.at - last.at < QUARREL_MS;
      run = isTurn && !isStruckSince(last.at, eviction, excuses) ? run + 1 : 1;
      longest = Math.max(longest, run);
    }
  }
  return longest;
}

function longestOverlap({ spans, excuses }: Told): number {
  let longest = 0;
  for (const own of Map.groupBy(spans, ({ device }) => device).values()) {
    const inOrder = own.toSorted((a, b) => a.from - b.from);
    for (const [i, span] of inOrder.entries()) {
      for (const later of inOrder.slice(i + 1)) {
        if (later.from >= span.to) break;
        if (later.node !== span.node) longest = Math.max(longest, awakeTogether(span, later, excuses));
      }
    }
  }
  return longest;
}

/**
 * How long both connections were open, not counting the time in which either process was stalled.
 */
function awakeTogether(a: Span, b: Span, excuses: readonly Excuse[]): number {
  let pieces = [{ from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) }];
  for (const { node, why, from, to } of excuses) {
    if (why !== 'stalled' || (node !== a.node && node !== b.node)) continue;
    pieces = pieces.flatMap((piece) => [
      { from: piece.from, to: Math.min(piece.to, from) },
      { from: Math.max(piece.from, to), to: piece.to },
    ]);
    pieces = pieces.filter((piece) => piece.to > piece.from);
  }
  return pieces.reduce((sum, piece) => sum + Math.max(0, piece.to - piece.from), 0);
}
