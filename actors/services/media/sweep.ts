import { CLAIM_MS, whileClaimed } from '../../../runtime/claims.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { momentOfId } from '../../../runtime/derived-ids.ts';
import type { Checkpoints } from '../../../store/jobs/checkpoints.ts';
import type { MediaBytes, MediaRows } from '../../../store/media/media.ts';

export interface SweepDeps {
  readonly owners: readonly Pick<MediaRows, 'inUse'>[];
  readonly bytes: Pick<MediaBytes, 'list' | 'discard'>;
  readonly checkpoints: Checkpoints;
  readonly clock: Pick<Clock, 'now' | 'after'>;
}

const ROUND = 'media';
const LOOKED_AT_TOGETHER = 500;
const ROUND_EVERY_MS = 86_400_000;
/** Only older bytes are removed. Newer ones may belong to an upload whose row is not stored yet. */
const MIN_AGE_MS = 86_400_000;
const NAME = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** Names of stored bytes are never reused, so old bytes without a row cannot get one later. */
export async function sweepMedia({ checkpoints, clock, ...deps }: SweepDeps, now: number): Promise<number> {
  const round = await checkpoints.take(ROUND, now + CLAIM_MS, now);
  if (round === null) return 0;
  const renew = (until: number): Promise<boolean> => checkpoints.renew(ROUND, round, until);
  const { removed, after } = await whileClaimed(clock, renew, () => sweepPart(deps, round.after, now));
  await checkpoints.save(ROUND, round, after, after === null ? now + ROUND_EVERY_MS : now);
  return removed;
}

async function sweepPart(
  { owners, bytes }: Pick<SweepDeps, 'owners' | 'bytes'>,
  from: string | null,
  now: number,
): Promise<{ readonly removed: number; readonly after: string | null }> {
  const places = await bytes.list(from, LOOKED_AT_TOGETHER);
  const old = places.filter((place) => isOld(nameIn(place), now));
  const used = old.length === 0 ? [] : await Promise.all(owners.map((owner) => owner.inUse(old.map(nameIn))));
  const lost = old.filter((place) => !used.some((names) => names.has(nameIn(place))));
  for (const place of lost) await bytes.discard(place);
  return { removed: lost.length, after: places.length < LOOKED_AT_TOGETHER ? null : (places.at(-1) ?? null) };
}

const nameIn = (place: string): string => place.slice(place.lastIndexOf('/') + 1);

const isOld = (name: string, now: number): boolean => NAME.test(name) && now - momentOfId(name) >= MIN_AGE_MS;
