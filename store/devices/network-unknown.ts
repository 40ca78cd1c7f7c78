import type { Collection, CollectionSpec, Store } from '../port.ts';

/** What came from the network and was not understood: how often, by name. */
export interface UnknownNames {
  readonly contents: Readonly<Record<string, number>>;
  readonly stanzas: Readonly<Record<string, number>>;
}

/** One day (UTC) of the cluster; `_id` is `YYYY-MM-DD`. */
interface UnknownRow extends Partial<UnknownNames> {
  readonly _id: string;
}

export interface NetworkUnknown {
  /** Adds to a day. Names are made of letters, digits, `_` and `-`. */
  add(day: string, counts: UnknownNames): Promise<void>;
  /** From that day on, in no order. */
  since(day: string): Promise<readonly Partial<UnknownNames>[]>;
  /** Days before that one go. */
  forget(day: string): Promise<void>;
}

const spec: CollectionSpec = { name: 'network_unknown', indexes: [] };

export function networkUnknownIn(store: Store): NetworkUnknown {
  const rows: Collection<UnknownRow> = store.collection<UnknownRow>(spec);
  return {
    async add(_id, { contents, stanzas }) {
      const within = (kind: string, counts: object) => Object.entries(counts).map(([name, n]) => [`${kind}.${name}`, n]);
      await rows.updateOne(
        { _id },
        { $inc: Object.fromEntries([...within('contents', contents), ...within('stanzas', stanzas)]) },
        { upsert: true },
      );
    },
    since: (day) => rows.find({ _id: { $gte: day } }).toArray(),
    forget: async (day) => void (await rows.deleteMany({ _id: { $lt: day } })),
  };
}
