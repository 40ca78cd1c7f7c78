import type { AiChatPatch, AiChatRow, SilenceReason, WaitingQuestion } from '../../../store/ai-reply/chats.ts';
import type { AiSettings } from '../../../store/ai-reply/settings.ts';
import type { ChatRow } from '../../../store/conversations/chats.ts';
import { cut } from '../../domain/cut.ts';

/**
 * AI replies in one chat. Messages wait until their writer has been quiet for a moment and are
 * answered together. Messages that arrive in the meantime wait for the next answer:
 *
 *   received → waiting ─(quiet)→ answering → ended ─(more waiting)→ answering …
 *
 * `silence` suspends replies for a while: new ones are not started, and started ones are not sent.
 * The state is the chat's row.
 */

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const QUIET_MS = 3 * SECOND_MS;
const LONGEST_WAIT_MS = 15 * SECOND_MS;
const MAX_WAITING = 20;
const MAX_RECEIVED = 50;
const MAX_SAID = 30;
const KEPT_TEXT = 500;
/** If a message is older than this by the network's clock, it is not answered anymore. */
export const OLDEST_ANSWERED_MS = 600 * SECOND_MS;
/** If several replies in a row each arrive this quickly, their writer is a machine. */
const MACHINE_WITHIN_MS = 3 * SECOND_MS;
const MACHINE_ANSWERS = 3;
/** A shorter text is not an echo, because it may repeat by chance. */
const LEAST_ECHO = 8;
const ASKED_PER_REPLY = 2;
const SILENT_AFTER_PERSON_MS = 12 * HOUR_MS;
const SILENT_AFTER_LOOP_MS = DAY_MS;
const KEPT_MS = 7 * DAY_MS;

export function received(row: AiChatRow, question: WaitingQuestion): AiChatPatch | null {
  if (row.received.includes(question.message_id)) return null;
  const waiting = [...row.waiting, { ...question, text: cut(question.text, KEPT_TEXT) }].slice(-MAX_WAITING);
  const quiet = question.is_handoff ? question.at : Math.min(question.at + QUIET_MS, (waiting[0]?.at ?? question.at) + LONGEST_WAIT_MS);
  return {
    waiting,
    received: [...row.received, question.message_id].slice(-MAX_RECEIVED),
    due_at: row.answering.length > 0 ? row.due_at : quiet,
    expires_at: question.at + KEPT_MS,
  };
}

/** Starts an answer. If a crash left one unfinished, continues that one. */
export function begun(row: AiChatRow, now: number): AiChatPatch | null {
  // Count a call to the engine, because it may have been made before the crash without being counted.
  if (row.answering.length > 0) return counted(row, now);
  if (row.waiting.length === 0 || (row.due_at ?? now) > now) return null;
  return { answering: row.waiting, waiting: [] };
}

export interface Ending {
  readonly said: string | null;
  readonly isAsked?: boolean;
  readonly silence: SilenceReason | null;
}

export function ended(row: AiChatRow, { said, isAsked = false, silence }: Ending, now: number): AiChatPatch {
  const lately = inLastHour(row.replies, now);
  const last = row.waiting.at(-1);
  const saidLately = row.said.filter(({ at }) => now - at < DAY_MS);
  return {
    answering: [],
    due_at: last ? Math.min(now, last.at) + QUIET_MS : null,
    ...(isAsked && counted(row, now)),
    replies: said === null ? lately : [...lately, now],
    said: said === null ? saidLately : [...saidLately, { text: plain(said), at: now }].slice(-MAX_SAID),
    expires_at: now + KEPT_MS,
    ...(silence && silenced(row, silence, now)),
  };
}

const counted = ({ asked = [] }: AiChatRow, now: number): Pick<AiChatRow, 'asked'> => ({ asked: [...inLastHour(asked, now), now] });

/** Merges two rows. If an answer was started in `other`, it continues in `row`. Idempotent. */
export function joined(row: AiChatRow, other: AiChatRow): AiChatPatch {
  const isNew = ({ message_id }: WaitingQuestion): boolean => !row.received.includes(message_id);
  const begunThere = other.answering.filter(isNew);
  const isBegun = row.answering.length > 0;
  const waiting = [...row.waiting, ...other.waiting.filter(isNew), ...(isBegun ? begunThere : [])].toSorted(
    (one, next) => one.at - next.at,
  );
  const due = [row.due_at, other.waiting.some(isNew) || begunThere.length > 0 ? other.due_at : null].filter((at) => at !== null);
  return {
    waiting,
    answering: isBegun ? row.answering : begunThere,
    due_at: due.length > 0 ? Math.min(...due) : null,
    received: [...new Set([...other.received, ...row.received])],
    asked: [...new Set([...(other.asked ?? []), ...(row.asked ?? [])])].toSorted((one, next) => one - next),
    replies: [...new Set([...other.replies, ...row.replies])].toSorted((one, next) => one - next),
    said: [...other.said.filter(({ text, at }) => !row.said.some((one) => one.text === text && one.at === at)), ...row.said],
    silence: (other.silence?.until ?? 0) > (row.silence?.until ?? 0) ? other.silence : row.silence,
    expires_at: Math.max(row.expires_at, other.expires_at),
  };
}

