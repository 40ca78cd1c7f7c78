import type { Logger } from 'pino';
import { type Clock, forAtMost, pause, repeatEvery } from '../../runtime/clock.ts';
import { insertedOf } from '../../store/patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../../store/port.ts';

interface ClaimRow {
  readonly _id: string;
  readonly owner: string;
  /** Incremented while the owner runs. A counter is used because the clocks of machines differ. */
  readonly beat: number;
}

const spec: CollectionSpec = { name: 'store_claims', indexes: [] };
const ROW = 'nodes';
const BEAT_MS = 1_500;
const LIFE_MS = 5_000;
const POLL_MS = 500;
/** How long to wait for a claim. A node that is just stopping needs time to drain. */
const PATIENCE_MS = 30_000;

/** All nodes that are connected through Redis share this owner name. */
export const CLUSTER = 'cluster';

export interface ClaimOptions {
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info'>;
  readonly lost: () => void;
}

/** Prevents unrelated nodes from using one store, because they would take devices from each other. */
export async function claimStore(store: Store, { owner, clock, log, lost }: ClaimOptions): Promise<() => Promise<void>> {
  const rows: Collection<ClaimRow> = store.collection<ClaimRow>(spec);
  const own = { _id: ROW, owner };
  await claimed(rows, { owner, clock, log });
  let isReleased = false;
  // If the store does not respond, the next round tries again and then detects whether another
  // owner has claimed the store.
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
    // If the store does not respond, the claim expires by itself.
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
    if (!isAwaited) log.info({ event: 'store.awaited' }, 'another node used this store a moment ago; waiting until it has stopped');
    isAwaited = true;
    await pause(clock, POLL_MS);
  }
}

const inserted = async (rows: Collection<ClaimRow>, owner: string): Promise<boolean> =>
  (await insertedOf(rows, [{ _id: ROW, owner, beat: 0 }])) === 1;

const IN_USE =
  'Another node uses this store but does not know about this one. Stop it, or give all nodes the same REDIS_URL, so that each device runs on only one of them.';
