import type { PossiblyExtendedCacheStore } from '@whiskeysockets/baileys';
import type { Clock } from '../../../../runtime/clock.ts';
import type { ExpiringCache } from '../keys/account.ts';
import type { CredentialBuffer } from '../keys/credential-buffer.ts';
import type { SecretKind } from '../keys/secret-kind.ts';

interface Listed {
  readonly at: number;
  readonly devices: unknown;
}

const KIND: SecretKind<Listed> = 'devices';

/** Keeps device lists across connections, because each lookup makes the library start a new session. */
export function deviceLists(credentialBuffer: CredentialBuffer, known: ExpiringCache, clock: Clock): PossiblyExtendedCacheStore {
  const stored = async (user: string): Promise<unknown> => {
    const { [user]: listed } = await credentialBuffer.get(KIND, [user]);
    if (listed) known.set(user, listed.devices, listed.at);
    return known.get(user);
  };
  return {
    get: async <T>(user: string) => (known.get(user) ?? (await stored(user))) as T,
    set(user, listed) {
      // Copy the array to save memory, because the library's array has capacity for 17 entries.
      const devices: unknown = Array.isArray(listed) ? listed.slice() : listed;
      const at = clock.now();
      known.set(user, devices, at);
      credentialBuffer.set(KIND, { [user]: { at, devices } });
    },
    del(user) {
      known.del(user);
      credentialBuffer.set(KIND, { [user]: null });
    },
    flushAll: () => known.flushAll(),
  };
}
