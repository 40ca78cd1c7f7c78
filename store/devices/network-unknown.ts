import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface UnknownNames {
  readonly contents: Readonly<Record<string, number>>;
  readonly stanzas: Readonly<Record<string, number>>;
}

export interface FieldShape {
  readonly field: number;
  readonly wire: number;
  readonly length: number;
  readonly within?: readonly FieldShape[];
}

export interface UnknownSample {
  readonly at: number;
  readonly name: string;
  readonly fields: readonly FieldShape[];
}

/** Counts for one UTC day in the whole cluster; `_id` is `YYYY-MM-DD`. */
interface UnknownRow extends Partial<UnknownNames> {
  readonly _id: string;
  readonly samples?: readonly UnknownSample[];
}

export interface NetworkUnknown {
  /** A day keeps its latest 100 samples. Names consist of letters, digits, `_` and `-`. */
  add(day: string, counts: UnknownNames, samples: readonly UnknownSample[]): Promise<void>;
  since(day: string): Promise<readonly Partial<UnknownNames>[]>;
  samplesSince(day: string): Promise<readonly UnknownSample[]>;
  forget(day: string): Promise<void>;
}

export const MAX_SAMPLES = 100;

const spec: CollectionSpec = { name: 'network_unknown', indexes: [] };

export function networkUnknownIn(store: Store): NetworkUnknown {
  const rows: Collection<UnknownRow> = store.collection<UnknownRow>(spec);
  return {
    async add(_id, { contents, stanzas }, samples) {
      const within = (kind: string, counts: object) => Object.entries(counts).map(([name, n]) => [`${kind}.${name}`, n]);
      const $inc = Object.fromEntries([...within('contents', contents), ...within('stanzas', stanzas)]);
      const $push = { samples: { $each: samples, $slice: -MAX_SAMPLES } };
      await rows.updateOne({ _id }, samples.length > 0 ? { $inc, $push } : { $inc }, { upsert: true });
    },
    since: (day) => rows.find({ _id: { $gte: day } }, { projection: { samples: 0 } }).toArray(),
    samplesSince: async (day) => (await rows.find({ _id: { $gte: day } }).toArray()).flatMap(({ samples = [] }) => samples),
    forget: async (day) => void (await rows.deleteMany({ _id: { $lt: day } })),
  };
}
