import type { Clock } from '../../../runtime/clock.ts';
import { Distribution } from '../../../runtime/metrics/distribution.ts';
import { askedAround } from '../../../store/engines/asked-around.ts';
import type { Collection, CollectionSpec, Doc, Store } from '../../../store/port.ts';

const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** One in this many operations is timed. Timing all of them would cost more than all other metrics. */
const ONE_OF = 16;

class Timed {
  count = 0;
  readonly seconds = new Distribution(BOUNDS);
  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  isSample(): boolean {
    return this.count++ % ONE_OF === 0;
  }

  async time<R>(work: () => Promise<R>): Promise<R> {
    const from = this.#clock.monotonic();
    try {
      return await work();
    } finally {
      this.seconds.observe((this.#clock.monotonic() - from) / 1_000);
    }
  }
}

export type StoreTimes = Readonly<Record<keyof Collection<Doc>, Timed>>;

export function storeTimes(clock: Pick<Clock, 'monotonic'>): StoreTimes {
  const timed = (): Timed => new Timed(clock);
  return {
    ...{ find: timed(), findOne: timed(), countDocuments: timed(), insertOne: timed(), insertMany: timed(), updateOne: timed() },
    ...{ updateMany: timed(), findOneAndUpdate: timed(), findOneAndDelete: timed(), deleteOne: timed(), deleteMany: timed() },
  };
}

export function measuredStore(store: Store, times: StoreTimes): Store {
  return {
    name: store.name,
    collection: <T extends Doc>(spec: CollectionSpec) => measured(store.collection<T>(spec), times),
    ...(store.together && {
      together: <R>(issue: () => R, isStrict?: boolean): R => (store.together ? store.together(issue, isStrict) : issue()),
    }),
    ...(store.soon && { soon: () => store.soon?.() ?? Promise.resolve() }),
    ...(store.writesTo && { writesTo: (collection: string): number => store.writesTo?.(collection) ?? 0 }),
    prepare: () => store.prepare(),
    ping: () => store.ping(),
    ...(store.isAway && { isAway: () => store.isAway?.() ?? false }),
    sweep: (now) => store.sweep(now),
    close: () => store.close(),
  };
}

/** Operations must start synchronously, because the writes of a group (`together`) precede any await. */
function measured<T extends Doc>(inner: Collection<T>, times: StoreTimes): Collection<T> {
  // Every method is written out, so that operations that are not timed do not create a function.
  return {
    find(filter, options) {
      const cursor = inner.find(filter, options);
      return times.find.isSample() ? askedAround(cursor, (ask) => times.find.time(ask)) : cursor;
    },
    findOne: (filter, options) =>
      times.findOne.isSample() ? times.findOne.time(() => inner.findOne(filter, options)) : inner.findOne(filter, options),
    countDocuments: (filter, options) =>
      times.countDocuments.isSample()
        ? times.countDocuments.time(() => inner.countDocuments(filter, options))
        : inner.countDocuments(filter, options),
    insertOne: (doc) => (times.insertOne.isSample() ? times.insertOne.time(() => inner.insertOne(doc)) : inner.insertOne(doc)),
    insertMany: (docs, options) =>
      times.insertMany.isSample() ? times.insertMany.time(() => inner.insertMany(docs, options)) : inner.insertMany(docs, options),
    updateOne: (filter, update, options) =>
      times.updateOne.isSample()
        ? times.updateOne.time(() => inner.updateOne(filter, update, options))
        : inner.updateOne(filter, update, options),
    updateMany: (filter, update) =>
      times.updateMany.isSample() ? times.updateMany.time(() => inner.updateMany(filter, update)) : inner.updateMany(filter, update),
    findOneAndUpdate: (filter, update, options) =>
      times.findOneAndUpdate.isSample()
        ? times.findOneAndUpdate.time(() => inner.findOneAndUpdate(filter, update, options))
        : inner.findOneAndUpdate(filter, update, options),
    findOneAndDelete: (filter) =>
      times.findOneAndDelete.isSample()
        ? times.findOneAndDelete.time(() => inner.findOneAndDelete(filter))
        : inner.findOneAndDelete(filter),
    deleteOne: (filter) => (times.deleteOne.isSample() ? times.deleteOne.time(() => inner.deleteOne(filter)) : inner.deleteOne(filter)),
    deleteMany: (filter) =>
      times.deleteMany.isSample() ? times.deleteMany.time(() => inner.deleteMany(filter)) : inner.deleteMany(filter),
  };
}
