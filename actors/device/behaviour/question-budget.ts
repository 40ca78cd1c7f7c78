/**
 * How often a device may ask the network: a question a second and each list once a minute, a few more after a quiet time. Whoever asks more often is
 * limited by the network for hours, so questions wait here instead. Calls that are rejected have a budget of their own: a phone that rings all the time
 * takes nothing from those who ask.
 */
export type QuestionBudget = { readonly [Name in BudgetName]?: Bucket };

/** What was left at a time, epoch ms. */
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

/** `list` and the name of its question. */
export type BudgetName = 'questions' | 'calls' | `list ${string}`;

export const FULL_BUDGET: QuestionBudget = {};

/** How long until one may be asked; 0: now. */
export function waitMs(budget: QuestionBudget, name: BudgetName, now: number): number {
  const rate = rateOf(name);
  const { left } = filled(budget[name], rate, now);
  return left >= 1 ? 0 : Math.ceil((1 - left) * rate.everyMs);
}

/** The budget once one was asked. */
export function spend(budget: QuestionBudget, name: BudgetName, now: number): QuestionBudget {
  const { left } = filled(budget[name], rateOf(name), now);
  return { ...budget, [name]: { left: left - 1, at: now } };
}

function rateOf(name: BudgetName): Rate {
  if (name === 'questions') return QUESTIONS;
  return name === 'calls' ? CALLS : LIST;
}

function filled(bucket: Bucket | undefined, { most, everyMs }: Rate, now: number): Bucket {
  // Where the clock was set back nobody knows how long ago that was, and nobody may wait until it has caught up.
  if (!bucket || bucket.at > now) return { left: most, at: now };
  return { left: Math.min(most, bucket.left + (now - bucket.at) / everyMs), at: now };
}
