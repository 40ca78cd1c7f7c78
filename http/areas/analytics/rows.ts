import Joi from 'joi';
import type { Asked, CostItem, DayFigures, Item, Overview, Reports } from '../../../actors/services/analytics/report.ts';
import { type Area, type Call, type Caller, rowsFor } from '../../core/row.ts';
import { Ulid } from '../../core/schemas.ts';

export interface AnalyticsServices {
  readonly reports: Reports;
}

interface Query {
  readonly days: 7 | 30 | 90;
}

interface CostsQuery extends Query {
  readonly blast_id?: string;
}

const days = Joi.number().valid(7, 30, 90).default(7).description('Number of days in your time zone, including today');
const query = Joi.object<Query>({ days });

const costsQuery = Joi.object<CostsQuery>({
  days,
  blast_id: Ulid.description('Only the costs of this campaign, from its start. `days` is then ignored'),
});

const Count = Joi.number().integer().min(0);
const Rate = Joi.number().min(0).max(1).allow(null).example(0.97);
const counts = {
  sent: Count.required().description('Outbound messages that are `sent`, `delivered` or `read`, by the time at which they were created'),
  received: Count.required(),
  delivered: Count.required().description('Delivered or read'),
  read: Count.required(),
  failed: Count.required(),
};
const figures = {
  ...counts,
  delivery_rate: Rate.description(
    'Share of sent messages that were delivered; null if nothing was sent. Receipts of the last 24 hours may still arrive',
  ),
  read_rate: Rate.description('Share of delivered messages that were read'),
  reply_rate: Rate.description('Share of the people you wrote to who wrote back'),
  opt_outs: Count.description('People who opted out and have not opted in since'),
  new_contacts: Count.allow(null).description('null in the figures of devices, agents and campaigns'),
  active_chats: Count.description('Chats with a message in either direction. For an agent or a campaign, the chats they wrote to'),
  median_first_reply_ms: Count.allow(null).description(
    'Time from the first unanswered message of a customer to the answer. Automatic and AI replies, campaigns, and scheduled and recurring messages do not count as answers',
  ),
};
const ItemSchema = Joi.object<Item>({
  id: Joi.string().required(),
  name: Joi.string().allow(null, '').required(),
  ...required(figures),
}).meta({
  title: 'AnalyticsItem',
});
const AnswersSchema = Joi.object({
  agents: Joi.array()
    .items(
      Joi.object({
        id: Joi.string().required().description('For the owner, the id of the business'),
        name: Joi.string().allow(null, '').required(),
        chats: Count.required().description('Chats that they wrote to'),
        first_reply_median_ms: Count.allow(null).required(),
      }).meta({ title: 'AgentAnswers' }),
    )
    .required(),
  ai: Joi.object({
    answered: Count.required(),
    handed_over: Count.required(),
    silent: Count.required().description('Questions that are still in the list of unanswered questions'),
  }).required(),
  auto_replies: Joi.object({ matched: Count.required().description('Answers by auto-reply rules') }).required(),
}).meta({ title: 'AnalyticsAnswers' });
const CostSchema = Joi.object<CostItem>({
  session_id: Joi.string().required(),
  category: Joi.string().required().example('marketing'),
  country: Joi.string().allow(null).required().description('Country of the recipient; null if unknown').example('ID'),
  currency: Joi.string().allow(null).required().description('null if no price is known').example('USD'),
  billed: Count.required(),
  free: Count.required(),
  amount: Joi.number().min(0).allow(null).required().description('null if the operator has imported no price for it').example(1.23),
}).meta({ title: 'AnalyticsCost' });
const pairOf = (schema: Joi.Schema) => Joi.object({ value: schema.required(), previous: schema.required() }).required();
const OverviewSchema = Joi.object<Overview>(
  Object.fromEntries(Object.entries(figures).map(([name, schema]) => [name, pairOf(schema)])),
).meta({ title: 'AnalyticsOverview' });
const DaySchema = Joi.object<DayFigures>({ date: Joi.string().isoDate().required().example('2026-11-23'), ...counts }).meta({
  title: 'AnalyticsDay',
});
const listOf = (schema: Joi.Schema) => Joi.array().items(schema).required();

function required(schemas: Readonly<Record<string, Joi.Schema>>): Record<string, Joi.Schema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schema.required()]));
}

const row = rowsFor<AnalyticsServices>();