const inLastHour = (times: readonly number[], now: number): readonly number[] => times.filter((at) => now - at < HOUR_MS);

export function silenced(row: AiChatRow, reason: SilenceReason, now: number): AiChatPatch {
  const isPerson = reason === 'agent' || reason === 'handoff';
  const until = now + (isPerson ? SILENT_AFTER_PERSON_MS : SILENT_AFTER_LOOP_MS);
  // A silence that protects against a loop outlasts our agents' messages.
  const keeps = row.silence !== null && !endsWithPerson(row.silence.reason) && row.silence.until > until;
  return { silence: keeps ? row.silence : { reason, since: now, until }, expires_at: Math.max(row.expires_at, until + DAY_MS) };
}

const endsWithPerson = (reason: SilenceReason): boolean => reason === 'agent' || reason === 'handoff';

/**
 * Resolving a chat ends a silence that began because a person took over, but not one that protects
 * against a loop.
 */
function isSilent({ silence }: Pick<AiChatRow, 'silence'>, resolvedAt: number | null, now: number): boolean {
  if (silence === null || silence.until <= now) return false;
  return !(endsWithPerson(silence.reason) && resolvedAt !== null && resolvedAt >= silence.since);
}

export interface Exchanged {
  readonly direction: 'inbound' | 'outbound';
  readonly body: string | null;
  readonly at: number;
  readonly isReply: boolean;
  readonly isPerson: boolean;
}

export interface Situation {
  readonly row: AiChatRow;
  readonly settings: AiSettings;
  readonly chat: Pick<ChatRow, 'status' | 'agent_id'> & { readonly resolved_at?: number };
  readonly isOpen: boolean;
  readonly recent: readonly Exchanged[];
  readonly now: number;
}

export type Turn =
  | { readonly do: 'nothing' }
  | { readonly do: 'pause'; readonly reason: SilenceReason }
  | { readonly do: 'hand_off'; readonly cause: WaitingQuestion }
  | { readonly do: 'ask'; readonly question: string };

export function turnOf(situation: Situation): Turn {
  const { row, settings, chat, isOpen, now } = situation;
  const NOTHING: Turn = { do: 'nothing' };
  if (!settings.enabled || row.answering.length === 0) return NOTHING;
  if (isSilent(row, chat.resolved_at ?? null, now) || hasPersonSpoken(situation)) return NOTHING;
  const wish = row.answering.find(({ is_handoff }) => is_handoff);
  if (wish) return { do: 'hand_off', cause: wish };
  const loop = loopOf(situation);
  if (loop) return { do: 'pause', reason: loop };
  if (settings.only_when === 'outside_hours' && isOpen) return NOTHING;
  if (settings.only_when === 'unassigned' && chat.agent_id !== null) return NOTHING;
  return { do: 'ask', question: row.answering.map(({ text }) => text).join('\n') };
}

/** Checked after composing a text, because the situation may have changed in the meantime. */
export function mayStillSay(situation: Situation, text: string): 'yes' | 'no' | 'too_many' {
  const { row, settings, chat, now } = situation;
  if (isSilent(row, chat.resolved_at ?? null, now) || hasPersonSpoken(situation)) return 'no';
  if (row.said.some((one) => one.text === plain(text) && now - one.at < DAY_MS)) return 'no';
  return inLastHour(row.replies, now).length >= settings.max_per_chat_hour ? 'too_many' : 'yes';
}

/** Limits calls to the engine, because each one costs money, even without a result. */
export function mayAskEngine({ row, settings, now }: Pick<Situation, 'row' | 'settings' | 'now'>): boolean {
  const most = settings.max_per_chat_hour;
  return inLastHour(row.replies, now).length < most && inLastHour(row.asked ?? [], now).length < ASKED_PER_REPLY * most;
}

/** Whether an employee wrote after the customer's question. The silence may not have been stored yet. */
function hasPersonSpoken({ row, recent }: Situation): boolean {
  const since = row.answering[0]?.at ?? 0;
  return recent.some(({ isPerson, at }) => isPerson && at >= since);
}

function loopOf({ row, recent }: Situation): SilenceReason | null {
  const ours = new Set([
    ...row.said.map(({ text }) => text),
    ...recent.filter(({ direction }) => direction === 'outbound').map(({ body }) => plain(body ?? '')),
  ]);
  if (row.answering.some(({ text }) => plain(text).length >= LEAST_ECHO && ours.has(plain(text)))) return 'echo';
  return answersAtOnce(recent) >= MACHINE_ANSWERS ? 'too_fast' : null;
}

function answersAtOnce(recent: readonly Exchanged[]): number {
  let count = 0;
  for (const [nth, one] of recent.entries()) {
    if (!one.isReply) continue;
    const next = recent[nth - 1];
    const isAtOnce = next?.direction === 'inbound' && next.at - one.at <= MACHINE_WITHIN_MS;
    if (!isAtOnce) break;
    count += 1;
  }
  return count;
}

const plain = (text: string): string =>
  text
    .slice(0, KEPT_TEXT)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
