import type { Page } from '../paging/page.ts';
import { olderThan } from '../paging/page.ts';
import { insertPlaced, type Placed, placesIndex } from '../patterns/places.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export type Strategy = 'round_robin' | 'least_recent' | 'random';

export interface RotatorRow extends Placed {
  readonly _id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly session_ids: readonly string[];
  readonly strategy: Strategy;
  readonly last: string | null;
  readonly used: Readonly<Record<string, number>>;
  readonly rev: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export type RotatorPatch = Partial<Pick<RotatorRow, 'name' | 'session_ids' | 'strategy'>>;

interface RotatorChatRow {
  readonly _id: string;
  readonly rotator_id: string;
  readonly session_id: string;
}

export interface Rotators {
  createWithin(row: RotatorRow, limit: number): Promise<boolean>;
  find(tenantId: string, id: string): Promise<RotatorRow | null>;
  list(tenantId: string, page: Page): AsyncIterable<RotatorRow>;
  change(tenantId: string, id: string, patch: RotatorPatch, now: number): Promise<RotatorRow | null>;
  remove(tenantId: string, id: string): Promise<boolean>;
  turn(row: RotatorRow, sessionId: string, now: number): Promise<boolean>;
  deviceOf(rotatorId: string, chat: string): Promise<string | null>;
  /** `was` is null for an unassigned chat. Returns the device that the chat has afterwards. */
  give(rotatorId: string, chat: string, was: string | null, sessionId: string): Promise<string>;
}

const spec: CollectionSpec = {
  name: 'rotators',
  indexes: [{ name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } }, placesIndex()],
};
const rotatorChatsSpec: CollectionSpec = { name: 'rotator_chats', indexes: [{ name: 'of_rotator', keys: { rotator_id: 1 } }] };

const AFTER = { returnDocument: 'after' } as const;

export function rotatorsIn(store: Store): Rotators {
  const rotators: Collection<RotatorRow> = store.collection<RotatorRow>(spec);
  const chats: Collection<RotatorChatRow> = store.collection<RotatorChatRow>(rotatorChatsSpec);

  const deviceOf = async (rotatorId: string, chat: string): Promise<string | null> =>
    (await chats.findOne({ _id: `${rotatorId}:${chat}` }))?.session_id ?? null;

  return {
    createWithin: (row, limit) => insertPlaced(rotators, row, limit),
    find: (tenant_id, _id) => rotators.findOne({ _id, tenant_id }),

    list: (tenant_id, page) => rotators.find({ tenant_id, ...olderThan(page) }, { sort: { created_at: -1, _id: -1 }, limit: page.limit }),

    change: (tenant_id, _id, patch, updated_at) =>
      rotators.findOneAndUpdate({ _id, tenant_id }, { $set: { ...patch, updated_at }, $inc: { rev: 1 } }, AFTER),

    async remove(tenant_id, _id) {
      const { deletedCount } = await rotators.deleteOne({ _id, tenant_id });
      if (deletedCount === 1) await chats.deleteMany({ rotator_id: _id });
      return deletedCount === 1;
    },

    async turn({ _id, rev }, sessionId, now) {
      const update = { $set: { last: sessionId, [`used.${sessionId}`]: now }, $inc: { rev: 1 } };
      return (await rotators.updateOne({ _id, rev }, update)).matchedCount === 1;
    },

    deviceOf,

    async give(rotator_id, chat, was, session_id) {
      const _id = `${rotator_id}:${chat}`;
      if (was === null) {
        try {
          await chats.insertOne({ _id, rotator_id, session_id });
          return session_id;
        } catch (cause) {
          if (!isDuplicateKey(cause)) throw cause;
          return (await deviceOf(rotator_id, chat)) ?? session_id;
        }
      }
      const given = await chats.findOneAndUpdate({ _id, session_id: was }, { $set: { session_id } }, AFTER);
      return given?.session_id ?? (await deviceOf(rotator_id, chat)) ?? session_id;
    },
  };
}
