import { FairSlots } from '../../../runtime/fair-slots.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { AiSettingsStore } from '../../../store/ai-reply/settings.ts';
import type { AiSource } from '../../../store/messaging/message-row.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import { refusal } from '../../domain/refusals.ts';
import type { Composer } from './compose/composer.ts';

/**
 * Suggests the assistant's answer to the last question in a chat. The answer passes the same checks
 * as an automatic reply (compose/composer.ts), but it is not sent and uses no quota.
 */

export interface SuggestDeps {
  readonly aiSettings: Pick<AiSettingsStore, 'find'>;
  readonly composer: Pick<Composer, 'compose'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly messages: Pick<Messages, 'list'>;
}

export interface Suggestion {
  readonly text: string | null;
  readonly sources: readonly AiSource[];
}

const RECENT = 20;
const HISTORY = 6;

const NOTHING: Suggestion = { text: null, sources: [] };

const suggesting = new FairSlots({ slots: Number.POSITIVE_INFINITY, share: 1 });

/** Fails with CONFLICT if the assistant is off. */
export async function suggest(deps: SuggestDeps, tenantId: string, sessionId: string, chatId: string): Promise<Suggestion> {
  const { settings } = await deps.aiSettings.find(tenantId);
  if (!settings.enabled) throw refusal('CONFLICT', { reason: OFF });
  return suggesting.run(`${sessionId}:${chatId}`, async () => {
    const page = { limit: RECENT, before: null, beforeId: null };
    const recent = await Array.fromAsync(deps.messages.list(tenantId, sessionId, { chat_id: chatId }, page));
    const said = recent.filter(({ message_type, body, status }) => message_type !== 'reaction' && status !== 'deleted' && body?.trim());
    const nth = said.findIndex(({ direction }) => direction === 'inbound');
    const question = said[nth];
    if (!question?.body) return NOTHING;
    const tenant = await deps.tenants.find(tenantId);
    const { answer, sources, handoff } = await deps.composer.compose({
      tenantId,
      question: question.body,
      settings,
      locale: tenant?.profile.locale ?? 'en',
      history: said
        .slice(nth + 1, nth + 1 + HISTORY)
        .toReversed()
        .flatMap(asHistory),
    });
    return handoff || answer === null ? NOTHING : { text: answer, sources };
  });
}

const asHistory = ({ direction, body }: MessageRow) => (body ? [{ isOurs: direction === 'outbound', text: body }] : []);

const OFF = { en: 'the assistant is off; turn it on in its settings', id: 'asisten tidak aktif; nyalakan di setelannya' };
