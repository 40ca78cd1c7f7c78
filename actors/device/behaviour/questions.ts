import { after, type CoreEffect, cancel, type ReplyTo, refuse } from '../../../runtime/actor-system/behaviour.ts';
import { codeOf, Refusal, runtimeRefusal } from '../../../runtime/errors.ts';
import { refusal } from '../../domain/refusals.ts';
import { QUESTIONS } from '../../network/questions.ts';
import type { DeviceCommand, DeviceEffect, DeviceEvent, DeviceState, DeviceStep, PendingQuestion } from '../protocol.ts';
import { type BudgetName, FULL_BUDGET, spend, waitMs } from './question-budget.ts';

/**
 * Sends questions to the network in order of arrival, as the budget allows, and one at a time per
 * object. A question that would wait too long is refused before it is sent. The queue is kept in
 * the device's state.
 */

export const NO_QUESTIONS: DeviceState['questions'] = { waiting: [], asked: new Map(), budget: FULL_BUDGET, quietUntil: 0, staleAt: 0 };

export const fresh = (state: DeviceState): DeviceState => ({
  ...state,
  questions: { ...state.questions, budget: FULL_BUDGET, quietUntil: 0 },
});

/** Maximum number of waiting questions. With more, the last caller would time out before its turn. */
const MAX_WAITING = 16;
const MAX_ASKED = 4;
/** Maximum calls waiting for rejection. With more, the last would stop ringing before it is rejected. */
const MAX_CALLS_WAITING = 3;
const CALLS = 'calls';
const PATIENCE_MS = 10_000;

const OWN: ReplyTo<unknown> = {};
const LIST_AFTER_MS = 3_000;
const LIST_SPREAD_MS = 27_000;
const LIST_AGAIN_MS = 600_000;
const LISTED_FOR_MS = 86_400_000;

const SOON = { en: 'too many requests to this device; try again later', id: 'terlalu banyak permintaan ke perangkat ini; coba lagi nanti' };

