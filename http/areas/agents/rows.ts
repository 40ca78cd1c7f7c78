import Joi from 'joi';
import { isOnline } from '../../../actors/services/agents/online.ts';
import { type AgentChange, agentOf, changeAgent, dismiss, hire, type TeamDeps } from '../../../actors/services/agents/team.ts';
import type { NumberReader } from '../../../actors/services/identities/number-reader.ts';
import type { AgentRow } from '../../../store/agents/agents.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Done, PhoneText, Timestamp, Ulid } from '../../core/schemas.ts';
import { type Limits, takeAllOrRefuse } from '../../limits/limits.ts';

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

const Name = Joi.string().min(1).max(64).pattern(/\S/).example('Dewi');
const Phone = PhoneText.description('With the country code, or in the local format of the business country');

const AgentSchema = Joi.object<Agent>({
  id: Ulid.required(),
  name: Name.required(),
  phone: Joi.string().required().description('Digits with the country code').example('6281298765432'),
  is_active: Joi.boolean().required(),
  online: Joi.boolean()
    .required()
    .description('True while the agent has a live stream open or made a request within the last two minutes; signing out ends it'),
  last_seen_at: Timestamp.allow(null)
    .required()
    .description('Rounded to the minute. null if the agent was never seen or has signed out since'),
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'Agent' });

export interface AgentsServices extends TeamDeps {
  readonly numbers: NumberReader;
  readonly limits: Pick<Limits, 'takeAll'>;
}

const one = Joi.object<{ id: string }>({ id: Ulid.required().description('An agent') });
const row = rowsFor<AgentsServices>();

export const agents: Area<AgentsServices> = {
  name: 'agents',
  about:
    'People who answer customers. An agent signs in with their own phone at `/auth/request-otp` and `/auth/verify-otp`, and sees the chats ' +
    'assigned to them or unassigned. Requests about another agent’s chat return 404',
  rows: [
    row({
      id: 'listAgents',
      list: { of: 'agents' },
      method: 'GET',
      path: '/v1/agents',
      summary: 'List agents by name',
      access: 'owner',
      status: 200,
      returns: Joi.object({ agents: Joi.array().items(AgentSchema).required() }),
      run: async (services, { caller, now }) => ({
        agents: (await services.agents.list(caller.tenantId)).map((agent) => toAgent(agent, now)),
      }),
    }),
    row({
      id: 'createAgent',
      method: 'POST',
      path: '/v1/agents',
      summary: 'Add an agent',
      about:
        'Add an agent, who can sign in at once. The number is reserved when its first code is entered; a person who already uses it to sign in ' +
        'elsewhere is not affected. At most 500 agents, and 20 numbers per minute and 500 per day',
      audit: { action: 'agent.create', on: 'agents' },
      stepUp: true,
      access: 'owner',
      body: Joi.object<{ name: string; phone: string }>({ name: Name.required(), phone: Phone.required() }),
      status: 201,
      returns: AgentSchema,
      refuses: ['INVALID_NUMBER', 'PHONE_IN_USE', 'LIMIT_REACHED', 'RATE_LIMITED'],
      async run(services, { caller, body, now }) {
        const phone = await services.numbers.digits(caller, body.phone);
        await takeNumber(services, caller.tenantId, now);
        return toAgent(await hire(services, caller.tenantId, { name: body.name, phone }, now), now);
      },
    }),
    row({
      id: 'getAgent',
      method: 'GET',
      path: '/v1/agents/{id}',
      summary: 'Get an agent',
      access: 'owner',
      params: one,
      status: 200,
      returns: AgentSchema,
      refuses: ['NOT_FOUND'],
      run: async (services, { caller, params, now }) => toAgent(await agentOf(services, caller.tenantId, params.id), now),
    }),
    row({
      id: 'updateAgent',
      method: 'PATCH',
      path: '/v1/agents/{id}',
      summary: 'Update an agent',
      example: { name: 'Dewi', is_active: true },
      about:
        'A deactivated agent is signed out within 5 seconds, and their chats become unassigned. ' +
        'A new phone number also ends their logins. The person who confirms it starts without passkeys and two-factor',
      audit: { action: 'agent.update', on: 'agents' },
      stepUp: { if: '`phone` changes or the agent is activated' },
      access: 'owner',
      params: one,
      body: Joi.object<AgentChange>({ name: Name, phone: Phone, is_active: Joi.boolean() }),
      status: 200,
      returns: AgentSchema,
      refuses: ['NOT_FOUND', 'INVALID_NUMBER', 'PHONE_IN_USE', 'RATE_LIMITED'],
      async run(services, { caller, params, body: { phone, ...more }, now, expectStepUp }) {
        if (phone !== undefined) await takeNumber(services, caller.tenantId, now);
        const change = { ...more, ...(phone !== undefined && { phone: await services.numbers.digits(caller, phone) }) };
        return toAgent(await changeAgent(services, caller.tenantId, params.id, change, { now, expectStepUp }), now);
      },
    }),
    row({
      id: 'deleteAgent',
      method: 'DELETE',
      path: '/v1/agents/{id}',
      summary: 'Remove an agent',
      about: 'The agent is signed out, and their chats become unassigned',
      audit: { action: 'agent.delete', on: 'agents' },
      stepUp: { none: 'takes access away' },
      access: 'owner',
      params: one,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run(services, { caller, params, now }) {
        await dismiss(services, caller.tenantId, params.id, now);
        return { ok: true as const };
      },
    }),
  ],
};

const takeNumber = ({ limits }: AgentsServices, tenantId: string, now: number): Promise<void> =>
  takeAllOrRefuse(
    limits,
    NUMBER_LIMITS.map(({ per, ...rest }) => ({ key: `agent-phones:${per}:${tenantId}`, ...rest })),
    now,
  );

/**
 * Limits how many numbers a tenant may enter, because the platform sends a verification message to
 * each.
 */
const NUMBER_LIMITS = [
  { per: 'minute', max: 20, windowMs: 60_000 },
  { per: 'day', max: 500, windowMs: 86_400_000 },
];

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
