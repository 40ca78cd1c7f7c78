import type { PossiblyExtendedCacheStore } from '@whiskeysockets/baileys';
import type { Clock } from '../../../runtime/clock.ts';
import type { Keyring } from './keyring.ts';

interface Listed {
  readonly at: number;
  readonly devices: unknown;
}

const KIND = 'devices';
/** The network tells of changes; this is against one that was missed. */
const GOOD_FOR_MS = 86_400_000;

/**
 * Which devices people have, kept with the secrets: the library asks for a new Signal session with each person whose devices it looks up, so
 * that every look-up that is spared, over restarts too, spares a session, a one-time key and a slow first message. `known` is in front of it.
 */
export function deviceLists(keyring: Keyring, known: PossiblyExtendedCacheStore, clock: Clock): PossiblyExtendedCacheStore {
  const stored = async (user: string): Promise<unknown> => {
    const { [user]: listed } = (await keyring.get(KIND, [user])) as Readonly<Record<string, Listed | undefined>>;
    if (!listed || clock.now() - listed.at > GOOD_FOR_MS) return undefined;
    await known.set(user, listed.devices);
    return listed.devices;
  };
  return {
    get: async <T>(user: string) => ((await known.get(user)) ?? (await stored(user))) as T,
    async set(user, devices) {
      await known.set(user, devices);
      keyring.set(KIND, { [user]: { at: clock.now(), devices } satisfies Listed });
    },
    async del(user) {
      await known.del(user);
      keyring.set(KIND, { [user]: null });
    },
    flushAll: () => known.flushAll(),
  };
}
