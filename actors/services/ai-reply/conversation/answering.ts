import type { Clock } from '../../../../runtime/clock.ts';
import { Refusal } from '../../../../runtime/errors.ts';
import { safeText } from '../../../../runtime/safe-text.ts';
import type { TenantRow, Tenants } from '../../../../store/accounts/tenants.ts';
import type { AiChatAddress, AiChatRow, AiChats, SilenceReason, WaitingQuestion } from '../../../../store/ai-reply/chats.ts';
import type { ReplyQuota } from '../../../../store/ai-reply/reply-quota.ts';
import type { AiSettings, AiSettingsStore } from '../../../../store/ai-reply/settings.ts';
import type { DeviceRow, Devices } from '../../../../store/devices/devices.ts';
import { LANES, type MessageRow, type Messages } from '../../../../store/messaging/messages.ts';
import { cut } from '../../../domain/cut.ts';
import { matchedPart } from '../../../domain/matched-part.ts';
import { planFor } from '../../../domain/plans.ts';
import { settingsOf } from '../../../domain/settings.ts';
import { isOpen } from '../../../domain/zones.ts';
import {
  begun,
  type Ending,
  type Exchanged,
  ended,
  mayAskEngine,
  mayStillSay,
  type Situation,
  turnOf,
} from '../../../tenant/behaviour/ai-chat.ts';
import type { EventLog } from '../../events/event-log.ts';
import { person } from '../../events/message-events.ts';
import { answerId } from '../../messaging/answer-id.ts';
import { monthOf } from '../../messaging/sending.ts';
import { type Composer, languageFor } from '../compose/composer.ts';
import type { Reply } from '../compose/reply.ts';
import { isQuestion } from '../retrieval/question.ts';
import { type HandOff, type HandOffDeps, handOff } from './hand-off.ts';
import { isByPerson } from './intake.ts';
import { noteUnanswered, type UnansweredDeps } from './unanswered.ts';

/**
 * Answers the questions that are waiting in a chat: replies, hands off, pauses or stays silent.
 * Invariant: at most one reply is sent per message, because its id is derived from the message.
 * Waiting questions are in store/ai-reply/chats.ts.
 */

export interface AnsweringDeps extends HandOffDeps, UnansweredDeps {
  readonly aiSettings: Pick<AiSettingsStore, 'find'>;
  readonly aiChats: AiChats;
  readonly replyQuota: ReplyQuota;
  readonly composer: Composer;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly devices: Pick<Devices, 'find'>;
  readonly messages: Pick<Messages, 'list' | 'find'>;
  readonly eventLog: Pick<EventLog, 'record'>;
  readonly clock: Clock;
}

const RECENT = 20;
const HISTORY = 6;
const REPLY_LIVES_MS = 10 * 60_000;
const NOTE_TEXT = 500;
const NOTED_QUESTIONS = 3;

interface Scene {
  readonly address: AiChatAddress;
  readonly tenant: TenantRow;
  readonly device: DeviceRow;
  readonly settings: AiSettings;
}

export interface Answering {
  due(tenantId: string, limit: number): Promise<{ readonly chats: readonly string[]; readonly nextAt: number | null }>;
  /** `chat` is `<device>:<address>`. A repeated call after a crash sends no second reply. */
  answer(tenantId: string, chat: string, isOurs: () => boolean): Promise<void>;
}

