import { newId } from '../../../../runtime/ids.ts';
import type { AiChatRow } from '../../../../store/ai-reply/chats.ts';
import type { Asker, Unanswered, UnansweredRow } from '../../../../store/ai-reply/unanswered.ts';
import { KnowledgeIndex } from '../retrieval/knowledge-index.ts';

/** Questions that a tenant keeps; the oldest go first. */
const MAX_UNANSWERED = 500;
/** A question that covers so much of another one, and is covered so much by it, is the same. */
const ALIKE = 0.6;
const KEPT_TEXT = 500;

/** Notes a question that nothing answered, with those that are alike. Again for the same message is no change. */
export async function noteUnanswered(unanswered: Unanswered, chat: AiChatRow, question: string, now: number): Promise<void> {
  const { tenant_id, session_id, chat_id, answering } = chat;
  const message_id = answering.at(-1)?.message_id ?? chat._id;
  const asker: Asker = { session_id, chat_id, message_id, at: now };
  const text = question.slice(0, KEPT_TEXT);
  const open = await unanswered.list(tenant_id, MAX_UNANSWERED);
  if (open.some(({ messages }) => messages.includes(message_id))) return;
  const known = alike(open, text);
  if (known && (await unanswered.askedAgain(known._id, asker, text))) return;
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

/** The one of `open` that asks the same; null: none does. */
function alike(open: readonly UnansweredRow[], question: string): UnansweredRow | null {
  const index = indexOf(open.map(({ _id, question: first, wordings }) => ({ id: _id, questions: [first, ...wordings] })));
  const [hit] = index.search(question, 1);
  if (!hit || hit.score < ALIKE || hit.unit.kind !== 'answer') return null;
  const own = indexOf([{ id: 'own', questions: [question] }]);
  const isBothWays = hit.unit.questions.some((wording) => (own.search(wording, 1)[0]?.score ?? 0) >= ALIKE);
  return isBothWays ? (open.find(({ _id }) => _id === hit.unit.id) ?? null) : null;
}

function indexOf(units: readonly { readonly id: string; readonly questions: readonly string[] }[]): KnowledgeIndex {
  const index = new KnowledgeIndex();
  for (const { id, questions } of units) index.add({ kind: 'answer', id, questions, text: '' });
  index.pack();
  return index;
}
