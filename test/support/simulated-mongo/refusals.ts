import { MongoBulkWriteError, MongoNotConnectedError, MongoServerError } from 'mongodb';
import type { Sort } from '../../../store/port.ts';

/** What the server answers to a second document with the same unique key. */
export const duplicateKey = (collection: string, index: string, keyPattern: Sort): MongoServerError =>
  new MongoServerError({
    message: `E11000 duplicate key error collection: ${collection} index: ${index}`,
    code: 11000,
    keyPattern: { ...keyPattern },
  });

/** NamespaceNotFound or IndexNotFound. */
export const notThere = (index: string): MongoServerError =>
  new MongoServerError({ message: `index not found with name [${index}]`, code: 27 });

/** What the driver makes of an insertMany of which some documents were refused: `refused` by their places. */
export function bulkRefusal(refused: ReadonlyMap<number, Error>, insertedCount: number): MongoBulkWriteError {
  const [first] = refused.values();
  const writeErrors = [...refused].map(([index, { message }]) => ({ index, code: 11000, errmsg: message }));
  const result = { insertedCount, getWriteConcernError: () => undefined };
  // The driver makes its results itself: these are the members that callers read.
  return Reflect.construct(MongoBulkWriteError, [{ message: first?.message, code: 11000, writeErrors }, result]);
}

/** What everything is answered after the client was closed. */
export const closed = (): MongoNotConnectedError =>
  Reflect.construct(MongoNotConnectedError, ['Client must be connected before running operations']);
