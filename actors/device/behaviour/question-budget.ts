/** Limits the rate of questions. A device that asks too often is blocked by the network for hours. */
export type QuestionBudget = { readonly [Name in BudgetName]?: Bucket };

interface Bucket {
  readonly left: number;
  readonly at: number;
}

interface Rate {
  readonly most: number;
  readonly everyMs: number;
}

const QUESTIONS: Rate = { most: 5, everyMs: 1_000 };
const CALLS: Rate = { most: 3, everyMs: 2_000 };
const LIST: Rate = { most: 1, everyMs: 60_000 };

export type BudgetName = 'questions' | 'calls' | `list ${string}`;

export const FULL_BUDGET: QuestionBudget = {};

export function waitMs(budget: QuestionBudget, name: BudgetName, now: number): number {
  const rate = rateOf(name);
  const { left } = filled(budget[name], rate, now);
  return left >= 1 ? 0 : Math.ceil((1 - left) * rate.everyMs);
}

export function spend(budget: QuestionBudget, name: BudgetName, now: number): QuestionBudget {
  const { left } = filled(budget[name], rateOf(name), now);
  return { ...budget, [name]: { left: left - 1, at: now } };
}

function rateOf(name: BudgetName): Rate {
  if (name === 'questions') return QUESTIONS;
  return name === 'calls' ? CALLS : LIST;
}

function filled(bucket: Bucket | undefined, { most, everyMs }: Rate, now: number): Bucket {
  // If the wall clock was set back, the elapsed time is unknown, so the bucket is treated as full.
  if (!bucket || bucket.at > now) return { left: most, at: now };
  return { left: Math.min(most, bucket.left + (now - bucket.at) / everyMs), at: now };
}