export const analytics: Area<AnalyticsServices> = {
  name: 'analytics',
  about:
    'Figures from the message log in 15-minute steps, in the time zone of your business. Changes appear within seconds. ' +
    'Reactions and imported history are not counted.',
  rows: [
    row({
      id: 'getAnalyticsOverview',
      method: 'GET',
      path: '/v1/analytics/overview',
      heavy: true,
      summary: 'Get the overview',
      about: 'Get the figures for recent days, and for the same number of days before them for comparison',
      access: 'bearer',
      query,
      status: 200,
      returns: OverviewSchema,
      run: ({ reports }, call: AnalyticsCall) => reports.overview(asked(call)),
    }),
    row({
      id: 'getAnalyticsDaily',
      method: 'GET',
      path: '/v1/analytics/daily',
      heavy: true,
      summary: 'Get messages by day',
      about: 'Get the messages of each day, oldest first',
      access: 'bearer',
      query,
      status: 200,
      returns: Joi.object({ days: listOf(DaySchema) }),
      run: async ({ reports }, call: AnalyticsCall) => ({ days: [...(await reports.daily(asked(call)))] }),
    }),
    row({
      id: 'getAnalyticsHourly',
      method: 'GET',
      path: '/v1/analytics/hourly',
      heavy: true,
      summary: 'Get messages by hour',
      about: 'Get the received messages by weekday (row 0 is Sunday) and hour',
      access: 'bearer',
      query,
      status: 200,
      returns: Joi.object({ hours: Joi.array().items(Joi.array().items(Count).length(24)).length(7).required() }),
      run: async ({ reports }, call: AnalyticsCall) => ({ hours: await reports.hourly(asked(call)) }),
    }),
    row({
      id: 'getAnalyticsDevices',
      list: { of: 'devices' },
      method: 'GET',
      path: '/v1/analytics/devices',
      heavy: true,
      summary: 'Get figures by device',
      about:
        'Get the figures of each device, including removed ones that had messages in this period. A restricted key gets its own devices',
      access: 'bearer',
      deviceKeys: true,
      query,
      status: 200,
      returns: Joi.object({ devices: listOf(ItemSchema) }),
      run: async ({ reports }, call: AnalyticsCall) => ({
        devices: [...(await reports.devices(asked(call), call.caller.key?.sessionIds ?? null))],
      }),
    }),
    row({
      id: 'getAnalyticsAgents',
      list: { of: 'agents' },
      method: 'GET',
      path: '/v1/analytics/agents',
      heavy: true,
      summary: 'Get figures by agent',
      about: 'Get the figures for the owner and each agent. Agents get only their own',
      access: 'bearer',
      agents: true,
      query,
      status: 200,
      returns: Joi.object({ agents: listOf(ItemSchema) }),
      run: agentsOf,
    }),
    row({
      id: 'getAnalyticsAnswers',
      method: 'GET',
      path: '/v1/analytics/answers',
      heavy: true,
      summary: 'Get answers by source',
      about:
        'Get how many chats each person answered and how fast, and how many were answered by AI and by rules. An agent gets only their own figures, and zeros for AI and rules',
      access: 'bearer',
      agents: true,
      query,
      status: 200,
      returns: AnswersSchema,
      run: answersOf,
    }),
    row({
      id: 'getAnalyticsCosts',
      method: 'GET',
      path: '/v1/analytics/costs',
      heavy: true,
      summary: 'Get costs',
      about:
        'Get the costs of delivered messages of official numbers by device, category and country, as the platform reported them. A restricted key gets its own devices',
      access: 'bearer',
      deviceKeys: true,
      query: costsQuery,
      status: 200,
      returns: Joi.object({ rows: listOf(CostSchema) }),
      run: async ({ reports }, call: CostsCall) => ({
        rows: [...(await reports.costs(asked(call), call.caller.key?.sessionIds ?? null, call.query.blast_id ?? null))],
      }),
    }),
    row({
      id: 'getAnalyticsBlasts',
      list: { of: 'blasts' },
      method: 'GET',
      path: '/v1/analytics/blasts',
      heavy: true,
      summary: 'Get figures by campaign',
      about: 'Get the figures for up to 500 campaigns with messages in this period, newest first',
      access: 'bearer',
      query,
      status: 200,
      returns: Joi.object({ blasts: listOf(ItemSchema) }),
      run: async ({ reports }, call: AnalyticsCall) => ({ blasts: [...(await reports.blasts(asked(call)))] }),
    }),
  ],
};

type AnalyticsCall = Call<unknown, Query, unknown>;
type CostsCall = Call<unknown, CostsQuery, unknown>;

const asked = ({ caller, query: { days }, now }: AnalyticsCall): Asked => ({
  tenantId: caller.tenantId,
  zone: caller.plan.zone ?? 'UTC',
  days,
  now,
});

async function agentsOf({ reports }: AnalyticsServices, call: AnalyticsCall) {
  const { caller } = call;
  const agents = await reports.agents(asked(call), ownerOf(caller), caller.role === 'agent' ? caller.agentId : null);
  return { agents: [...agents] };
}

async function answersOf(services: AnalyticsServices, call: AnalyticsCall) {
  const isAgent = call.caller.role === 'agent';
  const none = { ai: 0, handed_over: 0, silent: 0, matched: 0 };
  const [{ agents }, machines] = await Promise.all([agentsOf(services, call), isAgent ? none : services.reports.machines(asked(call))]);
  const { ai: answered, handed_over, silent, matched } = machines;
  return {
    agents: agents.map(({ id, name, active_chats, median_first_reply_ms }) => ({
      id,
      name,
      chats: active_chats,
      first_reply_median_ms: median_first_reply_ms,
    })),
    ai: { answered, handed_over, silent },
    auto_replies: { matched },
  };
}

const ownerOf = ({ agentId, tenantId, agentName }: Caller): string | null => (agentId === tenantId ? agentName : null);
