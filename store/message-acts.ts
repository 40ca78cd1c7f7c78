import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from './collection.ts';
import type { MessageRow, Owner } from './message-row.ts';
import { messagesSpec } from './messages.ts';

/** An edit or a deletion that somebody made of a message; it may come before the message does. */
export interface ActRow {
  /** `<device>:<network id of the act>`. */
  readonly _id: string;
  readonly session_id: string;
  /** The network id of the act, and of the message that it is done to. */
  readonly net_id: string;
  readonly target: string;
  readonly kind: 'edited' | 'deleted';
  readonly body: string | null;
  /** Who may have made it, under each of their addresses; null: this device's own number. */
  readonly by: readonly string[] | null;
  /** In a group, an admin may delete what others wrote. */
  readonly of_group: boolean;
  /** Epoch ms. */
  readonly at: number;
  readonly expires_at: number;
}

export interface MessageActs {
  /**
   * Does it to its message: of two edits the later one holds, a deletion is final, and what its maker may not do changes nothing. False: there is
   * no such message yet.
   */
  apply(owner: Owner, act: ActRow): Promise<boolean>;
  /** Keeps it for a message that has not come yet, for a week. */
  keep(act: ActRow): Promise<void>;
  /** What was kept for this message, in the order in which it was done. */
  kept(sessionId: string, target: string): Promise<ActRow[]>;
  forget(acts: readonly ActRow[]): Promise<void>;
  /** Inbound messages of a chat after `afterId` up to `upToId`, the newest `limit`. */
  heard(sessionId: string, chatId: string, afterId: string, upToId: string, limit: number): Promise<MessageRow[]>;
  /** Reactions to a message, oldest first. */
  reactions(sessionId: string, target: string): Promise<MessageRow[]>;
}

const spec: CollectionSpec = {
  name: 'early_acts',
  indexes: [{ name: 'of_message', keys: { session_id: 1, target: 1 } }],
  expires: 'expires_at',
};

const MOST_REACTIONS = 1_000;
const OWES = { owes: true } as const;
const CHANGED = { rev: 1 } as const;

export function messageActsIn(store: Store): MessageActs {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);
  const early: Collection<ActRow> = store.collection<ActRow>(spec);

  return {
    async apply({ sessionId, epoch }, act) {
      const message = { session_id: sessionId, net_id: act.target };
      const filter = { ...message, epoch: { $lte: epoch }, ...permission(act), ...(act.kind === 'edited' ? isOlder(act) : undeleted) };
      const { matchedCount } = await messages.updateOne(filter, { $set: { ...changeOf(act), ...OWES }, $inc: CHANGED });
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

    forget: async (acts) => void (acts.length > 0 && (await early.deleteMany({ _id: { $in: acts.map(({ _id }) => _id) } }))),

    heard: (session_id, chat_id, afterId, upToId, limit) =>
      messages
        .find(
          { session_id, chat_id, direction: 'inbound', _id: { $gt: afterId, $lte: upToId }, message_type: { $ne: 'reaction' } },
          { sort: { _id: -1 }, limit },
        )
        .toArray(),

    reactions: (session_id, target) =>
      messages
        .find({ session_id, message_type: 'reaction', 'parts.reaction.target': target }, { sort: { _id: 1 }, limit: MOST_REACTIONS })
        .toArray(),
  };
}

const undeleted: Filter = { status: { $ne: 'deleted' } };

/** Of two edits of one moment the one that comes later holds; a copy of the same one is no change. */
const isOlder = ({ at, net_id }: ActRow): Filter => ({
  ...undeleted,
  edit_id: { $ne: net_id },
  $or: [{ edited_at: null }, { edited_at: { $lte: at } }],
});

function permission({ by, kind, of_group }: ActRow): Filter {
  if (by === null) return { direction: 'outbound' };
  if (kind === 'deleted' && of_group) return {};
  return { direction: 'inbound', sender: { $in: by } };
}

function changeOf({ kind, body, at, net_id }: ActRow): Readonly<Record<string, unknown>> {
  if (kind === 'edited') return { body, edited_at: at, edit_id: net_id };
  return { status: 'deleted', body: null, parts: {}, media_r2_key: null, left_file: null, deleted_at: at };
}
