import type { ApiKeys } from '../../../store/accounts/api-keys.ts';
import type { Logins } from '../../../store/accounts/logins.ts';
import type { EventReader, EventReaders, ReaderOwner } from '../../../store/events/event-readers.ts';
import { refusal } from '../../domain/refusals.ts';
import { isOnlyForThoseWhoNameIt } from './types.ts';

/**
 * Manages named readers of the pull log. If a reader names opt-in events, they are recorded from
 * its first pull until its last pull is older than the retention time. A reader belongs to the key
 * or login that created it, and is removed with it. All readers of a tenant are in one document in
 * `event_readers`.
 */

export interface PullReaders {
  pull(tenantId: string, wanted: WantedReader, now: number): Promise<EventReader>;
  end(tenantId: string, name: string, by: { readonly owner: ReaderOwner; readonly isOwner: boolean }, now: number): Promise<void>;
  list(tenantId: string, now: number): Promise<readonly EventReader[]>;
  named(tenantId: string, now: number): Promise<readonly string[]>;
  endOrphans(tenantId: string, now: number): Promise<void>;
}

export interface WantedReader {
  readonly name: string;
  readonly owner: ReaderOwner;
  readonly events: readonly string[] | null;
}

export interface PullReadersDeps {
  readonly readers: EventReaders;
  readonly keys: Pick<ApiKeys, 'liveOf'>;
  readonly logins: Pick<Logins, 'liveOf'>;
  readonly keptMs: number;
}

export const MOST_READERS = 5;
const MOST_ENDED = 20;
/** `last_pull_at` is updated at most this often, because a reader may pull every second. */
const NOTED_EVERY_MS = 60_000;

const isSame = (one: ReaderOwner, other: ReaderOwner): boolean => one.kind === other.kind && one.id === other.id;
const hasSameEvents = (one: EventReader['events'], other: EventReader['events']): boolean => String(one) === String(other);

export function createPullReaders({ readers, keys, logins, keptMs }: PullReadersDeps): PullReaders {
  const isRecent = ({ last_pull_at, ended_at }: EventReader, now: number): boolean => (ended_at ?? last_pull_at) > now - keptMs;
  const reads = (reader: EventReader, now: number): boolean => reader.ended_at === null && isRecent(reader, now);

  async function orphansOf(all: readonly EventReader[], now: number): Promise<ReadonlySet<string>> {
    const idsOf = (kind: ReaderOwner['kind']) => all.filter(({ owner }) => owner.kind === kind).map(({ owner }) => owner.id);
    const [live, families] = await Promise.all([keys.liveOf(idsOf('key'), now), logins.liveOf(idsOf('login'), now)]);
    const alive = new Set([...live.map(({ _id }) => `key ${_id}`), ...families.map((id) => `login ${id}`)]);
    return new Set(all.map(({ owner }) => `${owner.kind} ${owner.id}`).filter((owner) => !alive.has(owner)));
  }

  const ended = (all: readonly EventReader[], isOver: (reader: EventReader) => boolean, now: number): readonly EventReader[] =>
    all.map((reader) => (reader.ended_at === null && isOver(reader) ? { ...reader, ended_at: now } : reader));

  function tidy(all: readonly EventReader[], now: number): readonly EventReader[] {
    const gone = all.filter(({ ended_at }) => ended_at !== null);
    const forgotten = new Set(gone.slice(0, Math.max(0, gone.length - MOST_ENDED)));
    return all.filter((reader) => isRecent(reader, now) && !forgotten.has(reader));
  }

  async function endOrphans(tenantId: string, now: number): Promise<void> {
    const all = (await readers.list(tenantId)).filter((reader) => reads(reader, now));
    if (all.length === 0) return;
    const orphans = await orphansOf(all, now);
    if (orphans.size === 0) return;
    const isOver = ({ owner }: EventReader): boolean => orphans.has(`${owner.kind} ${owner.id}`);
    await readers.change(tenantId, now + keptMs, (stored) => ({ readers: tidy(ended(stored, isOver, now), now), result: undefined }));
  }

  return {
    async pull(tenantId, { name, owner, events }, now) {
      const known = (await readers.list(tenantId)).find((reader) => reader.name === name && reads(reader, now));
      const isNoted = known && now - known.last_pull_at < NOTED_EVERY_MS;
      if (isNoted && isSame(known.owner, owner) && hasSameEvents(known.events, events)) return known;
      if (!known || !isSame(known.owner, owner)) await endOrphans(tenantId, now);
      return readers.change(tenantId, now + keptMs, (stored) => {
        const mine = stored.find((reader) => reader.name === name && reads(reader, now));
        if (mine && !isSame(mine.owner, owner)) throw refusal('CONFLICT', { reason: TAKEN });
        if (!mine && stored.filter((reader) => reads(reader, now)).length >= MOST_READERS) throw refusal('LIMIT_REACHED', { reason: FULL });
        const again = stored.some((reader) => reader.name === name && reader.ended_at !== null && isRecent(reader, now));
        const made = mine ?? { name, owner, since: now, again, ended_at: null };
        const result: EventReader = { ...made, events, last_pull_at: now };
        const others = tidy(stored, now).filter((reader) => reader.name !== name);
        return { readers: [...others, result], result };
      });
    },

    async end(tenantId, name, { owner, isOwner }, now) {
      await endOrphans(tenantId, now);
      await readers.change(tenantId, now + keptMs, (stored) => {
        const found = stored.find((reader) => reader.name === name && reads(reader, now));
        if (!found) throw refusal('NOT_FOUND');
        if (!isOwner && !isSame(found.owner, owner)) throw refusal('CONFLICT', { reason: TAKEN });
        return {
          readers: tidy(
            ended(stored, (reader) => reader.name === name, now),
            now,
          ),
          result: undefined,
        };
      });
    },

    async list(tenantId, now) {
      await endOrphans(tenantId, now);
      const all = (await readers.list(tenantId)).filter((reader) => reads(reader, now));
      return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    },

    async named(tenantId, now) {
      const all = (await readers.list(tenantId)).filter((reader) => reads(reader, now));
      return all.flatMap(({ events }) => events ?? []).filter(isOnlyForThoseWhoNameIt);
    },

    endOrphans,
  };
}

const TAKEN = {
  en: 'another key or login already uses this reader name: choose another name',
  id: 'nama pembaca ini sudah dipakai kunci atau login lain: pilih nama lain',
};
const FULL = {
  en: `an account can have at most ${MOST_READERS} event readers: remove one first`,
  id: `satu akun dapat memiliki paling banyak ${MOST_READERS} pembaca kejadian. Hapus salah satu dahulu`,
};
