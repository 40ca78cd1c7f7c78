import Joi from 'joi';
import { monthOf } from '../../actors/sending.ts';
import type { ApiKeys } from '../../store/api-keys.ts';
import type { Devices } from '../../store/devices.ts';
import type { Usage } from '../../store/usage.ts';
import { type Area, type Call, type Caller, rowsFor } from '../row.ts';

export interface UsageWorld {
  readonly devices: Pick<Devices, 'count'>;
  readonly usage: Pick<Usage, 'messages'>;
  readonly keys: Pick<ApiKeys, 'find'>;
}

interface Share {
  readonly used: number;
  readonly limit: number;
}

interface UsageReport {
  readonly plan: string;
  readonly period: string;
  readonly messages: { readonly used: number; readonly quota: number; readonly overage: number };
  readonly devices: Share;
  readonly stores: Share;
  readonly ai_replies: Share;
  readonly send_per_minute: number;
  readonly rate_limit_per_minute: number;
}

const row = rowsFor<UsageWorld>();
const whole = Joi.number().integer().min(0).required();
const share = Joi.object<Share>({ used: whole, limit: whole }).required();

export const usage: Area<UsageWorld> = {
  name: 'usage',
  about: 'What the plan allows, and how much of it is used',
  rows: [
    row({
      id: 'getUsage',
      method: 'GET',
      path: '/v1/usage',
      summary: 'The plan, and what is used of it in this month (UTC)',
      access: 'bearer',
      agents: false,
      status: 200,
      returns: Joi.object<UsageReport>({
        plan: Joi.string().required().example('free'),
        period: Joi.string()
          .pattern(/^\d{4}-\d{2}$/)
          .required()
          .description('The month, in UTC')
          .example('2026-11'),
        messages: Joi.object({
          used: whole.description(
            'Counted when accepted; one that is cancelled, stopped by an opt-out or expired before it left is given back',
          ),
          quota: whole,
          overage: whole.description('Beyond the quota, and billed; 0 in a plan that sends nothing beyond it'),
        }).required(),
        devices: share,
        stores: share,
        ai_replies: share.description('This month'),
        send_per_minute: whole.description('Sends a minute and key'),
        rate_limit_per_minute: whole.description(
          "Requests a minute of the calling key; to a login: the most that the plan's keys may have",
        ),
      }).meta({ title: 'Usage' }),
      run: report,
    }),
  ],
};

async function report(world: UsageWorld, { caller, now }: Call<unknown, unknown, unknown>): Promise<UsageReport> {
  const { tenantId, plan } = caller;
  const period = monthOf(now);
  const [used, devices, perMinute] = await Promise.all([
    world.usage.messages(tenantId, period),
    world.devices.count(tenantId),
    perMinuteOf(world, caller),
  ]);
  return {
    plan: plan.name,
    period,
    messages: { used, quota: plan.messages, overage: plan.overage ? Math.max(0, used - plan.messages) : 0 },
    devices: { used: devices, limit: plan.devices },
    // There is no way yet to connect a store or to have a reply written.
    stores: { used: 0, limit: plan.stores },
    ai_replies: { used: 0, limit: plan.ai_replies },
    send_per_minute: plan.send_per_minute,
    rate_limit_per_minute: perMinute,
  };
}

async function perMinuteOf({ keys }: UsageWorld, { tenantId, key, plan }: Caller): Promise<number> {
  const row = key && (await keys.find(tenantId, key.id));
  return Math.min(row?.rate_limit_per_minute ?? plan.key_cap, plan.key_cap);
}
