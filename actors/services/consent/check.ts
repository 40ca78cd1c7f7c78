import type { ConsentConfigs } from '../../../store/consent/consent-configs.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import { refusal } from '../../domain/refusals.ts';
import { subjectOf } from '../../network/subject.ts';
import { allForms } from '../identities/forms.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { consentConfigOf } from './config.ts';

/** The consent data that a 1:1 send needs about its recipient. */
export interface ConsentCheck {
  /**
   * Whether this chat's person has opted out, under whichever of their numbers and addresses; nothing is read for groups and channels. Refuses RECIPIENT_OPTED_OUT where they have and the
   * tenant's `enforce_api` says so.
   */
  admit(tenantId: string, chat: string): Promise<{ readonly isOptedOut: boolean }>;
}

export interface ConsentCheckDeps {
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly configs: ConsentConfigs;
  readonly people: Pick<IdentityResolver, 'formsOf'>;
}

export function createConsentCheck({ consents, configs, people }: ConsentCheckDeps): ConsentCheck {
  return {
    async admit(tenantId, chat) {
      const subject = subjectOf(chat);
      if (subject === null) return { isOptedOut: false };
      const forms = await people.formsOf(tenantId, [subject]);
      const said = await consents.statusOf(tenantId, allForms(forms, subject));
      if (![...said.values()].includes('opted_out')) return { isOptedOut: false };
      if ((await consentConfigOf(configs, tenantId)).enforce_api) throw refusal('RECIPIENT_OPTED_OUT');
      return { isOptedOut: true };
    },
  };
}
