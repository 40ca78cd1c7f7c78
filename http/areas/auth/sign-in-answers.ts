import Joi from 'joi';
import type { Person } from '../../../actors/services/accounts/sign-in.ts';
import { type AuditTrail, systemDraft } from '../../../actors/services/audit/audit-trail.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { AuditDraft } from '../../../store/audit/entry.ts';
import type { AuthSuccess } from '../../auth/logins.ts';
import type { Call } from '../../core/row.ts';

export const AuthSuccessSchema = Joi.object<AuthSuccess>({
  token: Joi.string().required().description('JWT, valid for 2 hours'),
  refresh_token: Joi.string().required().description('Valid for 30 days. Can be used once'),
  role: Joi.string().valid('admin', 'agent').required(),
  agent_id: Joi.string().required(),
  agent_name: Joi.string().allow('').required(),
}).meta({ title: 'AuthSuccess' });

export interface TwoFactorRequired {
  readonly two_factor_required: true;
  readonly challenge: string;
  readonly role: 'admin' | 'agent';
}

export const TwoFactorRequiredSchema = Joi.object<TwoFactorRequired>({
  two_factor_required: Joi.boolean().valid(true).required(),
  challenge: Joi.string().required().description('For `POST /auth/2fa/verify`, valid for 5 minutes'),
  role: Joi.string().valid('admin', 'agent').required(),
}).meta({ title: 'TwoFactorRequired' });

export function signInDraft(
  person: Person,
  { address, requestId, now }: Pick<Call<unknown, unknown, unknown>, 'address' | 'requestId' | 'now'>,
  auth: AuditDraft['auth'],
): AuditDraft {
  const actor = { kind: person.role === 'agent' ? ('agent' as const) : ('owner' as const), id: person.agentId, name: person.agentName };
  return {
    ...systemDraft(person.tenantId, 'login.create', { kind: 'login', id: null }, now, { actor, auth, address }),
    request_id: requestId,
  };
}

export async function refused({ audit }: { readonly audit: AuditTrail }, draft: AuditDraft, cause: unknown): Promise<never> {
  if (cause instanceof Refusal) await audit.refused(draft, cause.code);
  throw cause;
}
