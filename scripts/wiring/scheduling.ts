import type { OutboxHandler } from '../../actors/services/messaging/outbox-processor.ts';
import type { ReleaseDeps } from '../../actors/services/scheduling/accept-once.ts';
import { updateScheduled } from '../../actors/services/scheduling/outbox-handler.ts';
import { releaseDue } from '../../actors/services/scheduling/release-due.ts';
import type { Released } from '../../actors/tenant/protocol.ts';
import type { Random } from '../../runtime/random.ts';
import { consentConfigsIn } from '../../store/consent/consent-configs.ts';
import type { Consents } from '../../store/consent/consents.ts';
import { contactsIn } from '../../store/contacts/contacts.ts';
import { labelsIn } from '../../store/contacts/labels.ts';
import type { Store } from '../../store/port.ts';
import { type Recurring, recurringIn } from '../../store/scheduling/recurring.ts';
import { type Rotators, rotatorsIn } from '../../store/scheduling/rotators.ts';
import { type Scheduled, scheduledIn } from '../../store/scheduling/scheduled.ts';

export interface SchedulingServices {
  readonly scheduled: Scheduled;
  readonly recurring: Recurring;
  readonly rotators: Rotators;
  readonly random: Random;
}

export interface SchedulingParts
  extends Pick<
    ReleaseDeps,
    'devices' | 'tenants' | 'plans' | 'sending' | 'people' | 'usernames' | 'clock' | 'emit' | 'checkReminder' | 'messages' | 'hintDevice'
  > {
  readonly store: Store;
  readonly random: Random;
  readonly consents: Consents;
}

interface Later extends SchedulingServices {
  release(tenantId: string): Promise<Released>;
  readonly outboxHandler: OutboxHandler;
}

export function startScheduling({ store, random, ...parts }: SchedulingParts): Later {
  const scheduled = scheduledIn(store);
  const recurring = recurringIn(store);
  const filling = { labels: labelsIn(store), contacts: contactsIn(store) };
  const deps = { ...parts, ...filling, scheduled, recurring, consentConfigs: consentConfigsIn(store) };
  return {
    scheduled,
    recurring,
    random,
    rotators: rotatorsIn(store),
    release: (tenantId) => releaseDue(deps, tenantId),
    outboxHandler: updateScheduled(deps),
  };
}
