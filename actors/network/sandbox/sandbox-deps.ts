import { type Clock, systemClock } from '../../../runtime/clock.ts';
import { type Random, systemRandom } from '../../../runtime/random.ts';
import { AccountPages } from './account-pages.ts';
import { NEW_NETWORK, type NetworkBuilds } from './builds.ts';
import { Channels } from './channels.ts';
import { ChatForms } from './chat-forms.ts';
import { SandboxTimers } from './chat-timers.ts';
import { Devices } from './devices.ts';
import { Faults } from './faults.ts';
import { Groups } from './groups.ts';
import { Journal } from './journal.ts';
import { Latency } from './latency.ts';
import { Names } from './names.ts';
import { type ReachCallback, reachOverHttp } from './official/graph-hooks.ts';
import { Phones } from './phones.ts';
import { Statuses } from './statuses.ts';

export interface SandboxOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly latencyMs?: number;
  /** Delay between showing and reading a message, in ms. Defaults to 50. */
  readonly readAfterMs?: number;
  readonly journalLimit?: number;
  readonly reach?: ReachCallback;
}

export interface SandboxDeps {
  readonly clock: Clock;
  readonly names: Names;
  readonly journal: Journal;
  readonly faults: Faults;
  builds: NetworkBuilds;
  readonly phones: Phones;
  readonly chatForms: ChatForms;
  readonly timers: SandboxTimers;
  readonly groups: Groups;
  readonly pages: AccountPages;
  readonly channels: Channels;
  readonly statuses: Statuses;
  readonly devices: Devices;
  readonly soon: Latency;
  readonly reading: Latency;
  readonly reach: ReachCallback;
}

export function sandboxDepsOf(options: SandboxOptions): SandboxDeps {
  const {
    clock = systemClock,
    random = systemRandom,
    latencyMs = 5,
    readAfterMs = 50,
    journalLimit = 100_000,
    reach = reachOverHttp,
  } = options;
  const names = new Names(clock, random);
  const phones = new Phones();
  const groups = new Groups(names, clock);
  return {
    clock,
    names,
    journal: new Journal(clock, journalLimit),
    faults: new Faults(clock),
    builds: NEW_NETWORK,
    phones,
    chatForms: new ChatForms(phones),
    timers: new SandboxTimers(phones, groups),
    groups,
    pages: new AccountPages(),
    channels: new Channels(names),
    statuses: new Statuses(),
    devices: new Devices(names),
    soon: new Latency(clock, latencyMs),
    reading: new Latency(clock, readAfterMs),
    reach,
  };
}
