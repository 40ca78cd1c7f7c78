import type { ConsentConfigs } from '../../store/consent-configs.ts';
import type { Consents } from '../../store/consents.ts';
import { refusal } from '../refusals.ts';
import { consentConfigOf } from './config.ts';
import { whoOf } from './people.ts';

/** What a 1:1 send has to know of its recipient's consent (spec.md convention 6). */
export interface ConsentCheck {
  /**
   * Is this chat's person opted out? One read by key; none for groups and channels. Refuses RECIPIENT_OPTED_OUT where the tenant's
   * `enforce_api` says so.
   */
  warns(tenantId: string, chat: string): Promise<boolean>;
}

export function createConsentCheck(ports: {
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly configs: ConsentConfigs;
}): ConsentCheck {
  const { consents, configs } = ports;

  return {
    async warns(tenantId, chat) {
      const who = whoOf(chat);
      if (who === null || (await consents.statusOf(tenantId, [who])).get(who) !== 'opted_out') return false;
      if ((await consentConfigOf(configs, tenantId)).enforce_api) throw refusal('RECIPIENT_OPTED_OUT');
      return true;
    },
  };
}
