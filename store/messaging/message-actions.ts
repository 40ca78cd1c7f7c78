import type { SafeText } from '../../runtime/safe-text.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import type { Owner } from './message-row.ts';

export interface MessageAction {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly kind: 'react' | 'edit' | 'erase';
  readonly value: SafeText;
  readonly message_id: string;
  readonly chat_id: string;
  readonly target: string;
  readonly from: string | null;
  readonly server_id?: string;
  readonly audience?: readonly string[];
  readonly net_id: string;
  /** Epoch of the owner that performs the action, or 0 if no owner has claimed it. */
  readonly epoch: number;
  readonly created_at: number;
}

export interface MessageActions {
  intend(owner: Owner, action: MessageAction): Promise<void>;
  /** Returns the oldest actions first. An earlier owner can no longer complete them. */
  retake(owner: Owner, limit: number): Promise<MessageAction[]>;
  over(owner: Owner, id: string): Promise<void>;
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
