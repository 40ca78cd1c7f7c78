import type { Logger } from 'pino';
import { type Clock, forAtMost, pause, repeatEvery } from '../../runtime/clock.ts';
import { insertedOf } from '../../store/patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../../store/port.ts';

/** Whose nodes use the store. */
interface ClaimRow {
  readonly _id: string;
  readonly owner: string;
  /** Counted up while they run: clocks of machines differ. */
  readonly beat: number;
}

const spec: CollectionSpec = { name: 'store_claims', indexes: [] };
const ROW = 'nodes';
const BEAT_MS = 1_500;
/** Without a beat for so long, whoever claimed it is gone. */
const LIFE_MS = 5_000;
const POLL_MS = 500;
/** One that is told to stop drains first. */
const PATIENCE_MS = 30_000;

/** The owner of all nodes that know of each other, by Redis. */
export const CLUSTER = 'cluster';

export interface ClaimOptions {
  /** `CLUSTER`, or the name of one start of a node that knows of no other. */
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info'>;
  /** Called once: the store is another owner's by now. */
  readonly lost: () => void;
}

/**
 * Keeps nodes that do not know of each other from working on one store at once: each would take every device from the other. Resolves when the
 * store is `owner`'s, with what ends that; rejects with an Error of one sentence where it is another's for half a minute.
 */
export async function claimStore(store: Store, { owner, clock, log, lost }: ClaimOptions): Promise<() => Promise<void>> {
  const rows: Collection<ClaimRow> = store.collection<ClaimRow>(spec);
  const own = { _id: ROW, owner };
  await claimed(rows, { owner, clock, log });
  let isReleased = false;
  // A store that does not answer is asked again: another owner that came meanwhile is found then.
  const stop = repeatEvery(clock, BEAT_MS, async () => {
    const { matchedCount } = await rows.updateOne(own, { $inc: { beat: 1 } });
    const isOurs = matchedCount > 0 || (await inserted(rows, owner));
    if (!isOurs && !isReleased) lost();
    return isOurs;
  });
  return async () => {
    isReleased = true;
    const remove = async (): Promise<void> => {
      await stop();
      if (owner !== CLUSTER) await rows.deleteOne(own);
    };
    // A store that does not answer keeps it until its life is over.
    await forAtMost(clock, LIFE_MS, remove()).catch(() => {});
  };
}

async function claimed(rows: Collection<ClaimRow>, { owner, clock, log }: Omit<ClaimOptions, 'lost'>): Promise<void> {
  const since = clock.monotonic();
  let seen = '';
  let seenAt = since;
  let isAwaited = false;
  for (;;) {
    if (await inserted(rows, owner)) return;
    const row = await rows.findOne({ _id: ROW });
    if (row?.owner === owner) return;
    const now = clock.monotonic();
    const state = `${row?.owner} ${row?.beat}`;
    if (state !== seen) seenAt = now;
    seen = state;
    if (row && now - seenAt >= LIFE_MS) {
      const { matchedCount } = await rows.updateOne({ _id: ROW, owner: row.owner, beat: row.beat }, { $set: { owner, beat: 0 } });
      if (matchedCount === 1) return;
    }
    if (now - since >= PATIENCE_MS) throw new Error(IN_USE);
    if (!isAwaited) log.info({ event: 'store.awaited' }, 'another node used this store a moment ago: waiting until it is gone');
    isAwaited = true;
    await pause(clock, POLL_MS);
  }
}

/** False: there is one. */
const inserted = async (rows: Collection<ClaimRow>, owner: string): Promise<boolean> =>
  (await insertedOf(rows, [{ _id: ROW, owner, beat: 0 }])) === 1;

const IN_USE =
  'Another node uses this store and does not know of this one: stop it, or give all nodes the same REDIS_URL, so that each device runs on one of them.';
