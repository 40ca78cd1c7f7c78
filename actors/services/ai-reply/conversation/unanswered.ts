import { FairSlots } from '../../../../runtime/fair-slots.ts';
import { newId } from '../../../../runtime/ids.ts';
import { safeText } from '../../../../runtime/safe-text.ts';
import type { AiChatRow } from '../../../../store/ai-reply/chats.ts';
import type { Asker, Unanswered } from '../../../../store/ai-reply/unanswered.ts';
import { cut } from '../../../domain/cut.ts';
import type { KnowledgeService } from '../knowledge/knowledge-service.ts';

export interface UnansweredDeps {
  readonly unanswered: Unanswered;
  readonly knowledge: Pick<KnowledgeService, 'alike'>;
}

type Chat = Pick<AiChatRow, '_id' | 'tenant_id' | 'session_id' | 'chat_id' | 'answering'>;

const MAX_UNANSWERED = 500;
const KEPT_TEXT = 500;

const turns = new FairSlots({ slots: Number.POSITIVE_INFINITY, share: 1 });

export const noteUnanswered = (deps: UnansweredDeps, chat: Chat, question: string, now: number): Promise<void> =>
  turns.run(chat.tenant_id, () => note(deps, chat, question, now));

async function note({ unanswered, knowledge }: UnansweredDeps, chat: Chat, question: string, now: number): Promise<void> {
  const { tenant_id, session_id, chat_id, answering } = chat;
  const message_id = answering.at(-1)?.message_id ?? chat._id;
  const asker: Asker = { session_id, chat_id, message_id, at: now };
  const text = safeText(cut(question, KEPT_TEXT));
  const open = await unanswered.list(tenant_id, MAX_UNANSWERED);
  if (open.some(({ messages }) => messages.includes(message_id))) return;
  const others = open.map(({ _id, question: first, wordings }) => ({ id: _id, questions: [first, ...wordings] }));
  const known = await knowledge.alike(tenant_id, others, text);
  if (known !== null && (await unanswered.askedAgain(known, asker, text))) return;
  await unanswered.add({
    _id: newId(now),
    tenant_id,
    question: text,
    wordings: [],
    asked: 1,
    last_at: now,
    askers: [asker],
    messages: [message_id],
  });
  await unanswered.trim(tenant_id, MAX_UNANSWERED);
}
