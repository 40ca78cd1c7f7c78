import Joi from 'joi';
import { isOnline } from '../../actors/agents/online.ts';
import { type AgentChange, agentOf, changeAgent, dismiss, hire, type TeamPorts } from '../../actors/agents/team.ts';
import { resolveNumber } from '../../actors/phone-numbers.ts';
import type { AgentRow } from '../../store/agents.ts';
import { pageFrom } from '../paging.ts';
import { type Area, rowsFor } from '../row.ts';
import { Done, nextPage, PhoneText, paging, Timestamp, Ulid } from '../schemas.ts';

interface Agent {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly is_active: boolean;
  readonly online: boolean;
  readonly last_seen_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

interface ListQuery {
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

const Name = Joi.string().min(1).max(64).pattern(/\S/).example('Dewi');
const Phone = PhoneText.description('With country code, or in the local format of the business country');

const AgentSchema = Joi.object<Agent>({
  id: Ulid.required(),
  name: Name.required(),
  phone: Joi.string().required().description('Digits with country code').example('6281298765432'),
  is_active: Joi.boolean().required(),
  online: Joi.boolean().required().description('Has a live stream open, or called within the last two minutes; signing out ends it'),
  last_seen_at: Timestamp.allow(null).required().description('To the minute; null: never, or signed out since'),
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'Agent' });

const one = Joi.object<{ id: string }>({ id: Ulid.required().description('An agent') });
const row = rowsFor<TeamPorts>();

export const agents: Area<TeamPorts> = {
  name: 'agents',
  about:
    'People who answer customers. An agent signs in with their own phone at `/auth/request-otp` and `/auth/verify-otp`, and sees the chats ' +
    'assigned to them or to nobody: what belongs to the chat of another agent does not exist for them (404)',
  rows: [
    row({
      id: 'listAgents',
      method: 'GET',
      path: '/v1/agents',
      summary: 'All agents, newest first',
      access: 'owner',
      query: Joi.object<ListQuery>(paging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ agents: Joi.array().items(AgentSchema).required(), ...nextPage }),
      async run(world, { caller, query, now }) {
        const { rows, next } = await pageFrom(query, (place) => world.agents.list(caller.tenantId, place));
        return { agents: rows.map((agent) => toAgent(agent, now)), ...next };
      },
    }),
    row({
      id: 'createAgent',
      method: 'POST',
      path: '/v1/agents',
      summary: 'Add an agent, who can sign in from now on. A phone belongs to one owner or agent of all tenants; 500 agents at most',
      access: 'owner',
      body: Joi.object<{ name: string; phone: string }>({ name: Name.required(), phone: Phone.required() }),
      status: 201,
      returns: AgentSchema,
      refuses: ['INVALID_NUMBER', 'PHONE_IN_USE', 'LIMIT_REACHED'],
      async run(world, { caller, body, now }) {
        const phone = resolveNumber(body.phone, caller.callingCode);
        return toAgent(await hire(world, caller.tenantId, { name: body.name, phone }, now), now);
      },
    }),
    row({
      id: 'getAgent',
      method: 'GET',
      path: '/v1/agents/{id}',
      summary: 'One agent',
      access: 'owner',
      params: one,
      status: 200,
      returns: AgentSchema,
      refuses: ['NOT_FOUND'],
      run: async (world, { caller, params, now }) => toAgent(await agentOf(world, caller.tenantId, params.id), now),
    }),
    row({
      id: 'updateAgent',
      method: 'PATCH',
      path: '/v1/agents/{id}',
      summary:
        'Change an agent. One who is deactivated is out at once, on every node within 5 seconds, and their chats are assigned to nobody; ' +
        'another phone ends their logins, too',
      access: 'owner',
      params: one,
      body: Joi.object<AgentChange>({ name: Name, phone: Phone, is_active: Joi.boolean() }),
      status: 200,
      returns: AgentSchema,
      refuses: ['NOT_FOUND', 'INVALID_NUMBER', 'PHONE_IN_USE'],
      async run(world, { caller, params, body: { phone, ...more }, now }) {
        const change = { ...more, ...(phone !== undefined && { phone: resolveNumber(phone, caller.callingCode) }) };
        return toAgent(await changeAgent(world, caller.tenantId, params.id, change, now), now);
      },
    }),
    row({
      id: 'deleteAgent',
      method: 'DELETE',
      path: '/v1/agents/{id}',
      summary: 'Remove an agent, who is out at once; their chats are assigned to nobody',
      access: 'owner',
      params: one,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run(world, { caller, params, now }) {
        await dismiss(world, caller.tenantId, params.id, now);
        return { ok: true as const };
      },
    }),
  ],
};

function toAgent(agent: AgentRow, now: number): Agent {
  const { _id: id, name, phone, is_active, last_seen_at, created_at, updated_at } = agent;
  return {
    id,
    name,
    phone,
    is_active,
    online: isOnline(agent, now),
    last_seen_at: last_seen_at === 0 ? null : last_seen_at,
    created_at,
    updated_at,
  };
}
