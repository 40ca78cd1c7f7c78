import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import { type MessageRow, messagesSpec } from './messages.ts';

export interface MemberTimes {
  readonly delivered?: number;
  readonly read?: number;
  readonly played?: number;
}

/** Receipts of a chat's last `KEPT_MESSAGES` messages only, so that large groups remain cheap. */
export interface MemberReceiptsRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly chat_id: string;
  readonly created_at: number;
  readonly members: Readonly<Record<string, MemberTimes>>;
}

export type OfMessage = Pick<MemberReceiptsRow, 'tenant_id' | 'session_id' | 'chat_id' | 'created_at'> & { readonly net_id: string };

export interface MemberReceipts {
  add(message: OfMessage, times: ReadonlyMap<string, MemberTimes>): Promise<void>;
  isRecent(message: Pick<MessageRow, 'session_id' | 'chat_id' | 'created_at'>): Promise<boolean>;
  of(sessionId: string, netId: string): Promise<ReadonlyMap<string, MemberTimes>>;
}

const KEPT_MESSAGES = 100;

const spec: CollectionSpec = {
  name: 'member_receipts',
  indexes: [{ name: 'of_chat', keys: { session_id: 1, chat_id: 1, created_at: -1, _id: -1 } }],
};

const NEWEST_FIRST = { created_at: -1, _id: -1 } as const;
const STAGES = ['delivered', 'read', 'played'] as const;

/** A field name without dots: `n628…` for numbers, `l1…` for hidden addresses. */
const keyOf = (address: string): string => `${address.endsWith('@lid') ? 'l' : 'n'}${address.slice(0, address.search(/[:@]/))}`;
const addressOf = (key: string): string => `${key.slice(1)}@${key.startsWith('l') ? 'lid' : 's.whatsapp.net'}`;

export function memberReceiptsIn(store: Store): MemberReceipts {
  const rows: Collection<MemberReceiptsRow> = store.collection<MemberReceiptsRow>(spec);
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);

  async function inserted(row: MemberReceiptsRow): Promise<boolean> {
    try {
      await rows.insertOne(row);
      return true;
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      return false;
    }
  }

  async function forgetOlder(session_id: string, chat_id: string): Promise<void> {
    const page = { sort: NEWEST_FIRST, skip: KEPT_MESSAGES, limit: KEPT_MESSAGES, projection: { _id: 1 } } as const;
    const old = await rows.find({ session_id, chat_id }, page).toArray();
    if (old.length > 0) await rows.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
  }

  return {
    async add({ net_id, ...message }, times) {
      const _id = `${message.session_id}:${net_id}`;
      const named = [...times].map(([address, own]) => [keyOf(address), own] as const);
      if (await inserted({ _id, ...message, members: Object.fromEntries(named) })) return forgetOlder(message.session_id, message.chat_id);
      const known = (await rows.findOne({ _id }))?.members ?? {};
      const news = named.flatMap(([key, own]) =>
        STAGES.flatMap((stage) =>
          own[stage] !== undefined && known[key]?.[stage] === undefined ? [[`members.${key}.${stage}`, own[stage]] as const] : [],
        ),
      );
      if (news.length > 0) await rows.updateOne({ _id }, { $set: Object.fromEntries(news) });
    },

    async isRecent({ session_id, chat_id, created_at }) {
      const newer = { session_id, chat_id, created_at: { $gt: created_at } };
      return (await messages.countDocuments(newer, { limit: KEPT_MESSAGES })) < KEPT_MESSAGES;
    },

    async of(sessionId, netId) {
      const row = await rows.findOne({ _id: `${sessionId}:${netId}` });
      return new Map(Object.entries(row?.members ?? {}).map(([key, times]) => [addressOf(key), times]));
    },
  };
}
