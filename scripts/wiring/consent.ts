import type { Plans } from '../../actors/domain/plans.ts';
import { cancelMarketing } from '../../actors/services/consent/cancel-marketing.ts';
import { type ConsentCheck, createConsentCheck } from '../../actors/services/consent/check.ts';
import { ConsentMatchers } from '../../actors/services/consent/config.ts';
import { sendConfirmation } from '../../actors/services/consent/confirm.ts';
import { type ConsentService, createConsentService } from '../../actors/services/consent/consent-service.ts';
import { handleConsentReply } from '../../actors/services/consent/outbox-handler.ts';
import type { ContactDeps } from '../../actors/services/contacts/contacts.ts';
import { filled, valuesOfChat } from '../../actors/services/contacts/templates.ts';
import type { EventLog } from '../../actors/services/events/event-log.ts';
import type { IdentityResolver } from '../../actors/services/identities/identities.ts';
import type { OutboxHandler } from '../../actors/services/messaging/outbox-processor.ts';
import type { Sending } from '../../actors/services/messaging/sending.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Tenants } from '../../store/accounts/tenants.ts';
import { type ConsentConfigs, consentConfigsIn } from '../../store/consent/consent-configs.ts';
import type { Consents } from '../../store/consent/consents.ts';
import { windowsIn } from '../../store/conversations/windows.ts';
import type { Devices } from '../../store/devices/devices.ts';
import type { Messages } from '../../store/messaging/messages.ts';
import type { Store } from '../../store/port.ts';

export interface ConsentServices {
  readonly consentConfigs: ConsentConfigs;
  readonly consentService: ConsentService;
  readonly consentCheck: ConsentCheck;
  readonly listeners: ConsentMatchers;
  /** Must run before all other handlers of the message outbox. */
  readonly outboxHandler: OutboxHandler;
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
  readonly people: Pick<IdentityResolver, 'find' | 'resolve' | 'formsOf'>;
  readonly contacts: ContactDeps['contacts'];
  readonly labels: ContactDeps['labels'];
  readonly sending: () => Sending;
  hint(tenantId: string, sessionId: string): void;
}

/** All opt-outs of a tenant within this delay trigger only one check of its devices. */
export const COMPLAINT_DELAY_MS = 60_000;

export function startConsent(parts: ConsentParts): ConsentServices {
  const { store, clock, sending } = parts;
  const consentConfigs = consentConfigsIn(store);
  const listeners = new ConsentMatchers(consentConfigs);
  const consentService = createConsentService({
    ...parts,
    cancelMarketing: (tenantId, chats) => cancelMarketing(parts, tenantId, chats),
    complained: (tenantId) => parts.tenants.dueBy(tenantId, clock.now() + COMPLAINT_DELAY_MS),
    confirm: (row, entry) =>
      sendConfirmation(
        {
          ...parts,
          configs: consentConfigs,
          sending: sending(),
          now: () => clock.now(),
          fill: (tenantId, chat, text) => filled(text, () => valuesOfChat(parts, tenantId, chat)),
        },
        row,
        entry,
      ),
  });
  return {
    consentConfigs,
    consentService,
    consentCheck: createConsentCheck({ ...parts, configs: consentConfigs, windows: windowsIn(store), now: () => clock.now() }),
    listeners,
    outboxHandler: handleConsentReply({ ...parts, consentService, listeners }),
  };
}
