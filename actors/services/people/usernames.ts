import type { OneTimeCodes } from '../../../store/accounts/one-time-codes.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { invalidField, refusal } from '../../domain/refusals.ts';
import { foldedUsername, usernameIn } from '../../domain/usernames.ts';
import type { AtUsername, FoundUsername } from '../../network/account.ts';

/**
 * Resolves usernames. The network is queried each time, because a name may pass to another person.
 * A key that protects a name is never stored. Guesses of a key are counted before each query, per
 * business and per installation, under a keyed hash of the name.
 */

export interface Usernames {
  /** Fails with VALIDATION_FAILED (wrong key), NOT_FOUND, USERNAME_KEY_REQUIRED or RATE_LIMITED. */
  find(device: Asking, asked: NamedRecipient, now: number): Promise<string>;
  /** Whether the username now belongs to another person. False if this is unknown. */
  isOthers(device: Asking, username: string, isTheirs: (lid: string) => Promise<boolean>): Promise<boolean>;
}

type Asking = Pick<DeviceRow, '_id' | 'tenant_id'>;

export interface NamedRecipient {
  readonly username: string;
  readonly key?: string;
}

export interface UsernamesDeps {
  readonly guesses: Pick<OneTimeCodes, 'takeFailure' | 'giveBackFailure'>;
  hashOf(text: string): string;
  ask(device: Asking, asked: AtUsername): Promise<FoundUsername>;
}

const MAX_WRONG_KEYS = { tenant: 5, installation: 20 } as const;

const DAY_MS = 86_400_000;

export function createUsernames({ guesses, hashOf, ask }: UsernamesDeps): Usernames {
  /**
   * Counts the guess as wrong before it is tried. Call the returned function if the key was not
   * wrong.
   */
  async function takeGuess(tenantId: string, name: string, now: number): Promise<() => Promise<void>> {
    const counters = [
      [`username ${hashOf(`${tenantId} ${name}`)}`, MAX_WRONG_KEYS.tenant],
      [`username ${hashOf(name)}`, MAX_WRONG_KEYS.installation],
    ] as const;
    const taken: string[] = [];
    const giveBack = async (): Promise<void> => {
      for (const counter of taken) await guesses.giveBackFailure(counter, now);
    };
    for (const [counter, budget] of counters) {
      if (await guesses.takeFailure(counter, budget, now)) {
        taken.push(counter);
        continue;
      }
      await giveBack();
      throw refusal('RATE_LIMITED', { retryAfterMs: DAY_MS - (now % DAY_MS), reason: TOO_MANY });
    }
    return giveBack;
  }

  async function tried(device: Asking, asked: Required<NamedRecipient>, now: number): Promise<FoundUsername> {
    const giveBack = await takeGuess(device.tenant_id, foldedUsername(asked.username), now);
    try {
      const found = await ask(device, asked);
      if (found.outcome !== 'key_required') await giveBack();
      return found;
    } catch (cause) {
      await giveBack();
      throw cause;
    }
  }

  return {
    async find(device, { username: text, key }, now) {
      const username = usernameIn(text);
      if (username === null) throw invalidField('recipient.username', NO_NAME);
      const found = key === undefined ? await ask(device, { username, key: null }) : await tried(device, { username, key }, now);
      if (found.outcome === 'key_required')
        throw key === undefined ? refusal('USERNAME_KEY_REQUIRED') : invalidField('recipient.key', WRONG_KEY);
      if (found.lid === null) throw refusal('NOT_FOUND', { reason: NOBODY });
      return found.lid;
    },

    async isOthers(device, username, isTheirs) {
      const found = await ask(device, { username, key: null }).catch(() => null);
      return found !== null && found.lid !== null && !(await isTheirs(found.lid));
    },
  };
}

const NO_NAME = { en: 'this is not a username', id: 'ini bukan nama pengguna' };
const WRONG_KEY = { en: 'this is not the key of this username', id: 'ini bukan kunci nama pengguna tersebut' };
const NOBODY = { en: 'nobody has this username', id: 'tidak ada yang memakai nama pengguna ini' };
const TOO_MANY = { en: 'too many wrong keys for this username today', id: 'terlalu banyak kunci salah untuk nama pengguna ini hari ini' };
