import { type Collection, type Doc, type Filter, type IndexSpec, isDuplicateKey } from '../port.ts';

/** A record limited per owner. It occupies a numbered slot, free again when it is removed. */
export interface Placed extends Doc {
  /** Slot number from 0; absent in records older than slots. */
  readonly place?: number;
}

type OwnedBy = 'tenant_id' | 'session_id';

/** A unique index on owner and slot. `where`: which records count. */
export const placesIndex = (where: Filter = {}, ownedBy: OwnedBy = 'tenant_id'): IndexSpec => ({
  name: 'places',
  keys: { [ownedBy]: 1, place: 1 },
  unique: true,
  where: { ...where, place: { $gte: 0 } },
});

/** Inserts a row if fewer than `limit` exist, exact under concurrency; otherwise returns false. */
export async function insertPlaced<T extends Placed & { readonly tenant_id: string }>(
  collection: Collection<T>,
  row: T,
  limit: number,
  where: Filter = {},
): Promise<boolean> {
  const { _id, tenant_id } = row;
  const write = (place: number) => collection.insertOne({ ...row, place });
  return (await inPlace(collection, { _id, among: { tenant_id, ...where } }, limit, write)) !== null;
}

interface Wanted {
  readonly _id: string;
  readonly among: Filter;
}

/**
 * Runs a write that takes a slot if fewer than `limit` match `among`, exact under concurrency; null
 * at the limit. Rejects with any error other than a taken slot.
 */
export async function inPlace<T extends Placed, R>(
  collection: Collection<T>,
  { _id, among }: Wanted,
  limit: number,
  write: (place: number) => Promise<R>,
): Promise<R | null> {
  for (let tries = 0; ; tries += 1) {
    const there = await collection.find(among, { projection: { place: 1 } }).toArray();
    const places = there.map(({ place }) => place);
    const place = freePlace(places, limit, numberOf(_id) + tries * STRIDE);
    if (place === null) return null;
    const written = await unlessTaken(write(place));
    if (written) return written.result;
  }
}

/** Coprime to the limits in use, so that each attempt tries another slot. */
const STRIDE = 7_919;
/** Free slots among which concurrent callers spread; otherwise all would try the first one. */
const SPREAD = 64;

/** One of the first free slots. Records without a slot or beyond it count against the last ones. */
function freePlace(taken: readonly (number | undefined)[], limit: number, choice: number): number | null {
  const inside = new Set(taken.filter((place) => place !== undefined && place < limit));
  const free = limit - taken.length;
  if (free <= 0) return null;
  let before = choice % Math.min(free, SPREAD);
  for (let place = 0; ; place += 1) {
    if (inside.has(place)) continue;
    if (before === 0) return place;
    before -= 1;
  }
}

const BLIND_TRIES = 4;

/** `insertPlaced` for thousands of slots: counts slots instead of reading them. */
export async function insertPlacedOfMany<O extends OwnedBy, T extends Placed & Readonly<Record<O, string>>>(
  collection: Collection<T>,
  row: T,
  limit: number,
  where: Filter,
  ownedBy: O,
): Promise<boolean> {
  const countIn = (from: number, to: number): Promise<number> =>
    collection.countDocuments({ [ownedBy]: row[ownedBy], ...where, place: { $gte: from, $lt: to } });
  for (let tries = 0; ; tries += 1) {
    const taken = await countIn(0, limit);
    if (taken >= limit) return false;
    const isRoomy = taken < limit / 2 && tries < BLIND_TRIES;
    const place = isRoomy ? (numberOf(row._id) + tries * STRIDE) % limit : await freeByHalves(countIn, limit, numberOf(row._id) + tries);
    if (await unlessTaken(collection.insertOne({ ...row, place }))) return true;
  }
}

/** A free slot. Where both halves have one, the bits of `choice` decide, to spread callers. */
async function freeByHalves(countIn: (from: number, to: number) => Promise<number>, limit: number, choice: number): Promise<number> {
  let [from, to] = [0, limit];
  for (let bits = choice; to - from > 1; bits = Math.floor(bits / 2)) {
    const middle = Math.floor((from + to) / 2);
    const [low, high] = [await countIn(from, middle), await countIn(middle, to)];
    const isLow = low < middle - from && (bits % 2 === 0 || high === to - middle);
    [from, to] = isLow ? [from, middle] : [middle, to];
  }
  return from;
}

const numberOf = (id: string): number => [...id.slice(-6)].reduce((sum, letter) => sum * 32 + (letter.charCodeAt(0) % 32), 0);

/** Returns the result of the write; null if another caller took the slot. */
async function unlessTaken<R>(writing: Promise<R>): Promise<{ readonly result: R } | null> {
  try {
    return { result: await writing };
  } catch (cause) {
    if (isDuplicateKey(cause) && 'place' in cause.keyPattern) return null;
    throw cause;
  }
}
