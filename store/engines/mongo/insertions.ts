import { MongoBulkWriteError } from 'mongodb';
import type { Clock } from '../../../runtime/clock.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import type { Collection, Doc } from '../../port.ts';
import { Gathering } from './gathering.ts';

interface Insertion<T> {
  readonly doc: T;
  readonly resolve: (inserted: { insertedId: unknown }) => void;
  readonly refuse: (cause: unknown) => void;
}

export class Insertions<T extends Doc> {
  readonly #collection: Pick<Collection<T>, 'insertOne' | 'insertMany'>;
  readonly #asked: Gathering<Insertion<T>>;

  constructor(collection: Pick<Collection<T>, 'insertOne' | 'insertMany'>, clock?: Pick<Clock, 'after'>) {
    this.#collection = collection;
    this.#asked = new Gathering((asked) => this.#together(asked), clock);
  }

  /** If the server rejects a document, only that document's insert fails, with its own error. */
  insert(doc: T): Promise<{ insertedId: unknown }> {
    return new Promise((resolve, refuse) => this.#asked.add({ doc, resolve, refuse }));
  }

  async #together(asked: readonly Insertion<T>[]): Promise<void> {
    const alone = asked.length === 1 ? asked : await this.#many(asked);
    await Promise.all(alone.map((one) => this.#collection.insertOne(one.doc).then(one.resolve, one.refuse)));
  }

  async #many(asked: readonly Insertion<T>[]): Promise<readonly Insertion<T>[]> {
    try {
      await this.#collection.insertMany(
        asked.map(({ doc }) => doc),
        { ordered: false },
      );
    } catch (cause) {
      // The driver could not serialize one of the documents, so none were sent.
      if (!(cause instanceof MongoBulkWriteError) || isNotBegun(cause)) return asked;
      const refused = refusedOf(cause, asked.length);
      if (refused) {
        for (const [nth, one] of asked.entries()) if (!refused.has(nth)) one.resolve({ insertedId: one.doc._id });
        return asked.filter((_one, nth) => refused.has(nth));
      }
      for (const { refuse } of asked) refuse(cause.errorResponse instanceof Error ? cause.errorResponse : cause);
      return [];
    }
    for (const { doc, resolve } of asked) resolve({ insertedId: doc._id });
    return [];
  }
}

function refusedOf({ result, writeErrors }: MongoBulkWriteError, count: number): ReadonlySet<number> | null {
  const refused = new Set([writeErrors].flat().map(({ index }) => index));
  const isKnown = refused.size > 0 && result.insertedCount + refused.size === count && !result.getWriteConcernError();
  return isKnown ? refused : null;
}

/** BadValue, FailedToParse, TypeMismatch, Overflow, InvalidBSON, InvalidNamespace, BSONObjectTooLarge. */
const NOT_BEGUN = new Set<unknown>([2, 9, 14, 15, 22, 73, 10334]);

/** True if the server rejected the whole command because of one document, and wrote nothing. */
const isNotBegun = ({ errorResponse, code, result }: MongoBulkWriteError): boolean =>
  memberOf(errorResponse, 'ok') === 0 && NOT_BEGUN.has(code) && result.insertedCount === 0;
