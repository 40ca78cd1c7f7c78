import { type Collection, type Doc, type Filter, type IndexSpec, isDuplicateKey } from '../port.ts';

/** A record with a limit per owner. It occupies a numbered slot, which is free again after its removal. */
export interface Placed extends Doc {
  readonly place?: number;
}

type OwnedBy = 'tenant_id' | 'session_id';

export const placesIndex = (where: Filter = {}, ownedBy: OwnedBy = 'tenant_id'): IndexSpec => ({
  name: 'places',
  keys: { [ownedBy]: 1, place: 1 },
  unique: true,
  where: { ...where, place: { $gte: 0 } },
});

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

/** Returns null if `limit` rows match `among`. Rejects with any error except a taken slot. */
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

/** Coprime to the limits in use, so that each attempt tries a different slot. */
const STRIDE = 7_919;
/**
 * Concurrent callers spread over this many free slots. Otherwise, all of them would try the first
 * one.
 */
const SPREAD = 64;

/** Records without a slot, or with a slot above the limit, count as using the last slots. */
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

/**
 * Halves the range until one slot is left. If both halves have a free slot, the bits of `choice`
 * decide, so that callers spread out.
 */
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

async function unlessTaken<R>(writing: Promise<R>): Promise<{ readonly result: R } | null> {
  try {
    return { result: await writing };
  } catch (cause) {
    if (isDuplicateKey(cause) && 'place' in cause.keyPattern) return null;
    throw cause;
  }
}
