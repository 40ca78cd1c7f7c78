import type { Questions, TenantEffect } from '../protocol.ts';

/**
 * Limits AI replies: one answer at a time per chat, and `MAX_ANSWERING` chats at a time per tenant.
 * The questions themselves are in the store.
 */

export type QuestionsStep = readonly [questions: Questions, effects: readonly TenantEffect[]];

export const MAX_ANSWERING = 8;

export const unknown: Questions = { rev: -1, phase: 'idle', nextAt: null, answering: new Set() };

export function seen(questions: Questions, rev: number): QuestionsStep {
  return rev === questions.rev ? [questions, []] : look({ ...questions, rev });
}

export function due(questions: Questions, now: number): QuestionsStep {
  return questions.nextAt !== null && questions.nextAt <= now ? look({ ...questions, nextAt: null }) : [questions, []];
}

export function found(questions: Questions, chats: readonly string[], nextAt: number | null): QuestionsStep {
  const fresh = chats.filter((chat) => !questions.answering.has(chat)).slice(0, MAX_ANSWERING - questions.answering.size);
  const next: Questions = { ...questions, phase: 'idle', nextAt, answering: new Set([...questions.answering, ...fresh]) };
  const effects = fresh.map((chat): TenantEffect => ({ do: 'answerChat', chat }));
  if (questions.phase !== 'again') return [next, effects];
  const [again, more] = look(next);
  return [again, [...effects, ...more]];
}

export function answered(questions: Questions, chat: string): QuestionsStep {
  return look({ ...questions, answering: new Set([...questions.answering].filter((one) => one !== chat)) });
}

export const anew = (questions: Questions): Questions => ({ ...unknown, answering: questions.answering });

export const isIdle = ({ phase, answering }: Questions): boolean => phase === 'idle' && answering.size === 0;

function look(questions: Questions): QuestionsStep {
  if (questions.phase !== 'idle') return [{ ...questions, phase: 'again' }, []];
  return [{ ...questions, phase: 'looking' }, [{ do: 'findQuestions' }]];
}
