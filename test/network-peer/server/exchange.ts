import type { Clock } from '../../../runtime/clock.ts';
import type { Faults } from '../faults.ts';
import type { Journal } from '../journal.ts';
import type { Ledger } from '../ledger.ts';
import type { MediaHost } from '../media/host.ts';
import type { People } from '../people/people.ts';
import type { SeededRandom } from '../random.ts';
import type { Directory } from './account.ts';
import type { Channels } from './channels.ts';
import type { Groups } from './groups.ts';
import type { Pairings } from './pairing.ts';
import type { PairingCodes } from './pairing-codes.ts';
import type { Passkeys } from './passkeys.ts';

/** State that all parts of the server share. */
export interface Exchange {
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly ledger: Ledger;
  readonly directory: Directory;
  readonly groups: Groups;
  readonly channels: Channels;
  readonly pairings: Pairings;
  readonly codes: PairingCodes;
  readonly passkeys: Passkeys;
  readonly people: People;
  readonly media: MediaHost;
  /**
   * Whether a device also gets its own keys. The bare library requests them in groups with hidden addresses, which the
   * network refuses.
   */
  readonly givesOwnKeys: boolean;
}

export const seconds = ({ clock }: Pick<Exchange, 'clock'>): number => Math.floor(clock.now() / 1000);
