import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import { type Area, type Caller, rowsFor, type Scope } from '../../core/row.ts';

export interface MeServices {
  readonly tenants: Tenants;
}

interface Me {
  readonly tenant_id: string;
  readonly role: Caller['role'];
  readonly agent_id: string;
  readonly agent_name: string;
  readonly name: string;
  readonly auth: 'login' | 'api_key';
  readonly scopes: readonly Scope[] | null;
  readonly sessions: readonly string[] | null;
}

const row = rowsFor<MeServices>();

export const me: Area<MeServices> = {
  name: 'me',
  about: 'The caller',
  rows: [
    row({
      id: 'getMe',
      method: 'GET',
      path: '/v1/me',
      summary: 'Get the current caller',
      about: 'Get the tenant, the role, and the login or API key of the caller',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      whileEnding: true,
      status: 200,
      returns: Joi.object<Me>({
        tenant_id: Joi.string().required(),
        role: Joi.string().valid('admin', 'agent').required(),
        agent_id: Joi.string().required().description('The id of the agent; for the owner, the id of the tenant'),
        agent_name: Joi.string().allow('').required(),
        name: Joi.string().required().description("The tenant's name"),
        auth: Joi.string().valid('login', 'api_key').required(),
        scopes: Joi.array()
          .items(Joi.string().valid('read', 'send', 'manage'))
          .allow(null)
          .required()
          .description('What an API key may do; null for a login'),
        sessions: Joi.array()
          .items(Joi.string())
          .allow(null)
          .required()
          .description('The devices that a restricted key can use; null for all'),
      }).meta({ title: 'Me' }),
      run: (services, { caller }) => describeCaller(services, caller),
    }),
  ],
};

async function describeCaller({ tenants }: MeServices, caller: Caller): Promise<Me> {
  const tenant = await tenants.find(caller.tenantId);
  if (!tenant) throw refusal('UNAUTHORIZED');
  const { tenantId: tenant_id, role, agentId: agent_id, agentName: agent_name, key } = caller;
  const ofKey = { auth: key ? 'api_key' : 'login', scopes: key?.scopes ?? null, sessions: key?.sessionIds ?? null } as const;
  return { tenant_id, role, agent_id, agent_name, name: tenant.name, ...ofKey };
}
