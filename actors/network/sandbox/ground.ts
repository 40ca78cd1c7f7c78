import { type Chance, systemChance } from '../../../runtime/chance.ts';
import { type Clock, systemClock } from '../../../runtime/clock.ts';
import { Devices } from './devices.ts';
import { Faults } from './faults.ts';
import { Groups } from './groups.ts';
import { Journal } from './journal.ts';
import { Later } from './later.ts';
import { Names } from './names.ts';
import { Phones } from './phones.ts';

export interface SandboxOptions {
  readonly clock?: Clock;
  readonly chance?: Chance;
  /** How long anything takes one way. Default 5. */
  readonly latencyMs?: number;
  /** How long after a message is shown it is read. Default 50. */
  readonly readAfterMs?: number;
  /** Journal entries that are kept. Default 100 000. */
  readonly journalLimit?: number;
}

/** What the parts of the sandbox share. */
export interface Ground {
  readonly clock: Clock;
  readonly names: Names;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly phones: Phones;
  readonly groups: Groups;
  readonly devices: Devices;
  readonly soon: Later;
  readonly reading: Later;
}

export function groundOf(options: SandboxOptions): Ground {
  const { clock = systemClock, chance = systemChance, latencyMs = 5, readAfterMs = 50, journalLimit = 100_000 } = options;
  const names = new Names(clock, chance);
  return {
    clock,
    names,
    journal: new Journal(clock, journalLimit),
    faults: new Faults(clock),
    phones: new Phones(),
    groups: new Groups(names),
    devices: new Devices(names),
    soon: new Later(clock, latencyMs),
    reading: new Later(clock, readAfterMs),
  };
}
