import { type Collection, type Doc, type Filter, type IndexSpec, isDuplicateKey } from '../port.ts';

/** One of a kind of which an owner may have so many: each has a place of its own, and a place is free when its record is gone. */
export interface Placed extends Doc {
  /** From 0; absent: made before there were places. */
  readonly place?: number;
}

/** Whose places they are: the field that names the owner. */
type OwnedBy = 'tenant_id' | 'session_id';

/** No two of an owner have the same place. `where`: which records count. */
export const placesIndex = (where: Filter = {}, ownedBy: OwnedBy = 'tenant_id'): IndexSpec => ({
  name: 'places',
  keys: { [ownedBy]: 1, place: 1 },
  unique: true,
  where: { ...where, place: { $gte: 0 } },
});

/** Inserts it where fewer than `limit` of its tenant are there, however many do so at once, on however many nodes; false: it is full. */
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

/** Who wants a place, and among which records. */
interface Wanted {
  readonly _id: string;
  readonly among: Filter;
}

/**
 * Does a write that takes a place among those that match `among`, where fewer than `limit` do, however many do so at once; null: it is full.
 * Rejects as `write` does for anything but a place that somebody else has.
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

/** Co-prime to the limits there are, so that each try is another place. */
const STRIDE = 7_919;
/** Those who come together look at different places, of so many: else all would want the first one, and then all but one the second. */
const SPREAD = 64;

/** One of the first that are free, as `choice` says. Who has none, or one beyond the limit (of an earlier plan), has the last ones that are free. */
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

/**
 * `insertPlaced` for thousands of places: it counts them instead of reading them. Only records with a place count. While half of the places
 * are free the id chooses one, near the limit a free one is looked for by halves.
 */
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

/** A place that is free as far as the counts say; the bits of `choice` decide where both halves have one, so that several look in different places. */
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

/** The end of an id is random. */
const numberOf = (id: string): number => [...id.slice(-6)].reduce((sum, letter) => sum * 32 + (letter.charCodeAt(0) % 32), 0);

/** What was written; null: somebody else took that place meanwhile. */
async function unlessTaken<R>(writing: Promise<R>): Promise<{ readonly result: R } | null> {
  try {
    return { result: await writing };
  } catch (cause) {
    if (isDuplicateKey(cause) && 'place' in cause.keyPattern) return null;
    throw cause;
  }
}
