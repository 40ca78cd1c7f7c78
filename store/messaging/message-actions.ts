import type { SafeText } from '../../runtime/safe-text.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import type { Owner } from './message-row.ts';

/** Something that this device is to do to a message: kept until the network has taken it and its message says so. Times are epoch ms. */
export interface MessageAction {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly kind: 'react' | 'edit' | 'erase';
  /** The emoji, or the new text. */
  readonly value: SafeText;
  /** Of the message: our id, its chat, its network id, and who wrote it (null: we did). */
  readonly message_id: string;
  readonly chat_id: string;
  readonly target: string;
  readonly from: string | null;
  /** Of a post in a channel. */
  readonly server_id?: string;
  /** Of a status: whom it was shown to. */
  readonly audience?: readonly string[];
  /** Its own network id, the same on every try. */
  readonly net_id: string;
  /** Of the owner that has it in hand; 0: none has yet. */
  readonly epoch: number;
  readonly created_at: number;
}

export interface MessageActions {
  /** Resolves when it is durable; again is no change. */
  intend(owner: Owner, action: MessageAction): Promise<void>;
  /** Takes over the pending actions of this device, oldest first: an earlier owner can no longer end them. */
  retake(owner: Owner, limit: number): Promise<MessageAction[]>;
  /** Unless a later owner has it. */
  over(owner: Owner, id: string): Promise<void>;
  /** The device is gone. */
  forget(sessionId: string): Promise<void>;
}

const spec: CollectionSpec = { name: 'message_actions', indexes: [{ name: 'of_device', keys: { session_id: 1, _id: 1 } }] };

export function messageActionsIn(store: Store): MessageActions {
  const actions: Collection<MessageAction> = store.collection<MessageAction>(spec);

  return {
    async intend({ epoch }, action) {
      try {
        await actions.insertOne({ ...action, epoch });
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    async retake({ tenantId, sessionId, epoch }, limit) {
      const found = await actions.find({ session_id: sessionId, tenant_id: tenantId }, { sort: { _id: 1 }, limit }).toArray();
      if (found.length === 0) return [];
      const ids = { _id: { $in: found.map(({ _id }) => _id) } };
      await actions.updateMany({ ...ids, epoch: { $lte: epoch } }, { $set: { epoch } });
      return actions.find({ ...ids, epoch }, { sort: { _id: 1 } }).toArray();
    },

    over: async ({ epoch }, _id) => void (await actions.deleteOne({ _id, epoch: { $lte: epoch } })),

    forget: async (session_id) => void (await actions.deleteMany({ session_id })),
  };
}
