import { after, cancel, type ReplyTo, refuse } from '../../../runtime/actor-system/behaviour.ts';
import { runtimeRefusal } from '../../../runtime/errors.ts';
import { refusal } from '../../domain/refusals.ts';
import { QUESTIONS } from '../../network/questions.ts';
import type { DeviceCommand, DeviceEvent, DeviceState, DeviceStep, PendingQuestion } from '../protocol.ts';
import { type BudgetName, FULL_BUDGET, spend, waitMs } from './question-budget.ts';

/**
 * Questions to the network about groups and the like, in the order in which they came, as far as the budget allows and one at a time about the
 * same thing. One that would wait too long is refused before it was asked: nothing happened.
 */

export const NO_QUESTIONS: DeviceState['questions'] = { waiting: [], asked: new Map(), budget: FULL_BUDGET };

/** Another account: it was asked nothing yet. */
export const fresh = (state: DeviceState): DeviceState => ({ ...state, questions: { ...state.questions, budget: FULL_BUDGET } });

/** More would wait longer than their callers do. */
const MAX_WAITING = 16;
const MAX_ASKED = 4;
/** A call that waited longer rings no more. */
const MAX_CALLS_WAITING = 3;
const CALLS = 'calls';
const PATIENCE_MS = 10_000;

const SOON = { en: 'this device was asked too often; ask again later', id: 'perangkat ini terlalu sering ditanya; coba lagi nanti' };

export function ask(state: DeviceState, { question, replyTo }: Extract<DeviceCommand, { type: 'question' }>, now: number): DeviceStep {
  if (state.connection.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  const one: PendingQuestion = { question, replyTo, since: now };
  const { waiting } = state.questions;
  const alike = waiting.filter((other) => isCall(other) === isCall(one));
  if (alike.length >= (isCall(one) ? MAX_CALLS_WAITING : MAX_WAITING))
    return [state, refuse(replyTo, refusal('OVERLOADED', { reason: SOON }))];
  const afterMs = waitOf(state, one, now);
  if (afterMs > PATIENCE_MS) return [state, refuse(replyTo, refusal('RATE_LIMITED', { reason: SOON, retryAfterMs: afterMs }))];
  return pump(withWaiting(state, [...waiting, one]), now);
}

/** Asks what may be asked now. */
export function pump(state: DeviceState, now: number): DeviceStep {
  if (state.connection.phase !== 'online' || state.questions.waiting.length === 0) return [state];
  const [next, ...effects] = state.questions.waiting.reduce<DeviceStep>(
    ([so, ...before], one) => {
      const [then, ...more] = tryOne(so, one, now);
      return [then, ...before, ...more];
    },
    [withWaiting(state, [])],
  );
  return [next, ...effects, ...again(next, now)];
}

/** An answer came: the next about the same thing may go. */
export function answered(state: DeviceState, to: object, now: number): DeviceStep {
  if (!state.questions.asked.has(to)) return [state];
  const asked = new Map(state.questions.asked);
  asked.delete(to);
  return pump({ ...state, questions: { ...state.questions, asked } }, now);
}

/** The connection is gone. Those that were asked are refused by it. */
export const close = (state: DeviceState): DeviceStep => refuseWaiting(state, (to) => refuse(to, refusal('NOT_CONNECTED')));

/** The next owner will be asked instead. */
export const hand = (state: DeviceState): DeviceStep => refuseWaiting(state, (to) => refuse(to, runtimeRefusal('ELSEWHERE')));

function refuseWaiting(state: DeviceState, no: (to: ReplyTo<unknown>) => ReturnType<typeof refuse>): DeviceStep {
  const { waiting } = state.questions;
  return waiting.length === 0 ? [state] : [withWaiting(state, []), cancel('questions'), ...waiting.map(({ replyTo }) => no(replyTo))];
}

function tryOne(state: DeviceState, one: PendingQuestion, now: number): DeviceStep {
  const { questions } = state;
  if (Math.abs(now - one.since) >= PATIENCE_MS) return [state, refuse(one.replyTo, refusal('OVERLOADED', { reason: SOON }))];
  const others = [...questions.asked.values()].filter((key) => key !== CALLS);
  const isTaken = (!isCall(one) && others.length >= MAX_ASKED) || isAbout(state, one);
  if (isTaken || waitOf(state, one, now) > 0) return [withWaiting(state, [...questions.waiting, one])];
  const { question, replyTo } = one;
  const name = budgetOf(one);
  const budget = name === null ? questions.budget : spend(questions.budget, name, now);
  const asked = new Map(questions.asked).set(replyTo, keyOf(one));
  const pendingRequests = new Set(state.pendingRequests).add(replyTo);
  return [
    { ...state, pendingRequests, questions: { ...questions, asked, budget } },
    { do: 'askNetwork', question, replyTo, own: state.facts.phone },
  ];
}

/** Is another question about the same thing under way, or before it? */
function isAbout({ questions: { asked, waiting } }: DeviceState, one: PendingQuestion): boolean {
  const key = keyOf(one);
  return key !== null && ([...asked.values()].includes(key) || waiting.some((other) => keyOf(other) === key));
}

const isCall = ({ question: { name } }: PendingQuestion): boolean => name === 'calls.reject';

function keyOf(one: PendingQuestion): string | null {
  const { input } = one.question;
  if (isCall(one)) return CALLS;
  return 'id' in input ? input.id : null;
}

function budgetOf(one: PendingQuestion): BudgetName | null {
  const { name } = one.question;
  if (isCall(one)) return CALLS;
  const kind = QUESTIONS[name];
  if (kind === 'local') return null;
  return kind === 'list' ? `list ${name}` : 'questions';
}

function waitOf({ questions: { budget } }: DeviceState, one: PendingQuestion, now: number): number {
  const name = budgetOf(one);
  return name === null ? 0 : waitMs(budget, name, now);
}

function again(state: DeviceState, now: number): readonly ReturnType<typeof after<DeviceEvent>>[] {
  const { waiting } = state.questions;
  if (waiting.length === 0) return [];
  const due = waiting.map((one) => Math.max(waitOf(state, one, now), 1)).filter((ms) => ms > 1);
  const over = waiting.map(({ since }) => Math.max(1, since + PATIENCE_MS - now));
  return [after<DeviceEvent>('questions', Math.min(...due, ...over, PATIENCE_MS), { type: 'questionDue' })];
}

const withWaiting = (state: DeviceState, waiting: readonly PendingQuestion[]): DeviceState => ({
  ...state,
  questions: { ...state.questions, waiting },
});
