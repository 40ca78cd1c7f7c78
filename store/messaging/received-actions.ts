import type { SafeText } from '../../runtime/safe-text.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store, type Update } from '../port.ts';
import type { MessageRow, Owner } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';
import { messagesSpec } from './messages.ts';
import { FIRST, nameFilter, TWINS } from './net-ids.ts';
import { EMPTIED } from './vanishing.ts';

/** An edit, deletion or star of a message, which may arrive before the message. */
export interface ReceivedActionRow {
  /** `<device>:<chat>:<actor>:<network id>`. The network id alone is not unique, because senders choose it. */
  readonly _id: string;
  readonly session_id: string;
  readonly net_id: string;
  readonly target: string;
  readonly kind: 'edited' | 'deleted' | 'starred' | 'unstarred' | 'removed';
  readonly body: SafeText | null;
  /** Addresses of the author whose message may be changed, or null for this device's own number. */
  readonly by: readonly string[] | null;
  readonly chats?: readonly string[];
  /** True if the actor may delete other people's messages in these chats. */
  readonly moderates?: boolean;
  /** The stated author of a message that a moderator deletes, or null for our number. */
  readonly author?: readonly string[] | null;
  /** For an edit: messages sent before this time cannot be edited, except polls and events. */
  readonly since?: number;
  readonly at: number;
  readonly expires_at: number;
}

export interface ReceivedActions {
  /**
   * The later of two edits or stars wins. Deletions are final, and edits made too late are ignored.
   */
  apply(owner: Owner, act: ReceivedActionRow): Promise<boolean>;
  keep(act: ReceivedActionRow): Promise<void>;
  kept(sessionId: string, targets: readonly string[]): Promise<ReceivedActionRow[]>;
  forget(actions: readonly ReceivedActionRow[]): Promise<void>;
  received(sessionId: string, chatId: string, afterId: string, upToId: string, limit: number): Promise<MessageRow[]>;
  reactions(message: Pick<MessageRow, '_id' | 'session_id' | 'chat_id' | 'net_id'>): Promise<MessageRow[]>;
}

const spec: CollectionSpec = {
  name: 'received_actions',
  indexes: [{ name: 'of_message', keys: { session_id: 1, target: 1, at: 1 } }],
  expires: 'expires_at',
};

const MAX_REACTIONS = 1_000;
const DELETE = messageMove('deleted');

export function receivedActionsIn(store: Store): ReceivedActions {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);
  const early: Collection<ReceivedActionRow> = store.collection<ReceivedActionRow>(spec);

  return {
    async apply({ sessionId, epoch }, act) {
      const [change, due] = [updateOf(act), dueOf(act)];
      let isThere = false;
      for (const slot of [FIRST, TWINS]) {
        const message = { session_id: sessionId, net_id: act.target, ...slot, $and: [permission(act)] };
        const { matchedCount } = await messages.updateOne({ ...message, epoch: { $lte: epoch }, $and: [permission(act), ...due] }, change);
        if (matchedCount === 1) return true;
        isThere ||= (await messages.findOne(message, { projection: { _id: 1 } })) !== null;
      }
      return isThere;
    },

    async keep(act) {
      try {
        await early.insertOne(act);
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    kept: (session_id, targets) => early.find({ session_id, target: { $in: [...targets] } }, { sort: { at: 1 } }).toArray(),

    forget: async (actions) => void (actions.length > 0 && (await early.deleteMany({ _id: { $in: actions.map(({ _id }) => _id) } }))),

    received: (session_id, chat_id, afterId, upToId, limit) =>
      messages
        .find(
          { session_id, chat_id, direction: 'inbound', _id: { $gt: afterId, $lte: upToId }, message_type: { $ne: 'reaction' } },
          { sort: { _id: -1 }, limit },
        )
        .toArray(),

    async reactions({ _id, session_id, chat_id, net_id }) {
      const target = { session_id, chat_id, message_type: 'reaction', 'parts.reaction.target': net_id };
      const newestFirst = await messages.find(target, { sort: { _id: -1 }, limit: MAX_REACTIONS }).toArray();
      const isOfOther = ({ parts: { reaction } }: MessageRow): boolean => (reaction?.message_id ?? _id) !== _id;
      return newestFirst.toReversed().filter((row) => !isOfOther(row));
    },
  };
}

/** At equal times, the action that arrives later wins. The same action never matches twice. */
const isOlder = ({ at, net_id }: ReceivedActionRow): Filter => ({
  status: { $ne: 'deleted' },
  edit_id: { $ne: net_id },
  $or: [{ edited_at: null }, { edited_at: { $lte: at } }],
});

function permission({ by, kind, chats, moderates = false, author }: ReceivedActionRow): Filter {
  const there = chats && { chats };
  if (kind === 'deleted' && moderates && there) return nameFilter({ ...there, ...(author !== undefined && { by: author }) });
  return nameFilter({ ...there, by });
}

/** Matches messages that could still be edited when the edit was written, by the network's clock. */
function isInTime({ since }: ReceivedActionRow): Filter {
  if (since === undefined) return {};
  const late = { $gte: since };
  return {
    $or: [
      { direction: 'outbound', sent_at: late },
      { direction: 'inbound', told_at: late },
      { direction: 'inbound', told_at: null, created_at: late },
      { message_type: 'poll' },
      { 'parts.kind': 'event' },
    ],
  };
}

function dueOf(act: ReceivedActionRow): readonly Filter[] {
  switch (act.kind) {
    case 'edited':
      return [isOlder(act), isInTime(act)];
    case 'deleted':
      return [DELETE.from];
    case 'removed':
      return [{ removed_at: null }];
    default:
      return [{ $or: [{ starred_at: null }, { starred_at: { $lt: act.at } }] }];
  }
}

function updateOf({ kind, body, at, net_id }: ReceivedActionRow): Update {
  switch (kind) {
    case 'edited':
      return changed({ body, edited_at: at, edit_id: net_id });
    case 'deleted':
      return changed({ ...DELETE.to, ...EMPTIED, deleted_at: at });
    case 'removed':
      return { $set: { removed_at: at } };
    default:
      return { $set: { starred: kind === 'starred', starred_at: at } };
  }
}
