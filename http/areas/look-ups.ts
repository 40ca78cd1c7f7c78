import { refusal } from '../../actors/domain/refusals.ts';
import { usernameIn } from '../../actors/domain/usernames.ts';
import type { Reading } from '../../actors/services/campaigns/campaigns.ts';
import type { PersonReader } from '../../actors/services/identities/person-reader.ts';
import type { NamedRecipient, Usernames } from '../../actors/services/people/usernames.ts';
import { Refusal } from '../../runtime/errors.ts';
import type { DeviceRow, Devices } from '../../store/devices/devices.ts';
import type { KnownNumbers } from '../../store/identities/known-numbers.ts';
import { countValidation } from '../auth/admit.ts';
import type { Caller } from '../core/row.ts';
import type { Limits } from '../limits/limits.ts';

export interface UsernameLookUps {
  /** Fails with NOT_CONNECTED or with any error of `Usernames.find`. */
  find(asking: Asking, asked: NamedRecipient): Promise<string>;
  /** Fails with NOT_FOUND if the address is unused. Accepts it unchecked if the network is unavailable. */
  expectSomebody(asking: Asking, lid: string): Promise<void>;
}

export interface Asking {
  readonly caller: Caller;
  readonly device?: DeviceRow | undefined;
  readonly now: number;
}

export interface UsernameLookUpDeps {
  readonly limits: Limits;
  readonly usernames: Pick<Usernames, 'find'>;
  readonly known: KnownNumbers;
  /** Fails with NOT_FOUND if the address does not belong to a person. */
  findPerson(device: DeviceRow, lid: string): Promise<unknown>;
  readonly devices: Pick<Devices, 'list'>;
}

export function createUsernameLookUps({ limits, usernames, known, devices, findPerson }: UsernameLookUpDeps): UsernameLookUps {
  return {
    async find({ caller, device, now }, asked) {
      const by = device ?? (await devices.list(caller.tenantId, caller.key?.sessionIds ?? null)).find(isConnected);
      if (!by) throw refusal('NOT_CONNECTED');
      if (usernameIn(asked.username) !== null) await countValidation({ limits }, caller, now);
      return usernames.find(by, asked, now);
    },

    async expectSomebody({ caller, device, now }, lid) {
      const isKnown = (await known.among(caller.tenantId, [lid])).has(lid);
      if (isKnown || !device || !isConnected(device)) return;
      await countValidation({ limits }, caller, now);
      await findPerson(device, lid).catch((cause) => {
        if (cause instanceof Refusal && cause.code === 'NOT_FOUND') throw refusal('NOT_FOUND', { reason: NOBODY });
      });
    },
  };
}

const NOBODY = { en: 'nobody has this hidden address', id: 'tidak ada yang memakai alamat tersembunyi ini' };

const isConnected = ({ status }: DeviceRow): boolean => status === 'connected';

export interface PersonServices {
  readonly personReader: PersonReader;
  readonly lookUps: UsernameLookUps;
}

export const personNamed = (services: PersonServices, asking: Asking, text: string): string | Promise<string> =>
  services.personReader.subject(asking.caller, text, lookUpFor(services, asking));

export const lookUpFor =
  ({ lookUps }: Pick<PersonServices, 'lookUps'>, asking: Asking) =>
  (username: string): Promise<string> =>
    lookUps.find(asking, { username });

export const readingOf = (services: Pick<PersonServices, 'lookUps'>, asking: Pick<Asking, 'caller' | 'now'>): Reading => ({
  callingCode: asking.caller.callingCode,
  lookUp: lookUpFor(services, { caller: asking.caller, now: asking.now }),
});

export const REFUSES_USERNAMES = [
  'NOT_FOUND',
  'USERNAME_KEY_REQUIRED',
  'NOT_CONNECTED',
  'DEVICE_TIMEOUT',
  'OVERLOADED',
  'RATE_LIMITED',
] as const;

export const PERSON_REFUSALS = ['INVALID_NUMBER', ...REFUSES_USERNAMES] as const;
