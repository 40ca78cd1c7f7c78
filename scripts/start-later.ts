import type { FollowUp } from '../actors/follow-ups.ts';
import { followScheduled } from '../actors/later/follow-scheduled.ts';
import type { ReleasePorts } from '../actors/later/handing.ts';
import { type Released, releaseDue } from '../actors/later/release.ts';
import type { Store } from '../store/collection.ts';
import { consentConfigsIn } from '../store/consent-configs.ts';
import { consentsIn } from '../store/consents.ts';
import { type Recurring, recurringIn } from '../store/recurring.ts';
import { type Scheduled, scheduledIn } from '../store/scheduled.ts';

/** Sends that come later. */
export interface LaterWorld {
  readonly scheduled: Scheduled;
  readonly recurring: Recurring;
}

export interface LaterParts extends Pick<ReleasePorts, 'devices' | 'tenants' | 'plans' | 'sending' | 'clock' | 'emit'> {
  readonly store: Store;
}

interface Later extends LaterWorld {
  /** For the tenants' actors. */
  release(tenantId: string): Promise<Released>;
  readonly followUp: FollowUp;
}

export function startLater({ store, ...parts }: LaterParts): Later {
  const scheduled = scheduledIn(store);
  const recurring = recurringIn(store);
  const ports = { ...parts, scheduled, recurring, consents: consentsIn(store), consentConfigs: consentConfigsIn(store) };
  return { scheduled, recurring, release: (tenantId) => releaseDue(ports, tenantId), followUp: followScheduled(ports) };
}
