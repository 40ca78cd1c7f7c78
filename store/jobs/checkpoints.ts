import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** Work that goes round over something large, a part at a time, on one node at once; another one goes on where it was left. */
export interface Checkpoint {
  /** The last place that was done; null: it begins. */
  readonly after: string | null;
  /** Counts the parts: the taker of a part may save it unless the next one was taken meanwhile. */
  readonly part: number;
}

export interface Checkpoints {
  /** The next part, if it is due; it is reserved until `until`. Null: not due, or reserved by another caller. */
  take(name: string, until: number, now: number): Promise<Checkpoint | null>;
  /** Done up to `after` (null: the round is over); the next part is due at `dueAt`. */
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

    save: async (_id, { part }, after, due_at) => void (await checkpoints.updateOne({ _id, part }, { $set: { after, due_at } })),
  };
}
