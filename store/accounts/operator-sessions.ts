import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface OperatorSessionRow {
  readonly _id: string;
  readonly name: string;
  readonly range: string;
  readonly seen_at: number;
  readonly expires_at: number;
}

export interface OperatorSessions {
  open(row: OperatorSessionRow): Promise<void>;
  use(asked: Pick<OperatorSessionRow, '_id' | 'name' | 'range'>, idleMs: number, now: number): Promise<boolean>;
  endAll(): Promise<void>;
}

const spec: CollectionSpec = { name: 'operator_sessions', indexes: [], expires: 'expires_at' };

export function operatorSessionsIn(store: Store): OperatorSessions {
  const sessions: Collection<OperatorSessionRow> = store.collection<OperatorSessionRow>(spec);
  return {
    open: async (row) => void (await sessions.insertOne(row)),
    use: async ({ _id, name, range }, idleMs, now) =>
      (await sessions.updateOne({ _id, name, range, expires_at: { $gt: now }, seen_at: { $gt: now - idleMs } }, { $set: { seen_at: now } }))
        .matchedCount === 1,
    endAll: async () => void (await sessions.deleteMany({ expires_at: { $gt: 0 } })),
  };
}