export function createAnswering(deps: AnsweringDeps): Answering {
  const { aiChats, clock } = deps;

  async function sceneOf(address: AiChatAddress): Promise<Scene | null> {
    const { tenantId, sessionId } = address;
    const [tenant, device, { settings }] = await Promise.all([
      deps.tenants.find(tenantId),
      deps.devices.find(tenantId, sessionId),
      deps.aiSettings.find(tenantId),
    ]);
    return tenant && device && !tenant.suspended ? { address, tenant, device, settings } : null;
  }

  async function situationOf({ address, tenant, settings }: Scene, row: AiChatRow): Promise<Situation> {
    const { tenantId, sessionId, chatId } = address;
    const [chat, recent] = await Promise.all([
      deps.chats.find(tenantId, sessionId, chatId),
      Array.fromAsync(deps.messages.list(tenantId, sessionId, { chat_id: chatId }, { limit: RECENT, before: null, beforeId: null })),
    ]);
    const now = clock.now();
    const { status = 'open', agent_id = null, resolved_at } = chat ?? {};
    return {
      row,
      settings,
      chat: { status, agent_id, ...(resolved_at !== undefined && { resolved_at }) },
      isOpen: isOpen(settingsOf(tenant).away.hours, tenant.profile.timezone, now),
      recent: recent.filter(({ message_type }) => message_type !== 'reaction').map(exchanged),
      now,
    };
  }

  async function answered(scene: Scene, row: AiChatRow, isOurs: () => boolean): Promise<Ending | null> {
    const situation = await situationOf(scene, row);
    const turn = turnOf(situation);
    switch (turn.do) {
      case 'nothing':
        return QUIET;
      case 'pause':
        return pause(scene, row, turn.reason);
      case 'hand_off':
        await handOff(deps, await handOffOf(scene, row, turn.cause.message_id, turn.cause.text, situation.recent), clock.now());
        return { said: null, silence: 'handoff' };
      case 'ask':
        return replied(scene, row, turn.question, situation, isOurs);
    }
  }

  /** `recent` is sorted newest first. */
  async function handOffOf(
    { tenant, device, address, settings }: Scene,
    row: AiChatRow,
    cause: string,
    question: string,
    recent: readonly Exchanged[],
  ): Promise<HandOff> {
    const language = languageFor(settings, matchedPart(safeText(question)).text, tenant.profile.locale);
    const waiting = row.answering.map(({ text }) => text);
    const earlier = recent.flatMap(({ direction, body }) =>
      direction === 'inbound' && body !== null && !waiting.includes(body) ? [body] : [],
    );
    const questions = earlier.filter((text) => isQuestion(matchedPart(safeText(text)).text)).slice(0, NOTED_QUESTIONS);
    const asked = [...questions.toReversed(), ...waiting].map((text) => cut(text, NOTE_TEXT));
    const wish = row.answering.find(({ is_handoff }) => is_handoff)?.text;
    const about = waiting.findLast((text) => text !== wish) ?? questions[0];
    const sources = about === undefined ? [] : await deps.composer.sourcesFor(address.tenantId, about);
    const note = [
      `AI → ${tenant.profile.locale === 'id' ? 'minta dibantu orang' : 'the customer asked for a person'}: ${asked.join(' / ')}`,
      ...sources.map(({ name, text }) => `${name}: ${text}`),
    ].join('\n');
    return { tenant, device, chatId: address.chatId, cause, note, language };
  }

  async function replied(scene: Scene, row: AiChatRow, question: string, before: Situation, isOurs: () => boolean): Promise<Ending | null> {
    const { address, tenant, settings } = scene;
    // Check whether an earlier attempt sent the reply and then died before recording it.
    const there = await deps.messages.find(address.tenantId, address.sessionId, idOf(row));
    if (there) return { said: there.body, silence: null };
    const history = before.recent
      .slice(0, HISTORY)
      .toReversed()
      .flatMap(({ direction, body }) => (body ? [{ isOurs: direction === 'outbound', text: body }] : []));
    const reply = await deps.composer.compose({
      tenantId: address.tenantId,
      question,
      settings,
      locale: tenant.profile.locale,
      history,
      mayAskEngine: async () => mayAskEngine(before) && (await hasQuota(tenant)),
    });
    const ending = await carriedOut(scene, row, question, reply, isOurs);
    return ending && { ...ending, isAsked: reply.engine !== 'local' };
  }

  async function carriedOut(scene: Scene, row: AiChatRow, question: string, reply: Reply, isOurs: () => boolean): Promise<Ending | null> {
    const current = await aiChats.find(scene.address);
    // The chat was moved or erased, or the customer wrote again. Drop this reply.
    if (current?.answering.at(-1)?.message_id !== lastOf(row).message_id) return null;
    if (reply.handoff) {
      const { recent } = await situationOf(scene, row);
      await handOff(deps, await handOffOf(scene, row, lastOf(row).message_id, question, recent), clock.now());
      return { said: null, silence: 'handoff' };
    }
    if (reply.answer === null) {
      await noteUnanswered(deps, row, question, clock.now());
      return QUIET;
    }
    return said(scene, current, reply.answer, reply, isOurs);
  }

  async function hasQuota(tenant: TenantRow): Promise<boolean> {
    const plan = planFor(deps.plans, tenant);
    return (await deps.replyQuota.used(tenant._id, monthOf(clock.now(), plan.zone))) < plan.ai_replies;
  }

  async function said(scene: Scene, row: AiChatRow, text: string, reply: Reply, isOurs: () => boolean): Promise<Ending | null> {
    const verdict = mayStillSay(await situationOf(scene, row), text);
    if (verdict === 'too_many') return pause(scene, row, 'max_per_chat_hour');
    if (verdict === 'no') return QUIET;
    if (!isOurs()) return null;
    const now = clock.now();
    const { tenant, device, address } = scene;
    const id = idOf(row);
    const plan = planFor(deps.plans, tenant);
    const month = monthOf(now, plan.zone);
    const { engine, score, threshold, sources } = reply;
    const order = {
      chat: address.chatId,
      message_type: 'text',
      body: text,
      parts: {},
      quotes: null,
      lane: LANES.reply,
      priority: 0,
    } as const;
    try {
      // Replies ignore marketing opt-outs, unless the tenant blocks all messages to people who opted out.
      await deps.consentCheck.admit(tenant._id, address.chatId);
      if (!(await deps.replyQuota.take(tenant._id, month, id, plan.ai_replies))) return QUIET;
      const { status } = await deps
        .sending()
        .accept(device, plan, { ...order, id, ai: { engine, score, threshold, sources }, expiresAt: now + REPLY_LIVES_MS }, now);
      return { said: status === 'failed' ? null : text, silence: null };
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      await deps.replyQuota.giveBack(tenant._id, month, id);
      deps.failed(cause, device);
      return QUIET;
    }
  }

  async function pause({ address }: Scene, row: AiChatRow, reason: SilenceReason): Promise<Ending> {
    const cause = lastOf(row);
    await deps.eventLog.record(address.tenantId, [
      {
        session_id: address.sessionId,
        type: 'ai.paused',
        row: `ai ${row._id}#${cause.message_id}`,
        occurred_at: clock.now(),
        data: { session_id: address.sessionId, ...person(address.chatId), reason },
      },
    ]);
    return { said: null, silence: reason };
  }

  return {
    async due(tenantId, limit) {
      const now = clock.now();
      const [rows, nextAt] = await Promise.all([aiChats.due(tenantId, now, limit), aiChats.nextDue(tenantId, now)]);
      return { chats: rows.map(({ _id }) => _id), nextAt };
    },

    async answer(tenantId, chat, isOurs) {
      const at = chat.indexOf(':');
      const address = { tenantId, sessionId: chat.slice(0, at), chatId: chat.slice(at + 1) };
      const row = await aiChats.change(address, (found) => begun(found, clock.now()));
      if (!row || row.answering.length === 0 || !isOurs()) return;
      const scene = await sceneOf(address);
      const ending = scene ? await answered(scene, row, isOurs) : QUIET;
      if (ending === null) return;
      const last = lastOf(row).message_id;
      await aiChats.change(address, (now) => (now.answering.at(-1)?.message_id === last ? ended(now, ending, clock.now()) : null));
    },
  };
}

function lastOf({ answering }: AiChatRow): WaitingQuestion {
  const last = answering.at(-1);
  if (!last) throw new Error('no question is waiting in this chat');
  return last;
}

const idOf = (row: AiChatRow): string => answerId('ai', lastOf(row).message_id);

const QUIET: Ending = { said: null, silence: null };

const exchanged = (row: MessageRow): Exchanged => ({
  direction: row.direction,
  body: row.body,
  at: row.sent_at ?? row.created_at,
  isReply: row.ai !== undefined,
  isPerson: isByPerson(row),
});
