import type { ConsentConfigs } from '../../../store/consent/consent-configs.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { subjectOf } from '../../network/subject.ts';
import { consentConfigOf } from './config.ts';
import type { OptedOut } from './opted-out.ts';

export interface WhyNotDeps {
  readonly optedOut: OptedOut;
  readonly configs: ConsentConfigs;
}

/** Checks consent during a send, when another address of the recipient becomes known. */
export function createWhyNot({ optedOut, configs }: WhyNotDeps): (row: MessageRow) => Promise<'opted_out' | 'unknown_outcome' | null> {
  return async (row) => {
    const { tenant_id, chat_id, marketing, automatic, parts, backoff, attempts, unknown_since } = row;
    const subject = subjectOf(chat_id);
    if (subject === null || automatic || !(await optedOut(tenant_id, [subject])).has(subject)) return null;
    const isStopped = marketing || parts.invite !== undefined || (await consentConfigOf(configs, tenant_id)).enforce_api;
    if (!isStopped) return null;
    return unknown_since !== undefined || attempts > 1 + (backoff?.tries ?? 0) ? 'unknown_outcome' : 'opted_out';
  };
}
