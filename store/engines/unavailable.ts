import { memberOf } from '../../runtime/shapes.ts';

// Compared by name, so that a node with the embedded store does not have to load the driver.
const AWAY = 'MediaUnavailable';
const DOWN_NAMES = new Set([
  AWAY,
  'StoreBusy',
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoPoolClearedError',
  // Rejects running operations when a heartbeat times out.
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

/** MongoDB's transient errors: no primary, shutting down, unreachable, timeout, write conflict. */
const DOWN_CODES = new Set<unknown>([6, 7, 89, 91, 112, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** SQLite's transient errors: busy, out of memory, read only, I/O error, full disk, cannot open. */
const DOWN_SQLITE = new Set([5, 7, 8, 10, 13, 14]);

/** Whether the store is unavailable (503). The outcome of a failed write is then unknown. */
export function isUnavailable(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (DOWN_NAMES.has(cause.name)) return true;
  if (cause.name === 'MongoBulkWriteError') return isUnavailableForMany(cause);
  if ('errcode' in cause && typeof cause.errcode === 'number') return DOWN_SQLITE.has(cause.errcode & 0xff);
  return 'code' in cause && (cause.code === 'ERR_INVALID_STATE' || (cause.name === 'MongoServerError' && DOWN_CODES.has(cause.code)));
}

export const areFilesAway = (cause: unknown): boolean => cause instanceof Error && cause.name === AWAY;

/** The driver wraps the cause. If nothing is wrapped or refused, replica set members were missing. */
function isUnavailableForMany(cause: Error): boolean {
  const wrapped = memberOf(cause, 'errorResponse');
  if (wrapped instanceof Error) return isUnavailable(wrapped);
  const refused = memberOf(cause, 'writeErrors');
  return (Array.isArray(refused) && refused.length === 0) || DOWN_CODES.has(memberOf(cause, 'code'));
}
