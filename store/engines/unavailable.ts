import { memberOf } from '../../runtime/shapes.ts';

// Compared by name, so that a node with the embedded store need not load the driver.
const AWAY = 'MediaUnavailable';
const DOWN_NAMES = new Set([
  AWAY,
  'StoreBusy',
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoPoolClearedError',
  // Rejects the operations under way when a heartbeat got no response.
  'PoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoOperationTimeoutError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoServerClosedError',
  'MongoWriteConcernError',
]);

/**
 * MongoDB's transient errors: no primary, stepping down, shutting down, host unreachable, a timeout
 * between members, a write abandoned in favour of others.
 */
const DOWN_CODES = new Set<unknown>([6, 7, 89, 91, 112, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** SQLite's transient errors: busy, out of memory, read only, I/O error, full disk, cannot open. */
const DOWN_SQLITE = new Set([5, 7, 8, 10, 13, 14]);

/**
 * Whether the store is unavailable, rather than the request wrong. Maps to 503. The outcome of a
 * write that failed this way is unknown.
 */
export function isUnavailable(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (DOWN_NAMES.has(cause.name)) return true;
  if (cause.name === 'MongoBulkWriteError') return isUnavailableForMany(cause);
  if ('errcode' in cause && typeof cause.errcode === 'number') return DOWN_SQLITE.has(cause.errcode & 0xff);
  return 'code' in cause && (cause.code === 'ERR_INVALID_STATE' || (cause.name === 'MongoServerError' && DOWN_CODES.has(cause.code)));
}

/** Whether only the file storage is unavailable. */
export const areFilesAway = (cause: unknown): boolean => cause instanceof Error && cause.name === AWAY;

/**
 * Whether an insert of several documents failed as a whole. The driver wraps the cause; if nothing
 * is wrapped and nothing was refused, replica set members were missing.
 */
function isUnavailableForMany(cause: Error): boolean {
  const wrapped = memberOf(cause, 'errorResponse');
  if (wrapped instanceof Error) return isUnavailable(wrapped);
  const refused = memberOf(cause, 'writeErrors');
  return (Array.isArray(refused) && refused.length === 0) || DOWN_CODES.has(memberOf(cause, 'code'));
}
