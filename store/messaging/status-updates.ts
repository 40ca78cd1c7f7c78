import { at } from '../../runtime/invariant.ts';
import type { Collection, Store } from '../port.ts';
import type { MessageRow, Owner } from './message-row.ts';
import { changed, messageMove, milestonesOf } from './message-status.ts';
import { FIRST } from './net-ids.ts';
import { isToOneOf, type Receipted, type WireIds } from './wire-ids.ts';

export interface GivenNames {
  readonly serverId?: string;
  readonly wireId?: string;
}

/**
 * Either an ack, which contains our message ids, or a receipt, which contains network ids. An ack
 * with `GivenNames` has a single id.
 */
export type StatusUpdate =
  | ({ readonly status: 'sent'; readonly ids: readonly string[]; readonly at: number } & GivenNames)
  | ({ readonly status: 'delivered' | 'read'; readonly at: number } & Receipted);

export interface MessageMove {
  readonly before: MessageRow;
  readonly after: MessageRow;
}

export interface StatusUpdates {
  /** Applies updates in order, in one commit if possible. A `read` is never undone. */
  mark(owner: Owner, words: readonly StatusUpdate[]): Promise<void>;
  moves(owner: Owner, words: readonly StatusUpdate[]): Promise<readonly MessageMove[] | null>;
  moved(owner: Owner, move: MessageMove): Promise<void>;
}

const FOLLOWED_TOGETHER = 50;

const MOVES = { sent: messageMove('sent'), delivered: messageMove('delivered'), read: messageMove('read') } as const;

export function statusUpdatesIn(store: Pick<Store, 'name'>, messages: Collection<MessageRow>, wireIds: WireIds): StatusUpdates {
  async function mark({ epoch }: Owner, word: StatusUpdate, ids: readonly string[]): Promise<void> {
    const { status, at: moment } = word;
    const { from, to } = MOVES[status];
    const filter = { ...from, epoch: { $lte: epoch } };
    const { serverId, wireId }: GivenNames = word.status === 'sent' ? word : {};
    const numbered = { ...(serverId !== undefined && { server_id: serverId }), ...(wireId !== undefined && { net_id: wireId }) };
    const update = changed({ ...to, [`${status}_at`]: moment, ...numbered });
    if (ids.length === 1) await messages.updateOne({ _id: at(ids, 0), ...filter }, update);
    else if (ids.length > 0) await messages.updateMany({ _id: { $in: ids }, ...filter }, update);
  }

  /** Finds only our own messages, because other people's messages may have the same network ids. */
  async function meantBy(sessionId: string, word: StatusUpdate): Promise<readonly string[]> {
    if (word.status === 'sent') return word.ids;
    const known = wireIds.of(sessionId, word);
    if (known) return known;
    const ours = { session_id: sessionId, net_id: { $in: word.netIds }, ...FIRST, direction: 'outbound' };
    const rows = await messages.find(ours, { projection: { net_id: 1, chat_id: 1 } }).toArray();
    const chats = new Map(word.netIds.map((netId, nth) => [netId, word.chats?.[nth]]));
    return rows.filter((row) => isToOneOf(row.chat_id, chats.get(row.net_id))).map(({ _id }) => _id);
  }

  function idsOf(sessionId: string, word: StatusUpdate): readonly string[] | null {
    if (word.status !== 'sent') return wireIds.of(sessionId, word);
    return word.serverId === undefined && word.wireId === undefined ? word.ids : null;
  }

  return {
    async moves({ sessionId, epoch }, words) {
      const meant = words.map((word) => ({ word, ids: idsOf(sessionId, word) }));
      const ids = new Set<string>();
      for (const { ids: own } of meant) {
        if (own === null) return null;
        for (const id of own) ids.add(id);
      }
      if (ids.size > FOLLOWED_TOGETHER) return null;
      const rows = await messages.find({ _id: { $in: [...ids] } }).toArray();
      const owned = rows.filter((row) => row.epoch <= epoch);
      const moves = owned.map((before) => ({
        before,
        after: meant.reduce((row, { word, ids }) => (ids?.includes(row._id) ? after(row, word) : row), before),
      }));
      return moves.filter(({ before, after }) => after !== before);
    },

    async moved({ epoch }, { before, after }) {
      const { status, sent_at, delivered_at, read_at, rev } = after;
      const done = { outbox_pending: false, processed: milestonesOf(after) };
      await messages.updateOne(
        { _id: before._id, rev: before.rev, status: before.status, epoch: { $lte: epoch } },
        { $set: { status, sent_at, delivered_at, read_at, rev, ...done } },
      );
    },

    async mark(owner, words) {
      const { sessionId } = owner;
      const known = words.map((word) => (word.status === 'sent' ? word.ids : wireIds.of(sessionId, word)));
      // A networked store may reorder writes, so each write to it waits for the previous one.
      if (store.name === 'embedded' && known.every((ids) => ids !== null))
        await Promise.all(words.map((word, nth) => mark(owner, word, known[nth] ?? [])));
      else for (const word of words) await mark(owner, word, await meantBy(sessionId, word));
    },
  };
}

function after(row: MessageRow, { status, at: moment }: StatusUpdate): MessageRow {
  const { from, to } = MOVES[status];
  const isSo = typeof from.status === 'string' ? row.status === from.status : from.status.$in.includes(row.status);
  return isSo ? { ...row, ...to, [`${status}_at`]: moment, rev: row.rev + 1 } : row;
}
