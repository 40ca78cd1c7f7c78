import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from './collection.ts';

/** Work that goes round over something large, a part at a time, on one node at once; another one goes on where it was left. */
export interface Round {
  /** The last place that was done; null: it begins. */
  readonly after: string | null;
  /** Counts the parts: whoever took one may save it unless somebody else took the next. */
  readonly part: number;
}

export interface Rounds {
  /** The next part, if it is due; nobody else gets it before `until`. Null: not due, or with somebody else. */
  take(name: string, until: number, now: number): Promise<Round | null>;
  /** Done up to `after` (null: the round is over); the next part is due at `dueAt`. */
  save(name: string, round: Round, after: string | null, dueAt: number): Promise<void>;
}

interface RoundRow extends Round {
  readonly _id: string;
  readonly due_at: number;
}

const spec: CollectionSpec = { name: 'rounds', indexes: [] };

export function roundsIn(store: Store): Rounds {
  const rounds: Collection<RoundRow> = store.collection<RoundRow>(spec);
  return {
    async take(_id, until, now) {
      const taken = await rounds.findOneAndUpdate(
        { _id, due_at: { $lte: now } },
        { $set: { due_at: until }, $inc: { part: 1 } },
        { returnDocument: 'after' },
      );
      if (taken) return taken;
      try {
        const first = { _id, after: null, part: 1, due_at: until };
        await rounds.insertOne(first);
        return first;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return null;
      }
    },

    save: async (_id, { part }, after, due_at) => void (await rounds.updateOne({ _id, part }, { $set: { after, due_at } })),
  };
}
