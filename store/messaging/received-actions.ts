import type { SafeText } from '../../runtime/safe-text.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';
import type { MessageRow, Owner } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';
import { messagesSpec } from './messages.ts';
import { FIRST, nameFilter, TWINS } from './net-ids.ts';
import { EMPTIED } from './vanishing.ts';

/** An edit or a deletion of a message; it may arrive before the message. */
export interface ReceivedActionRow {
  /** `<device>:<chat>:<who made it>:<network id of the act>`: senders choose network ids. Of an act of ours: its own id. */
  readonly _id: string;
  readonly session_id: string;
  /** The network id of the act, and of the message that it is done to. */
  readonly net_id: string;
  readonly target: string;
  readonly kind: 'edited' | 'deleted';
  readonly body: SafeText | null;
  /** Who may have made it, under each of their addresses; null: this device's own number. */
  readonly by: readonly string[] | null;
  /** Where it was made, under each address of the chat. Absent: anywhere. */
  readonly chats?: readonly string[];
  /** Its maker may delete messages of others in these chats. */
  readonly moderates?: boolean;
  /** Who wrote the message that a moderator deletes, as the act says, under each of their addresses; null: this device's own number. Absent: not said. */
  readonly author?: readonly string[] | null;
  /** Of an edit: the message was not written before then, epoch ms. Polls and events may be edited later. */
  readonly since?: number;
  /** Epoch ms. */
  readonly at: number;
  readonly expires_at: number;
}

export interface ReceivedActions {
  /**
   * Does it to its message: of two edits the later one holds, a deletion is final, and an edit that came too late changes nothing. False: there is
   * no message with this id, in this chat, that its maker may do it to.
   */
  apply(owner: Owner, act: ReceivedActionRow): Promise<boolean>;
  /** Keeps it for a message that has not come yet, for a week. */
  keep(act: ReceivedActionRow): Promise<void>;
  /** The actions kept for this message, in their order. */
  kept(sessionId: string, target: string): Promise<ReceivedActionRow[]>;
  forget(actions: readonly ReceivedActionRow[]): Promise<void>;
  /** Inbound messages of a chat after `afterId` up to `upToId`, the newest `limit`. */
  received(sessionId: string, chatId: string, afterId: string, upToId: string, limit: number): Promise<MessageRow[]>;
  /** Reactions to a message in its chat, oldest first. */
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
      const change = changed(changeOf(act));
      const due = act.kind === 'edited' ? [isOlder(act), isInTime(act)] : [DELETE.from];
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

    kept: (session_id, target) => early.find({ session_id, target }, { sort: { at: 1 } }).toArray(),

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
      // To another message of the chat with the same network id.
      const isOfOther = ({ parts: { reaction } }: MessageRow): boolean => (reaction?.message_id ?? _id) !== _id;
      return newestFirst.toReversed().filter((row) => !isOfOther(row));
    },
  };
}

/** Of two edits of one moment the one that comes later holds; a copy of the same one is no change. */
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

/** The message was written, as the network says, when it could still be edited. Its own clock counts for both. */
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

function changeOf({ kind, body, at, net_id }: ReceivedActionRow): Readonly<Record<string, unknown>> {
  if (kind === 'edited') return { body, edited_at: at, edit_id: net_id };
  return { ...DELETE.to, ...EMPTIED, deleted_at: at };
}
