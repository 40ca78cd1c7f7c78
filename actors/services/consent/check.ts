import type { ConsentConfigs } from '../../../store/consent/consent-configs.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import type { Windows } from '../../../store/conversations/windows.ts';
import { refusal } from '../../domain/refusals.ts';
import { subjectOf } from '../../network/subject.ts';
import { allForms } from '../identities/forms.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { consentConfigOf } from './config.ts';

export interface ConsentCheck {
  /**
   * Fails with RECIPIENT_OPTED_OUT if `enforce_api` is on. If the person stopped only marketing,
   * `sessionId` may still answer in their open window.
   */
  admit(tenantId: string, chat: string, sessionId?: string): Promise<{ readonly isOptedOut: boolean }>;
}

export interface ConsentCheckDeps {
  readonly consents: Pick<Consents, 'statusOf' | 'find'>;
  readonly windows: Pick<Windows, 'end'>;
  now(): number;
  readonly configs: ConsentConfigs;
  readonly people: Pick<IdentityResolver, 'formsOf'>;
}

export function createConsentCheck({ consents, configs, people, windows, now }: ConsentCheckDeps): ConsentCheck {
  return {
    async admit(tenantId, chat, sessionId) {
      const subject = subjectOf(chat);
      if (subject === null) return { isOptedOut: false };
      const forms = await people.formsOf(tenantId, [subject]);
      const said = await consents.statusOf(tenantId, allForms(forms, subject));
      const out = [...said].filter(([, status]) => status === 'opted_out').map(([who]) => who);
      if (out.length === 0) return { isOptedOut: false };
      if ((await consentConfigOf(configs, tenantId)).enforce_api && !(await isAnswer(tenantId, chat, out, sessionId)))
        throw refusal('RECIPIENT_OPTED_OUT');
      return { isOptedOut: true };
    },
  };

  async function isAnswer(tenantId: string, chat: string, out: readonly string[], sessionId: string | undefined): Promise<boolean> {
    if (sessionId === undefined) return false;
    const rows = await Promise.all(out.map((who) => consents.find(tenantId, who)));
    if (rows.some((row) => row?.source !== 'network')) return false;
    return ((await windows.end(sessionId, chat, now())) ?? 0) > now();
  }
}
