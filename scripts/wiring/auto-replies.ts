import type { Logger } from 'pino';
import type { Plans } from '../../actors/domain/plans.ts';
import type { AiIntake } from '../../actors/services/ai-reply/conversation/intake.ts';
import { Answers } from '../../actors/services/auto-reply/answers.ts';
import { handleAutoReply } from '../../actors/services/auto-reply/outbox-handler.ts';
import { createRegexCheck, type RegexCheck } from '../../actors/services/auto-reply/regex-check.ts';
import { valuesOfChat } from '../../actors/services/contacts/templates.ts';
import type { MediaLibrary } from '../../actors/services/media/library.ts';
import type { PreparedFiles } from '../../actors/services/media/prepared-files.ts';
import type { OutboxHandler } from '../../actors/services/messaging/outbox-processor.ts';
import type { Sending } from '../../actors/services/messaging/sending.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Tenants } from '../../store/accounts/tenants.ts';
import { type AutoReplies, autoRepliesIn } from '../../store/auto-reply/auto-replies.ts';
import type { Contacts } from '../../store/contacts/contacts.ts';
import { labelsIn } from '../../store/contacts/labels.ts';
import type { Devices } from '../../store/devices/devices.ts';
import type { Messages } from '../../store/messaging/messages.ts';
import type { Store } from '../../store/port.ts';
import type { ConsentServices } from './consent.ts';

export interface AutoReplyServices {
  readonly autoReplies: AutoReplies;
  readonly regexCheck: RegexCheck;
  readonly outboxHandler: OutboxHandler;
}

export interface AutoReplyParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly plans: Plans;
  readonly messages: Messages;
  readonly devices: Devices;
  readonly tenants: Tenants;
  readonly media: MediaLibrary & PreparedFiles;
  readonly contacts: Contacts;
  readonly consents: Pick<ConsentServices, 'consentCheck' | 'listeners'>;
  readonly sending: () => Sending;
  readonly aiIntake: AiIntake;
}

export function startAutoReplies(parts: AutoReplyParts): AutoReplyServices {
  const { store, clock, log, contacts, consents, sending } = parts;
  const labels = labelsIn(store);
  const autoReplies = autoRepliesIn(store);

  const outboxHandler = handleAutoReply({
    ...parts,
    ...consents,
    autoReplies,
    answers: new Answers({ ...parts, autoReplies }),
    valuesOf: (tenantId, chat) => valuesOfChat({ contacts, labels }, tenantId, chat),
    now: () => clock.now(),
    get sending() {
      return sending();
    },
    failed: ({ code }, { tenant_id, session_id, _id }) =>
      log.info(
        { event: 'auto_reply.skipped', tenant: tenant_id, device: session_id, message: _id, code },
        'an automatic reply was not sent',
      ),
  });
  return { autoReplies, regexCheck: createRegexCheck(clock), outboxHandler };
}
