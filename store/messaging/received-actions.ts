import type { SafeText } from '../../runtime/safe-text.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';
import type { MessageRow, Owner } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';
import { messagesSpec } from './messages.ts';
import { EMPTIED } from './vanishing.ts';

/** An edit or a deletion of a message; it may arrive before the message. */
export interface ReceivedActionRow {
  /** `<device>:<network id of the act>`. */
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
  /** Epoch ms. */
  readonly at: number;
  readonly expires_at: number;
}

export interface ReceivedActions {
  /**
   * Does it to its message: of two edits the later one holds, a deletion is final, and what its maker may not do changes nothing. False: there is
   * no such message yet.
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
  reactions(message: Pick<MessageRow, 'session_id' | 'chat_id' | 'net_id'>): Promise<MessageRow[]>;
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
      const message = { session_id: sessionId, net_id: act.target };
      const filter = { ...message, epoch: { $lte: epoch }, ...permission(act), ...(act.kind === 'edited' ? isOlder(act) : DELETE.from) };
      const { matchedCount } = await messages.updateOne(filter, changed(changeOf(act)));
      return matchedCount === 1 || (await messages.findOne(message, { projection: { _id: 1 } })) !== null;
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

    async reactions({ session_id, chat_id, net_id }) {
      const target = { session_id, chat_id, message_type: 'reaction', 'parts.reaction.target': net_id };
      const newestFirst = await messages.find(target, { sort: { _id: -1 }, limit: MAX_REACTIONS }).toArray();
      return newestFirst.toReversed();
    },
  };
}

/** Of two edits of one moment the one that comes later holds; a copy of the same one is no change. */
const isOlder = ({ at, net_id }: ReceivedActionRow): Filter => ({
  status: { $ne: 'deleted' },
  edit_id: { $ne: net_id },
  $or: [{ edited_at: null }, { edited_at: { $lte: at } }],
});

function permission({ by, kind, chats, moderates = false }: ReceivedActionRow): Filter {
  const there = chats && { chat_id: { $in: chats } };
  if (kind === 'deleted' && moderates && there) return there;
  return by === null ? { direction: 'outbound' } : { direction: 'inbound', sender: { $in: by }, ...there };
}

function changeOf({ kind, body, at, net_id }: ReceivedActionRow): Readonly<Record<string, unknown>> {
  if (kind === 'edited') return { body, edited_at: at, edit_id: net_id };
  return { ...DELETE.to, ...EMPTIED, deleted_at: at };
}
