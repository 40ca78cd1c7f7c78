/**
 * Writes audit entries for calls of endpoints, both successful and refused. The `audit` rule of an
 * endpoint's row decides when and how (`AuditRule` in row.ts). The entries are kept in the store.
 */

import type { AuditTrail } from '../../actors/services/audit/audit-trail.ts';
import { Refusal } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ids.ts';
import { before } from '../../runtime/invariant.ts';
import { type AuditActor, type AuditAuth, type AuditDraft, OPERATOR_LOG } from '../../store/audit/entry.ts';
import { addressOf } from './caller-address.ts';
import type { Engine, Remembered, RowFacts } from './engine.ts';
import type { Exchange } from './exchange.ts';
import type { AuditRule, Call, Caller, OperatorCall } from './row.ts';

type Rule = Extract<AuditRule, { action: string }>;

export type Acting = Pick<Partial<Remembered>, 'caller' | 'operator' | 'id'>;

export function audited(
  { audit }: Engine,
  row: RowFacts,
  actor: Acting,
  call: Pick<Call<unknown, unknown, unknown>, 'address' | 'now' | 'params'>,
  work: () => unknown,
): unknown {
  const rule = actionOf(row);
  if (!audit || !rule || rule.own) return work();
  const draft = draftOf(rule, actor, call);
  if (rule.on) return audit.act(draft, { collection: rule.on, ...(rule.kinds && { kinds: rule.kinds }) }, async () => work());
  if (row.method !== 'GET') return audit.command(draft, async () => work());
  return recorded(audit, draft, work);
}

async function recorded(audit: AuditTrail, draft: AuditDraft, work: () => unknown): Promise<unknown> {
  const answer = await work();
  await audit.record(draft);
  return answer;
}

/** Never fails. An error while writing the entry is only logged. */
export async function auditRefusal(
  { audit, log, clock, trustedProxies }: Engine,
  row: RowFacts,
  request: Exchange,
  cause: unknown,
): Promise<void> {
  if (!audit || !(cause instanceof Refusal)) return;
  const { caller, operator } = request.app;
  const isUnknownOperator = row.access === 'operator' && operator === undefined;
  if (isUnknownOperator && !request.headers['x-admin-secret']) return;
  const rule: Rule | null = isUnknownOperator ? { action: 'operator.sign_in' } : actionOf(row);
  if (!rule || (!caller && row.access !== 'operator')) return;
  const call = { address: addressOf(request, trustedProxies), now: clock.now(), params: isUnknownOperator ? {} : request.params };
  try {
    await audit.refused(draftOf(rule, request.app, call), cause.code);
  } catch (failure) {
    log.warn({ event: 'audit.refusal_missing', req: request.app.id, err: failure }, 'a refusal is missing from the audit log');
  }
}

const actionOf = ({ audit }: RowFacts): Rule | null => (audit && 'action' in audit ? audit : null);

interface Facts {
  readonly address: string;
  readonly now: number;
  readonly params: unknown;
}

function draftOf(rule: Rule, { caller, operator, id }: Acting, { address, now, params }: Facts): AuditDraft {
  const named: unknown = Object.values(params ?? {}).at(-1);
  const targetId = typeof named === 'string' ? named : null;
  const kind = rule.target ?? before(rule.action, '.');
  const actor = caller ? callerPart(caller) : operatorPart(operator ?? null, kind, targetId);
  return entryOf(actor, { address, requestId: id ?? null, now }, rule.action, { kind, id: targetId });
}

interface ActorPart {
  readonly tenant_id: string;
  readonly actor: AuditActor;
  readonly auth: AuditAuth | null;
}

function callerPart({ tenantId, role, agentId, agentName, auth, key }: Caller): ActorPart {
  const kind = role === 'agent' ? 'agent' : 'owner';
  return { tenant_id: tenantId, auth, actor: key ? { kind: 'key', id: key.id, name: key.name } : { kind, id: agentId, name: agentName } };
}

export const actDraft = (
  call: Pick<Call<unknown, unknown, unknown>, 'caller' | 'address' | 'requestId' | 'now'>,
  action: `${string}.${string}`,
  target: AuditDraft['target'],
): AuditDraft => entryOf(callerPart(call.caller), call, action, target);

export const operatorDraft = (
  call: Pick<OperatorCall<unknown, unknown, unknown>, 'operator' | 'address' | 'requestId' | 'now'>,
  action: `${string}.${string}`,
  target: { readonly kind: string; readonly id: string },
  changes: AuditDraft['changes'],
): AuditDraft => entryOf(operatorPart(call.operator, target.kind, target.id), call, action, target, changes);

const entryOf = (
  actor: ActorPart,
  { address, requestId, now }: { readonly address: string; readonly requestId: string | null; readonly now: number },
  action: AuditDraft['action'],
  target: AuditDraft['target'],
  changes: AuditDraft['changes'] = [],
): AuditDraft => ({ ...actor, id: newId(now), at: now, address, request_id: requestId, action, target, result: 'ok', code: null, changes });

/** An operator's action on one tenant is recorded in that tenant's own log. */
const operatorPart = (name: string | null, kind: string, targetId: string | null): ActorPart => ({
  tenant_id: kind === 'tenant' && targetId !== null ? targetId : OPERATOR_LOG,
  auth: 'secret',
  actor: { kind: 'operator', id: name, name },
});
