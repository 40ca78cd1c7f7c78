/**
 * How often a device may ask the network: a question a second and a list a minute, a few more after a quiet time. Whoever asks more often is limited by
 * the network for hours, so questions wait here instead.
 */
export interface QuestionBudget {
  readonly questions: Bucket;
  readonly lists: Bucket;
}

/** What was left at a time, epoch ms. */
interface Bucket {
  readonly left: number;
  readonly at: number;
}

interface Rate {
  readonly most: number;
  readonly everyMs: number;
}

const RATES = { questions: { most: 5, everyMs: 1_000 }, lists: { most: 1, everyMs: 60_000 } } as const;

export type BudgetName = keyof typeof RATES;

export const FULL_BUDGET: QuestionBudget = {
  questions: { left: RATES.questions.most, at: 0 },
  lists: { left: RATES.lists.most, at: 0 },
};

/** How long until one may be asked; 0: now. */
export function waitMs(budget: QuestionBudget, name: BudgetName, now: number): number {
  const { left } = filled(budget[name], RATES[name], now);
  return left >= 1 ? 0 : Math.ceil((1 - left) * RATES[name].everyMs);
}

/** The budget once one was asked. */
export function spend(budget: QuestionBudget, name: BudgetName, now: number): QuestionBudget {
  const { left } = filled(budget[name], RATES[name], now);
  return { ...budget, [name]: { left: left - 1, at: now } };
}

/** A clock that was set back gives nothing and takes nothing. */
function filled({ left, at }: Bucket, { most, everyMs }: Rate, now: number): Bucket {
  return { left: Math.min(most, left + Math.max(0, now - at) / everyMs), at: now };
}
