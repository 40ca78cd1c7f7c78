import type { ConsentConfigs } from '../../../store/consent/consent-configs.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import { refusal } from '../../domain/refusals.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { consentConfigOf } from './config.ts';
import { subjectOf } from './subject.ts';

/** The consent data that a 1:1 send needs about its recipient. */
export interface ConsentCheck {
  /**
   * Whether this chat's person has opted out: one read by key; none for groups and channels. Refuses RECIPIENT_OPTED_OUT where they have and the
   * tenant's `enforce_api` says so.
   */
  admit(tenantId: string, chat: string): Promise<{ readonly isOptedOut: boolean }>;
}

export interface ConsentCheckDeps {
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly configs: ConsentConfigs;
  readonly people: Pick<IdentityResolver, 'resolve'>;
}

export function createConsentCheck({ consents, configs, people }: ConsentCheckDeps): ConsentCheck {
  return {
    async admit(tenantId, chat) {
      const address = people.resolve(tenantId, chat);
      const subject = subjectOf(address instanceof Promise ? await address : address);
      if (subject === null || (await consents.statusOf(tenantId, [subject])).get(subject) !== 'opted_out') return { isOptedOut: false };
      if ((await consentConfigOf(configs, tenantId)).enforce_api) throw refusal('RECIPIENT_OPTED_OUT');
      return { isOptedOut: true };
    },
  };
}
