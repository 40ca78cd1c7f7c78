import { MongoBulkWriteError, MongoNotConnectedError, MongoServerError } from 'mongodb';
import type { Sort } from '../../../store/port.ts';

/** The server's error for a second document with the same unique key. */
export const duplicateKey = (collection: string, index: string, keyPattern: Sort): MongoServerError =>
  new MongoServerError({
    message: `E11000 duplicate key error collection: ${collection} index: ${index}`,
    code: 11000,
    keyPattern: { ...keyPattern },
  });

/** NamespaceNotFound or IndexNotFound. */
export const notThere = (index: string): MongoServerError =>
  new MongoServerError({ message: `index not found with name [${index}]`, code: 27 });

/** The driver's error for an insertMany in which some documents were rejected. `refused`: errors by position. */
export function bulkRefusal(refused: ReadonlyMap<number, Error>, insertedCount: number): MongoBulkWriteError {
  const [first] = refused.values();
  const writeErrors = [...refused].map(([index, { message }]) => ({ index, code: 11000, errmsg: message }));
  const result = { insertedCount, getWriteConcernError: () => undefined };
  // The driver builds its results itself. These are the members that callers read.
  return Reflect.construct(MongoBulkWriteError, [{ message: first?.message, code: 11000, writeErrors }, result]);
}

/** The error of every operation after the client was closed. */
export const closed = (): MongoNotConnectedError =>
  Reflect.construct(MongoNotConnectedError, ['Client must be connected before running operations']);