export function ask(state: DeviceState, { question, replyTo }: Extract<DeviceCommand, { type: 'question' }>, now: number): DeviceStep {
  if (state.connection.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  const one: PendingQuestion = { question, replyTo, since: now };
  const joined = join(state, one);
  if (joined) return joined;
  const { waiting } = state.questions;
  const alike = waiting.filter((other) => isCall(other) === isCall(one));
  if (alike.length >= (isCall(one) ? MAX_CALLS_WAITING : MAX_WAITING))
    return [state, refuse(replyTo, refusal('OVERLOADED', { reason: SOON }))];
  const afterMs = waitOf(state, one, now);
  if (afterMs > PATIENCE_MS) return [state, refuse(replyTo, refusal('RATE_LIMITED', { reason: SOON, retryAfterMs: afterMs }))];
  return pump(withWaiting(state, [...waiting, one]), now);
}

export type Told = Extract<CoreEffect<DeviceEvent>, { do: 'reply' | 'refuse' }>;

function join(state: DeviceState, one: PendingQuestion): DeviceStep | null {
  const { name } = one.question;
  const { waiting, asked } = state.questions;
  if (QUESTIONS[name] !== 'list') return null;
  const same = [...asked.values(), ...waiting].find(({ question }) => question.name === name);
  if (!same) return null;
  const others = [...(same.others ?? []), one.replyTo];
  if (others.length > MAX_WAITING) return [state, refuse(one.replyTo, refusal('OVERLOADED', { reason: SOON }))];
  const joint = { ...same, others };
  const next = {
    ...state.questions,
    waiting: waiting.map((other) => (other === same ? joint : other)),
    asked: asked.has(same.replyTo) ? new Map(asked).set(same.replyTo, joint) : asked,
  };
  const pendingRequests = asked.has(OWN) && same.replyTo === OWN ? new Set(state.pendingRequests).add(OWN) : state.pendingRequests;
  return [{ ...state, pendingRequests, questions: next }];
}

/** Requests the group list after a random delay, because a node that starts wakes many devices at once. */
export const listSoon = (jitter: number): CoreEffect<DeviceEvent> =>
  after('list', LIST_AFTER_MS + Math.round(jitter * LIST_SPREAD_MS), { type: 'listDue' });

/** Stores that a new list is needed, before the network's event is acknowledged. */
export function groupsStale(
  state: DeviceState,
  { token }: { readonly token: string },
  { jitter, now }: { readonly jitter: number; readonly now: number },
): DeviceStep {
  const receive: DeviceEvent = { type: 'kept', connectionId: state.connection.connectionId, token };
  const next = { ...state, facts: { ...state.facts, groupsListedAt: null }, questions: { ...state.questions, staleAt: now } };
  return [next, { do: 'save', patch: { groups_listed_at: null }, receive }, listSoon(jitter)];
}

export function listDue(state: DeviceState, now: number): DeviceStep {
  const { facts, connection, questions } = state;
  const isKnown = facts.groupsListedAt !== null && Math.abs(now - facts.groupsListedAt) < LISTED_FOR_MS;
  if (connection.phase !== 'online' || facts.ignore.groups || isKnown || state.draining) return [state];
  const list: PendingQuestion = { question: { name: 'groups.list', input: {} }, replyTo: OWN, since: now };
  const isAsked = [...questions.asked.values(), ...questions.waiting].some(({ question }) => question.name === 'groups.list');
  if (isAsked || waitOf(state, list, now) > 0) return [state, after('list', LIST_AGAIN_MS, { type: 'listDue' })];
  return pump(withWaiting(state, [...questions.waiting, list]), now);
}

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

export function answered(state: DeviceState, to: object, told: Told, now: number): DeviceStep {
  const one = state.questions.asked.get(to);
  if (!one) return [state, told];
  const asked = new Map(state.questions.asked);
  asked.delete(to);
  const quietUntil = Math.max(state.questions.quietUntil, quietAfter(one, told, now));
  const [listed, ...noting] = noted({ ...state, questions: { ...state.questions, asked, quietUntil } }, one, told, now);
  const [next, ...effects] = pump(listed, now);
  const others = (one.others ?? []).map((other) => ({ ...told, to: other }));
  return [next, ...(to === OWN ? [] : [told]), ...others, ...noting, ...effects];
}

function quietAfter(one: PendingQuestion, told: Told, now: number): number {
  if (!isOfGroups(one) || told.do !== 'refuse' || !(told.error instanceof Refusal)) return 0;
  const { code, details } = told.error;
  return code === 'RATE_LIMITED' && details['network'] !== undefined ? now + Number(details['retryAfterMs'] ?? LIST_AGAIN_MS) : 0;
}

const isOfGroups = ({ question: { name } }: PendingQuestion): boolean => name.startsWith('groups.') || name.startsWith('communities.');

function noted(state: DeviceState, { question, since }: PendingQuestion, told: Told, now: number): DeviceStep {
  if (question.name !== 'groups.list') return [state];
  // The list changed after this request was made, so the response may be stale.
  if (told.do === 'reply' && since <= state.questions.staleAt) return [state];
  if (told.do === 'reply') return [{ ...state, facts: { ...state.facts, groupsListedAt: now } }, noteListed(now)];
  const isOver = codeOf(told.error) === 'NOT_FOUND' || state.connection.phase !== 'online';
  return isOver ? [state] : [state, after('list', LIST_AGAIN_MS, { type: 'listDue' })];
}

const noteListed = (at: number): DeviceEffect => ({ do: 'save', patch: { groups_listed_at: at } });

export const close = (state: DeviceState): DeviceStep => refuseWaiting(state, (to) => refuse(to, refusal('NOT_CONNECTED')));

export const hand = (state: DeviceState): DeviceStep => refuseWaiting(state, (to) => refuse(to, runtimeRefusal('ELSEWHERE')));

function refuseWaiting(state: DeviceState, no: (to: ReplyTo<unknown>) => ReturnType<typeof refuse>): DeviceStep {
  const { waiting } = state.questions;
  return waiting.length === 0 ? [state] : [withWaiting(state, []), cancel('questions'), ...waiting.flatMap(everybody).map(no)];
}

const everybody = ({ replyTo, others = [] }: PendingQuestion): readonly ReplyTo<unknown>[] =>
  [replyTo, ...others].filter((to) => to !== OWN);

function tryOne(state: DeviceState, one: PendingQuestion, now: number): DeviceStep {
  const { questions } = state;
  if (Math.abs(now - one.since) >= PATIENCE_MS)
    return [state, ...everybody(one).map((to) => refuse(to, refusal('OVERLOADED', { reason: SOON })))];
  const others = [...questions.asked.values()].filter((other) => !isCall(other));
  const isTaken = (!isCall(one) && others.length >= MAX_ASKED) || isAbout(state, one);
  if (isTaken || waitOf(state, one, now) > 0) return [withWaiting(state, [...questions.waiting, one])];
  const { question, replyTo } = one;
  const name = budgetOf(one);
  const budget = name === null ? questions.budget : spend(questions.budget, name, now);
  const asked = new Map(questions.asked).set(replyTo, one);
  const pendingRequests = replyTo === OWN && !one.others ? state.pendingRequests : new Set(state.pendingRequests).add(replyTo);
  return [
    { ...state, pendingRequests, questions: { ...questions, asked, budget } },
    { do: 'askNetwork', question, replyTo, own: state.facts.phone },
  ];
}

function isAbout({ questions: { asked, waiting } }: DeviceState, one: PendingQuestion): boolean {
  const key = keyOf(one);
  return key !== null && [...asked.values(), ...waiting].some((other) => keyOf(other) === key);
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

function waitOf({ questions: { budget, quietUntil } }: DeviceState, one: PendingQuestion, now: number): number {
  const name = budgetOf(one);
  if (name === null) return 0;
  // The upper bound limits the wait if the wall clock was set back.
  const quietMs = isOfGroups(one) ? Math.min(quietUntil - now, LIST_AGAIN_MS) : 0;
  return Math.max(waitMs(budget, name, now), quietMs);
}

function again(state: DeviceState, now: number): readonly ReturnType<typeof after<DeviceEvent>>[] {
  const { waiting } = state.questions;
  if (waiting.length === 0) return [];
  const due = waiting.map((one) => waitOf(state, one, now)).filter((ms) => ms > 0);
  const over = waiting.map(({ since }) => Math.max(1, since + PATIENCE_MS - now));
  return [after<DeviceEvent>('questions', Math.min(...due, ...over, PATIENCE_MS), { type: 'questionDue' })];
}

const withWaiting = (state: DeviceState, waiting: readonly PendingQuestion[]): DeviceState => ({
  ...state,
  questions: { ...state.questions, waiting },
});
