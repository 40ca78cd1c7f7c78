import type { ConsentConfigs } from '../../store/consent-configs.ts';
import type { Consents } from '../../store/consents.ts';
import type { People } from '../people/people.ts';
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

export interface ConsentCheckPorts {
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly configs: ConsentConfigs;
  readonly people: Pick<People, 'canonical'>;
}

export function createConsentCheck({ consents, configs, people }: ConsentCheckPorts): ConsentCheck {
  return {
    async warns(tenantId, chat) {
      const who = whoOf(await people.canonical(tenantId, chat));
      if (who === null || (await consents.statusOf(tenantId, [who])).get(who) !== 'opted_out') return false;
      if ((await consentConfigOf(configs, tenantId)).enforce_api) throw refusal('RECIPIENT_OPTED_OUT');
      return true;
    },
  };
}
