import { type ConsentBook, createConsentBook } from '../actors/consent/book.ts';
import { type ConsentCheck, createConsentCheck } from '../actors/consent/check.ts';
import { Listeners } from '../actors/consent/config.ts';
import { sendConfirmation } from '../actors/consent/confirm.ts';
import { followConsent } from '../actors/consent/follow-consent.ts';
import { withhold } from '../actors/consent/withhold.ts';
import type { EventLog } from '../actors/events/event-log.ts';
import type { FollowUp } from '../actors/follow-ups.ts';
import type { People } from '../actors/people/people.ts';
import type { Plans } from '../actors/plans.ts';
import type { Sending } from '../actors/sending.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Store } from '../store/collection.ts';
import { type ConsentConfigs, consentConfigsIn } from '../store/consent-configs.ts';
import type { Consents } from '../store/consents.ts';
import type { Devices } from '../store/devices.ts';
import type { Messages } from '../store/messages.ts';
import type { Tenants } from '../store/tenants.ts';

/** Who agreed to what, and what follows from it. */
export interface ConsentWorld {
  readonly consentConfigs: ConsentConfigs;
  readonly consentBook: ConsentBook;
  readonly consentCheck: ConsentCheck;
  readonly listeners: Listeners;
  /** Goes before everything else that follows from a message. */
  readonly followUp: FollowUp;
}

export interface ConsentParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly consents: Consents;
  readonly messages: Messages;
  readonly devices: Devices;
  readonly tenants: Tenants;
  readonly eventLog: EventLog;
  readonly people: Pick<People, 'canonical'>;
  readonly sending: () => Sending;
  hint(tenantId: string, sessionId: string): void;
}

export function startConsent(parts: ConsentParts): ConsentWorld {
  const { store, clock, sending } = parts;
  const consentConfigs = consentConfigsIn(store);
  const listeners = new Listeners(consentConfigs);
  const consentBook = createConsentBook({
    ...parts,
    withhold: (tenantId, chats) => withhold(parts, tenantId, chats),
    confirm: (row, entry) =>
      sendConfirmation({ ...parts, configs: consentConfigs, sending: sending(), now: () => clock.now() }, row, entry),
  });
  return {
    consentConfigs,
    consentBook,
    consentCheck: createConsentCheck({ ...parts, configs: consentConfigs }),
    listeners,
    followUp: followConsent({ ...parts, book: consentBook, listeners }),
  };
}
