import type { Collection, CollectionSpec, Store } from '../port.ts';
import type { MoveError, MoveStatus } from './moving-login.ts';

export type Counts = Readonly<Record<string, number>>;

export interface DroppedRecord {
  readonly kind: string;
  readonly id: string;
  readonly why: string;
}

/**
 * Contains no secrets of the login. When the next move-in starts, the progress of this one is
 * copied here.
 */
export interface MoveInRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly status: MoveStatus;
  readonly accepted: Counts;
  readonly dropped: readonly DroppedRecord[];
  readonly dropped_count: number;
  readonly ignored: Counts;
  readonly error: MoveError | null;
  readonly created_at: number;
  readonly expires_at: number;
}

export interface MoveIns {
  add(row: MoveInRow): Promise<void>;
  find(tenantId: string, sessionId: string, id: string, now: number): Promise<MoveInRow | null>;
  note(id: string, status: MoveStatus, error: MoveError | null): Promise<void>;
}

const spec: CollectionSpec = { name: 'move_ins', indexes: [{ name: 'by_device', keys: { session_id: 1 } }], expires: 'expires_at' };

export function moveInsIn(store: Store): MoveIns {
  const rows: Collection<MoveInRow> = store.collection<MoveInRow>(spec);
  return {
    add: async (row) => void (await rows.insertOne(row)),
    find: (tenant_id, session_id, _id, now) => rows.findOne({ _id, tenant_id, session_id, expires_at: { $gt: now } }),
    note: async (_id, status, error) => void (await rows.updateOne({ _id }, { $set: { status, error } })),
  };
}
