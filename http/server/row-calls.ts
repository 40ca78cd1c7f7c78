import { refusal } from '../../actors/domain/refusals.ts';
import { fairSlices } from '../../runtime/fair-slices.ts';
import { entry } from '../../runtime/invariant.ts';
import { safeTexts } from '../../runtime/safe-text.ts';
import { countInner, expectFreshFactor, forbidInner, stepUpOf } from '../auth/admit.ts';
import { audited } from '../core/audited.ts';
import { bothOf, orUnknown } from '../core/input.ts';
import { Raw } from '../core/row.ts';
import type { Asking, RowCalls, RowInput } from '../core/row-calls.ts';
import { deviceOf, expectDocumented, type Prepared, timelyOf } from './mount.ts';

export function rowCalls(rows: readonly Prepared[]): RowCalls {
  const byId = new Map(rows.map((row) => [row.facts.id, row]));
  return {
    isAllowed(id, caller) {
      try {
        forbidInner(entry(byId, id).facts, caller);
        return true;
      } catch {
        return false;
      }
    },
    call: (id, input, asking) => call(entry(byId, id), input, asking),
  };
}

async function call(row: Prepared, input: RowInput, asking: Asking): Promise<unknown> {
  const { engine, facts } = row;
  const { caller } = asking;
  forbidInner(facts, caller);
  const own = caller.key?.sessionIds;
  const sessionId = input.params?.['sessionId'];
  if (own && sessionId !== undefined && !own.includes(sessionId)) throw refusal('NOT_FOUND');
  const leave = facts.heavy ? await engine.heavyCalls.enter(caller.tenantId) : null;
  try {
    return await answerOf(row, input, facts.heavy ? { ...asking, now: engine.clock.now() } : asking);
  } finally {
    leave?.();
  }
}

async function answerOf(row: Prepared, input: RowInput, asking: Asking): Promise<unknown> {
  const { engine, facts } = row;
  const { caller, now } = asking;
  const params = orUnknown(() => row.params(input.params ?? {}));
  const validBody = input.headers?.['idempotency-key'] === undefined ? row.body : row.keyedBody;
  const { query, body } = await bothOf(
    () => row.query(asWritten(input.query ?? {})),
    'together',
    () =>
      facts.method === 'GET' ? undefined : facts.bytes ? input.body : validBody(input.body ?? {}, () => fairSlices.turn(caller.tenantId)),
  );
  await countInner(engine, facts, caller, now);
  expectFreshFactor(facts, caller, now);
  const device = row.namesDevice ? await deviceOf(engine, caller, input.params ?? {}) : undefined;
  const full = {
    ...asking,
    expectStepUp: stepUpOf(facts, caller, now),
    expectTimely: timelyOf(facts, body, now),
    operator: undefined,
    cookie: undefined,
    params: safeTexts(params),
    query: safeTexts(query),
    body: safeTexts(body),
    sent: input.sent ?? body,
    device,
    header: (name: string) => input.headers?.[name],
  };
  const answer = await audited(engine, facts, { caller, id: asking.requestId }, full, () => row.run(full));
  if (engine.checkAnswers && !(answer instanceof Raw)) expectDocumented(facts, answer);
  return answer;
}

const asWritten = (query: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
