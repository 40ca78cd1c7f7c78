import { Refusal } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ids.ts';
import type { SafeText } from '../../../runtime/safe-text.ts';
import type { SavedAnswerRow, SavedAnswers } from '../../../store/ai-reply/answers.ts';
import type { Asker, Unanswered } from '../../../store/ai-reply/unanswered.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import { LANES } from '../../../store/messaging/messages.ts';
import { beyondLimit, type Plan } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';
import type { ConsentCheck } from '../consent/check.ts';
import { answerId } from '../messaging/answer-id.ts';
import type { Sending } from '../messaging/sending.ts';
import type { KnowledgeService } from './knowledge/knowledge-service.ts';

/**
 * Manages answers that the business wrote itself, and unanswered questions. Changes go through
 * `KnowledgeService.changing`, so that later questions see them. Data: store/ai-reply/answers.ts
 * and unanswered.ts.
 */

export interface SavedAnswerDeps {
  readonly savedAnswers: SavedAnswers;
  readonly unanswered: Unanswered;
  readonly knowledge: Pick<KnowledgeService, 'changing'>;
  readonly devices: Pick<Devices, 'find'>;
  readonly sending: Pick<Sending, 'accept'>;
  readonly consentCheck: ConsentCheck;
}

export interface AnswerFields {
  readonly question: SafeText;
  readonly answer: SafeText;
}

const MAX_ANSWERS = 1_000;
const DAY_MS = 86_400_000;

export function createAnswer(deps: SavedAnswerDeps, tenantId: string, fields: AnswerFields, now: number): Promise<SavedAnswerRow> {
  return add(deps, tenantId, { ...fields, _id: newId(now), source: 'manual', wordings: [] }, now);
}

async function add(
  { savedAnswers, knowledge }: SavedAnswerDeps,
  tenant_id: string,
  fields: Omit<SavedAnswerRow, 'tenant_id' | 'created_at' | 'updated_at'>,
  now: number,
): Promise<SavedAnswerRow> {
  const row: SavedAnswerRow = { ...fields, tenant_id, created_at: now, updated_at: now };
  return knowledge.changing(tenant_id, async () => {
    if (!(await savedAnswers.add(row, MAX_ANSWERS))) throw beyondLimit(MAX_ANSWERS, { en: 'saved answers', id: 'jawaban tersimpan' });
    return row;
  });
}

export async function changeAnswer(
  { savedAnswers, knowledge }: SavedAnswerDeps,
  tenantId: string,
  id: string,
  patch: Partial<AnswerFields>,
  now: number,
): Promise<SavedAnswerRow> {
  if (!(await savedAnswers.find(tenantId, id))) throw refusal('NOT_FOUND');
  const changed = await knowledge.changing(tenantId, () => savedAnswers.change(tenantId, id, patch, now));
  if (!changed) throw refusal('NOT_FOUND');
  return changed;
}

export async function removeAnswer({ savedAnswers, knowledge }: SavedAnswerDeps, tenantId: string, id: string): Promise<void> {
  if (!(await savedAnswers.find(tenantId, id))) throw refusal('NOT_FOUND');
  await knowledge.changing(tenantId, () => savedAnswers.remove(tenantId, id));
}

export interface AnsweredQuestion {
  readonly answer: SafeText;
  readonly send: boolean;
}

/** Answers the question in each chat that asked it. If called again, sends nothing twice. */
export async function answerQuestion(
  deps: SavedAnswerDeps,
  tenant: { readonly id: string; readonly plan: Plan },
  questionId: string,
  { answer, send }: AnsweredQuestion,
  now: number,
): Promise<SavedAnswerRow> {
  const row = await deps.unanswered.find(tenant.id, questionId);
  if (!row) throw refusal('NOT_FOUND');
  const { question, wordings, askers } = row;
  const others = [...new Set(wordings)].filter((wording) => wording !== question);
  // The answer has the question's id, so a second call after a crash finds the answer.
  const there = await deps.savedAnswers.find(tenant.id, questionId);
  const made = there ?? (await add(deps, tenant.id, { _id: questionId, question, wordings: others, answer, source: 'unanswered' }, now));
  if (send) for (const asker of latest(askers, now)) await sendTo(deps, tenant, asker, made, now);
  await deps.unanswered.remove(tenant.id, questionId);
  return made;
}

function latest(askers: readonly Asker[], now: number): readonly Asker[] {
  const recent = askers.filter(({ at }) => now - at < DAY_MS);
  return [...new Map(recent.map((asker) => [`${asker.session_id}:${asker.chat_id}`, asker])).values()];
}

async function sendTo(
  deps: SavedAnswerDeps,
  { id, plan }: { id: string; plan: Plan },
  asker: Asker,
  made: SavedAnswerRow,
  now: number,
): Promise<void> {
  const device = await deps.devices.find(id, asker.session_id);
  if (!device) return;
  const order = {
    chat: asker.chat_id,
    message_type: 'text',
    body: made.answer,
    parts: {},
    quotes: null,
    lane: LANES.reply,
    priority: 0,
  } as const;
  try {
    await deps.consentCheck.admit(id, asker.chat_id);
    await deps.sending.accept(device, plan, { ...order, id: answerId(`unanswered:${made._id}`, asker.message_id) }, now);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
  }
}
