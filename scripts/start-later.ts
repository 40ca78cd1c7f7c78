import type { FollowUp } from '../actors/follow-ups.ts';
import { followScheduled } from '../actors/later/follow-scheduled.ts';
import type { ReleasePorts } from '../actors/later/handing.ts';
import { type Released, releaseDue } from '../actors/later/release.ts';
import type { Chance } from '../runtime/chance.ts';
import type { Store } from '../store/collection.ts';
import { consentConfigsIn } from '../store/consent-configs.ts';
import { consentsIn } from '../store/consents.ts';
import { type Recurring, recurringIn } from '../store/recurring.ts';
import { type Rotators, rotatorsIn } from '../store/rotators.ts';
import { type Scheduled, scheduledIn } from '../store/scheduled.ts';

/** Sends that come later. */
export interface LaterWorld {
  readonly scheduled: Scheduled;
  readonly recurring: Recurring;
  readonly rotators: Rotators;
  readonly chance: Chance;
}

export interface LaterParts extends Pick<ReleasePorts, 'devices' | 'tenants' | 'plans' | 'sending' | 'people' | 'clock' | 'emit'> {
  readonly store: Store;
  readonly chance: Chance;
}

interface Later extends LaterWorld {
  /** For the tenants' actors. */
  release(tenantId: string): Promise<Released>;
  readonly followUp: FollowUp;
}

export function startLater({ store, chance, ...parts }: LaterParts): Later {
  const scheduled = scheduledIn(store);
  const recurring = recurringIn(store);
  const ports = { ...parts, scheduled, recurring, consents: consentsIn(store), consentConfigs: consentConfigsIn(store) };
  return {
    scheduled,
    recurring,
    chance,
    rotators: rotatorsIn(store),
    release: (tenantId) => releaseDue(ports, tenantId),
    followUp: followScheduled(ports),
  };
}
