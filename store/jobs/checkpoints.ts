import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** Progress of recurring work over a large set. The work is done in parts, on one node at a time. */
export interface Checkpoint {
  readonly after: string | null;
  /** The process that claimed a part may save it until the next part is claimed. */
  readonly part: number;
}

export interface Checkpoints {
  take(name: string, until: number, now: number): Promise<Checkpoint | null>;
  renew(name: string, round: Checkpoint, until: number): Promise<boolean>;
  save(name: string, round: Checkpoint, after: string | null, dueAt: number): Promise<void>;
}

interface CheckpointRow extends Checkpoint {
  readonly _id: string;
  readonly due_at: number;
}

const spec: CollectionSpec = { name: 'checkpoints', indexes: [] };

export function checkpointsIn(store: Store): Checkpoints {
  const checkpoints: Collection<CheckpointRow> = store.collection<CheckpointRow>(spec);
  return {
    async take(_id, until, now) {
      const taken = await checkpoints.findOneAndUpdate(
        { _id, due_at: { $lte: now } },
        { $set: { due_at: until }, $inc: { part: 1 } },
        { returnDocument: 'after' },
      );
      if (taken) return taken;
      try {
        const first = { _id, after: null, part: 1, due_at: until };
        await checkpoints.insertOne(first);
        return first;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return null;
      }
    },

    renew: async (_id, { part }, due_at) => (await checkpoints.updateOne({ _id, part }, { $set: { due_at } })).matchedCount === 1,

    save: async (_id, { part }, after, due_at) => void (await checkpoints.updateOne({ _id, part }, { $set: { after, due_at } })),
  };
}
