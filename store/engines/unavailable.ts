import { memberOf } from '../../runtime/shapes.ts';

// Compares errors by name, so that a node with the embedded store need not load the driver.
const AWAY = 'MediaUnavailable';
const DOWN_NAMES = new Set([
  AWAY,
  'StoreBusy',
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoPoolClearedError',
  // The driver fails running operations with this error when a heartbeat times out.
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

/** MongoDB error codes for: no primary, shutting down, unreachable, timeout, write conflict. */
const DOWN_CODES = new Set<unknown>([6, 7, 89, 91, 112, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** SQLite error codes for: busy, out of memory, read only, I/O error, full disk, cannot open. */
const DOWN_SQLITE = new Set([5, 7, 8, 10, 13, 14]);

/** True if the store is unavailable (503). It is then unknown whether a failed write took effect. */
export function isUnavailable(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (DOWN_NAMES.has(cause.name)) return true;
  if (cause.name === 'MongoBulkWriteError') return isUnavailableForMany(cause);
  if ('errcode' in cause && typeof cause.errcode === 'number') return DOWN_SQLITE.has(cause.errcode & 0xff);
  return 'code' in cause && (cause.code === 'ERR_INVALID_STATE' || (cause.name === 'MongoServerError' && DOWN_CODES.has(cause.code)));
}

export const areFilesAway = (cause: unknown): boolean => cause instanceof Error && cause.name === AWAY;

/**
 * True if members of the replica set were missing. The error then has neither a cause nor rejected
 * documents.
 */
function isUnavailableForMany(cause: Error): boolean {
  const wrapped = memberOf(cause, 'errorResponse');
  if (wrapped instanceof Error) return isUnavailable(wrapped);
  const refused = memberOf(cause, 'writeErrors');
  return (Array.isArray(refused) && refused.length === 0) || DOWN_CODES.has(memberOf(cause, 'code'));
}
