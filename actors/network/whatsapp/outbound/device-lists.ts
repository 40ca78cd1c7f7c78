import type { PossiblyExtendedCacheStore } from '@whiskeysockets/baileys';
import type { Clock } from '../../../../runtime/clock.ts';
import type { CredentialBuffer } from '../keys/credential-buffer.ts';
import type { SecretKind } from '../keys/secret-kind.ts';

interface Listed {
  readonly at: number;
  readonly devices: unknown;
}

const KIND: SecretKind<Listed> = 'devices';
/** The network announces changes; this covers a missed announcement. */
const GOOD_FOR_MS = 86_400_000;

/**
 * Which devices people have, kept with the secrets: the library asks for a new Signal session with each person whose devices it looks up, so
 * that every look-up that is spared, over restarts too, spares a session, a one-time key and a slow first message. `known` is in front of it.
 */
export function deviceLists(
  credentialBuffer: CredentialBuffer,
  known: PossiblyExtendedCacheStore,
  clock: Clock,
): PossiblyExtendedCacheStore {
  const stored = async (user: string): Promise<unknown> => {
    const { [user]: listed } = await credentialBuffer.get(KIND, [user]);
    if (!listed || clock.now() - listed.at > GOOD_FOR_MS) return undefined;
    await known.set(user, listed.devices);
    return listed.devices;
  };
  return {
    get: async <T>(user: string) => ((await known.get(user)) ?? (await stored(user))) as T,
    async set(user, devices) {
      await known.set(user, devices);
      credentialBuffer.set(KIND, { [user]: { at: clock.now(), devices } });
    },
    async del(user) {
      await known.del(user);
      credentialBuffer.set(KIND, { [user]: null });
    },
    flushAll: () => known.flushAll(),
  };
}
