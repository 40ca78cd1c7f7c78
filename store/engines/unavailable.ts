import { memberOf } from '../../runtime/shapes.ts';

// By name, so that a node with the embedded store need not load the driver.
const AWAY = 'MediaUnavailable';
const DOWN_NAMES = new Set([
  AWAY,
  'StoreBusy',
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoPoolClearedError',
  // Of what was under way when a heartbeat was not answered.
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

/** MongoDB's "not now": no primary, stepping down, shutting down, host unreachable, a timeout between members, a write given up for others. */
const DOWN_CODES = new Set<unknown>([6, 7, 89, 91, 112, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** SQLite's: busy, out of memory, read only, I/O error, full disk, cannot open. */
const DOWN_SQLITE = new Set([5, 7, 8, 10, 13, 14]);

/**
 * Is this the store saying that it cannot serve now, rather than that the request was wrong? For 503: nothing is known
 * about a write that ended so, it may or may not have happened.
 */
export function isUnavailable(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (DOWN_NAMES.has(cause.name)) return true;
  if (cause.name === 'MongoBulkWriteError') return isUnavailableForMany(cause);
  if ('errcode' in cause && typeof cause.errcode === 'number') return DOWN_SQLITE.has(cause.errcode & 0xff);
  return 'code' in cause && (cause.code === 'ERR_INVALID_STATE' || (cause.name === 'MongoServerError' && DOWN_CODES.has(cause.code)));
}

/** Is it only the place where files lie that cannot serve now? */
export const areFilesAway = (cause: unknown): boolean => cause instanceof Error && cause.name === AWAY;

/** A write of many that failed as a whole: the driver wraps what it failed with; where nothing is wrapped and nothing refused, members were missing. */
function isUnavailableForMany(cause: Error): boolean {
  const wrapped = memberOf(cause, 'errorResponse');
  if (wrapped instanceof Error) return isUnavailable(wrapped);
  const refused = memberOf(cause, 'writeErrors');
  return (Array.isArray(refused) && refused.length === 0) || DOWN_CODES.has(memberOf(cause, 'code'));
}
