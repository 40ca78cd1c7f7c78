import type { BucketFigures, GroupFigures, MessageCounts } from '../../../store/analytics/bucket-row.ts';

/** Adds up bucket figures over a period, in memory, and converts the sums to rates for display. */

interface ChatTally {
  firstOut: number | null;
  lastIn: number | null;
  received: number;
  isPerson: boolean;
}

export interface Tally {
  readonly counts: { -readonly [Field in keyof MessageCounts]: number };
  readonly chats: Map<string, ChatTally>;
  readonly firstReplies: number[];
}

export interface GroupTally {
  readonly counts: { -readonly [Field in keyof Omit<MessageCounts, 'received'>]: number };
  readonly chats: Map<string, number>;
  readonly firstReplies: number[];
}

export interface Figures extends MessageCounts {
  readonly delivery_rate: number | null;
  readonly read_rate: number | null;
  readonly reply_rate: number | null;
  readonly active_chats: number;
  readonly median_first_reply_ms: number | null;
}

export const newTally = (): Tally => ({
  counts: { sent: 0, received: 0, delivered: 0, read: 0, failed: 0 },
  chats: new Map(),
  firstReplies: [],
});
export const newGroupTally = (): GroupTally => ({
  counts: { sent: 0, delivered: 0, read: 0, failed: 0 },
  chats: new Map(),
  firstReplies: [],
});

export function addBucket({ counts, chats, firstReplies }: Tally, figures: BucketFigures): void {
  counts.sent += figures.sent;
  counts.received += figures.received;
  counts.delivered += figures.delivered;
  counts.read += figures.read;
  counts.failed += figures.failed;
  for (const ms of figures.first_replies) firstReplies.push(ms);
  for (const { key, first_out, last_in, received, is_person } of figures.chats) {
    const chat = chats.get(key) ?? { firstOut: null, lastIn: null, received: 0, isPerson: is_person };
    chat.firstOut = earliest(chat.firstOut, first_out);
    chat.lastIn = latest(chat.lastIn, last_in);
    chat.received += received;
    chats.set(key, chat);
  }
}

export function addGroup({ counts, chats, firstReplies }: GroupTally, group: GroupFigures): void {
  counts.sent += group.sent;
  counts.delivered += group.delivered;
  counts.read += group.read;
  counts.failed += group.failed;
  for (const ms of group.first_replies) firstReplies.push(ms);
  for (const { key, first_out } of group.chats) chats.set(key, Math.min(chats.get(key) ?? first_out, first_out));
}

export function figuresOf({ counts, chats, firstReplies }: Tally): Figures {
  const written = [...chats.values()].filter(({ firstOut, isPerson }) => isPerson && firstOut !== null);
  return shown(counts, {
    answered: written.filter(({ firstOut, lastIn }) => (lastIn ?? 0) > (firstOut ?? 0)).length,
    written: written.length,
    active: chats.size,
    firstReplies,
  });
}

export function figuresOfGroup({ counts, chats, firstReplies }: GroupTally, all: Tally): Figures {
  const written = [...chats].flatMap(([key, firstOut]) => {
    const chat = all.chats.get(key);
    return chat ? [{ ...chat, firstOut }] : [];
  });
  const people = written.filter(({ isPerson }) => isPerson);
  const received = written.reduce((sum, chat) => sum + chat.received, 0);
  return shown(
    { ...counts, received },
    {
      answered: people.filter(({ firstOut, lastIn }) => (lastIn ?? 0) > firstOut).length,
      written: people.length,
      active: chats.size,
      firstReplies,
    },
  );
}

interface Rest {
  readonly answered: number;
  readonly written: number;
  readonly active: number;
  readonly firstReplies: readonly number[];
}

function shown(counts: MessageCounts, { answered, written, active, firstReplies }: Rest): Figures {
  return {
    ...counts,
    delivery_rate: rate(counts.delivered, counts.sent),
    read_rate: rate(counts.read, counts.delivered),
    reply_rate: rate(answered, written),
    active_chats: active,
    median_first_reply_ms: medianOf(firstReplies),
  };
}

const rate = (part: number, whole: number): number | null => (whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000);

function medianOf(values: readonly number[]): number | null {
  const sorted = Float64Array.from(values).sort();
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : Math.round(((sorted[middle - 1] ?? upper) + upper) / 2);
}

const earliest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
const latest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);
