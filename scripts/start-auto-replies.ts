import type { Logger } from 'pino';
import { Answers } from '../actors/auto-reply/answers.ts';
import { followAutoReply } from '../actors/auto-reply/follow-auto-reply.ts';
import { createRegexCheck, type RegexCheck } from '../actors/auto-reply/regex-check.ts';
import { tokensOf } from '../actors/crm/contacts.ts';
import { vocabularyOf } from '../actors/crm/vocabulary.ts';
import type { FollowUp } from '../actors/follow-ups.ts';
import type { MediaLibrary } from '../actors/media/library.ts';
import { phoneOf } from '../actors/network/jid.ts';
import type { Plans } from '../actors/plans.ts';
import type { Sending } from '../actors/sending.ts';
import type { TokenValues } from '../actors/tokens.ts';
import type { Clock } from '../runtime/clock.ts';
import { type AutoReplies, autoRepliesIn } from '../store/auto-replies.ts';
import type { Store } from '../store/collection.ts';
import type { Contacts } from '../store/contacts.ts';
import type { Devices } from '../store/devices.ts';
import type { Messages } from '../store/messages.ts';
import type { Tenants } from '../store/tenants.ts';
import { wordsIn } from '../store/words.ts';
import type { ConsentWorld } from './start-consent.ts';

/** What answers by itself. */
export interface AutoReplyWorld {
  readonly autoReplies: AutoReplies;
  readonly regexCheck: RegexCheck;
  readonly followUp: FollowUp;
}

export interface AutoReplyParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly plans: Plans;
  readonly messages: Messages;
  readonly devices: Devices;
  readonly tenants: Tenants;
  readonly media: MediaLibrary;
  readonly contacts: Contacts;
  readonly consents: Pick<ConsentWorld, 'consentCheck' | 'listeners'>;
  readonly sending: () => Sending;
}

export function startAutoReplies(parts: AutoReplyParts): AutoReplyWorld {
  const { store, clock, log, contacts, consents, sending } = parts;
  const words = wordsIn(store);
  const autoReplies = autoRepliesIn(store);

  async function valuesOf(tenantId: string, chatId: string): Promise<TokenValues> {
    const phone = phoneOf(chatId);
    if (phone === null) return {};
    const [contact] = await contacts.byPhones(tenantId, [phone]);
    return contact ? tokensOf(contact, await vocabularyOf(words, tenantId)) : { phone: `+${phone}` };
  }

  const followUp = followAutoReply({
    ...parts,
    ...consents,
    autoReplies,
    answers: new Answers({ ...parts, autoReplies }),
    valuesOf,
    now: () => clock.now(),
    get sending() {
      return sending();
    },
    failed: ({ code }, { tenant_id, session_id, _id }) =>
      log.info({ tenant: tenant_id, device: session_id, message: _id, code }, 'an automatic answer was left out'),
  });
  return { autoReplies, regexCheck: createRegexCheck(clock), followUp };
}
