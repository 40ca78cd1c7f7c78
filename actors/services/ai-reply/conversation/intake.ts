import type { Clock } from '../../../../runtime/clock.ts';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import type { SafeText } from '../../../../runtime/safe-text.ts';
import type { AiChatPatch, AiChatRow, AiChats } from '../../../../store/ai-reply/chats.ts';
import type { AiSettings, AiSettingsStore } from '../../../../store/ai-reply/settings.ts';
import type { Devices } from '../../../../store/devices/devices.ts';
import { isSpoken } from '../../../../store/messaging/content-kinds.ts';
import type { MessageRow } from '../../../../store/messaging/messages.ts';
import type { Wakeups } from '../../../../store/scheduling/wakeups.ts';
import { matchedPart } from '../../../domain/matched-part.ts';
import { phoneOf, userJid } from '../../../network/jid.ts';
import { subjectOf } from '../../../network/subject.ts';
import { joined, OLDEST_ANSWERED_MS, received, silenced } from '../../../tenant/behaviour/ai-chat.ts';
import { compileWords, type IsOneOf } from '../../consent/keywords.ts';
import type { IdentityResolver } from '../../identities/identities.ts';
import { isQuestion } from '../retrieval/question.ts';

/**
 * Passes messages to AI replies. Invariant: a question is stored in the row of its chat
 * (store/ai-reply/chats.ts) before the tenant's actor answers it, so that it survives a crash.
 * Storing it again has no effect.
 */

export interface IntakeDeps {
  readonly aiSettings: Pick<AiSettingsStore, 'find'>;
  readonly aiChats: AiChats;
  readonly devices: Pick<Devices, 'hasNumber'>;
  readonly people: Pick<IdentityResolver, 'resolve'>;
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly clock: Clock;
  hint(tenantId: string): void;
}

export type AiIntent = 'handoff' | 'question' | null;

export interface AiIntake {
  intentOf(row: MessageRow): Promise<AiIntent>;
  take(row: MessageRow, intent: Exclude<AiIntent, null>): Promise<void>;
  isOn(tenantId: string): Promise<boolean>;
  personWrote(row: MessageRow): Promise<void>;
  /** Merges the AI state of two chats, including pauses. Idempotent. */
  merge(tenantId: string, lid: string, phone: string): Promise<void>;
}

type Decide = (chat: AiChatRow) => AiChatPatch | null;

const KNOWN_WORDS = 2_000;

export function createAiIntake({ aiSettings, aiChats, devices, people, wakeups, clock, hint }: IntakeDeps): AiIntake {
  const words = new RecentCache<string, IsOneOf>(KNOWN_WORDS);

  function isHandoff(text: SafeText, { handoff_keywords }: AiSettings): boolean {
    const key = JSON.stringify(handoff_keywords);
    const known = words.get(key) ?? compileWords(handoff_keywords);
    words.set(key, known);
    return known(text);
  }

  async function isOwnNumber({ tenant_id, chat_id }: MessageRow): Promise<boolean> {
    const phone = phoneOf(await people.resolve(tenant_id, chat_id));
    return phone !== null && (await devices.hasNumber(tenant_id, phone));
  }

  async function merge(tenantId: string, from: string, to: string): Promise<void> {
    for (;;) {
      const rows = await aiChats.ofPerson(tenantId, from);
      if (rows.length === 0) return;
      for (const row of rows) {
        await aiChats.change({ tenantId, sessionId: row.session_id, chatId: to }, (known) => joined(known, row));
        await aiChats.remove(row);
      }
    }
  }

  /** If the person's number became known during the change, merges the chat afterwards. */
  async function change({ tenant_id: tenantId, session_id: sessionId, chat_id }: MessageRow, decide: Decide): Promise<void> {
    const chatId = await people.resolve(tenantId, chat_id);
    await aiChats.change({ tenantId, sessionId, chatId }, decide);
    const known = await people.resolve(tenantId, chatId);
    if (known !== chatId) await merge(tenantId, chatId, known);
  }

  return {
    async intentOf(row) {
      const { body } = row;
      if (body === null || !isSpoken(row) || !isFresh(row, clock.now())) return null;
      const { settings } = await aiSettings.find(row.tenant_id);
      if (!settings.enabled || (settings.session_ids !== null && !settings.session_ids.includes(row.session_id))) return null;
      const intent = isHandoff(body, settings) ? 'handoff' : isQuestion(matchedPart(body).text) ? 'question' : null;
      return intent !== null && (await isOwnNumber(row)) ? null : intent;
    },

    async take(row, intent) {
      const { tenant_id: tenantId, _id: message_id, created_at: at, body } = row;
      await change(row, (chat) => received(chat, { message_id, at, text: body ?? '', is_handoff: intent === 'handoff' }));
      await wakeups.put(tenantId, clock.now(), 'questions');
      hint(tenantId);
    },

    isOn: async (tenantId) => (await aiSettings.find(tenantId)).settings.enabled,

    async personWrote(row) {
      const at = row.sent_at ?? row.created_at;
      await change(row, (chat) => (chat.silence?.reason === 'agent' && chat.silence.since >= at ? null : silenced(chat, 'agent', at)));
    },

    merge: (tenantId, lid, phone) => merge(tenantId, lid, userJid(phone)),
  };
}

function isFresh({ direction, message_type, chat_id, status, history, told_at, created_at }: MessageRow, now: number): boolean {
  if (direction !== 'inbound' || message_type !== 'text' || status === 'deleted' || history) return false;
  return subjectOf(chat_id) !== null && now - Math.min(told_at ?? created_at, created_at) < OLDEST_ANSWERED_MS;
}

export const isByPerson = ({ direction, from_phone, written_by, message_type, history }: MessageRow): boolean =>
  direction === 'outbound' && message_type !== 'reaction' && !history && (from_phone === true || written_by !== undefined);
