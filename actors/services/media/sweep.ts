import { momentOfId } from '../../../runtime/derived-ids.ts';
import type { Checkpoints } from '../../../store/jobs/checkpoints.ts';
import type { MediaBytes, MediaRows } from '../../../store/media/media.ts';

export interface SweepDeps {
  readonly owners: readonly Pick<MediaRows, 'inUse'>[];
  readonly bytes: Pick<MediaBytes, 'list' | 'discard'>;
  readonly checkpoints: Checkpoints;
}

const ROUND = 'media';
const LOOKED_AT_TOGETHER = 500;
/** If the process dies, another process takes over after this time. */
const PART_MS = 10 * 60_000;
const ROUND_EVERY_MS = 86_400_000;
/** Far longer than an upload can take, because bytes are stored before their row. */
const MIN_AGE_MS = 86_400_000;
const NAME = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * Sweeps the next page of stored files. Removes files that are older than a day and have no row:
 * their process died, or the row was removed first. Names are never reused, so such a file never
 * gets a row. Files with other kinds of names are kept. Returns the number of removed files.
 */
export async function sweepMedia({ owners, bytes, checkpoints }: SweepDeps, now: number): Promise<number> {
  const round = await checkpoints.take(ROUND, now + PART_MS, now);
  if (round === null) return 0;
  const places = await bytes.list(round.after, LOOKED_AT_TOGETHER);
  const old = places.filter((place) => isOld(nameIn(place), now));
  const used = old.length === 0 ? [] : await Promise.all(owners.map((owner) => owner.inUse(old.map(nameIn))));
  const lost = old.filter((place) => !used.some((names) => names.has(nameIn(place))));
  for (const place of lost) await bytes.discard(place);
  const isOver = places.length < LOOKED_AT_TOGETHER;
  await checkpoints.save(ROUND, round, isOver ? null : (places.at(-1) ?? null), isOver ? now + ROUND_EVERY_MS : now);
  return lost.length;
}

const nameIn = (place: string): string => place.slice(place.lastIndexOf('/') + 1);

const isOld = (name: string, now: number): boolean => NAME.test(name) && now - momentOfId(name) >= MIN_AGE_MS;
