import Joi from 'joi';
import { draftsUsed } from '../../../actors/services/campaigns/draft-limits.ts';
import type { PullReaders } from '../../../actors/services/events/readers.ts';
import { monthOf } from '../../../actors/services/messaging/sending.ts';
import type { ApiKeys } from '../../../store/accounts/api-keys.ts';
import type { Usage } from '../../../store/accounts/usage.ts';
import type { ReplyQuota } from '../../../store/ai-reply/reply-quota.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { MediaUsage } from '../../../store/media/media-usage.ts';
import type { StoreLinks } from '../../../store/store-links/links.ts';
import { type Area, type Call, type Caller, rowsFor } from '../../core/row.ts';
import { Timestamp } from '../../core/schemas.ts';

export interface UsageServices {
  readonly devices: Pick<Devices, 'count'>;
  readonly usage: Pick<Usage, 'messages'>;
  readonly keys: Pick<ApiKeys, 'find'>;
  readonly campaigns: Campaigns;
  readonly mediaUsage: Pick<MediaUsage, 'bytes'>;
  readonly replyQuota: Pick<ReplyQuota, 'used'>;
  readonly pullReaders: Pick<PullReaders, 'list'>;
  readonly stores: { readonly links: Pick<StoreLinks, 'count'> };
}

interface Share {
  readonly used: number;
  readonly limit: number;
}

interface Reader {
  readonly name: string;
  readonly events: readonly string[];
  readonly last_pull_at: number;
}

interface UsageReport {
  readonly plan: string;
  readonly period: string;
  readonly messages: { readonly used: number; readonly quota: number; readonly overage: number };
  readonly devices: Share;
  readonly stores: Share;
  readonly ai_replies: Share;
  readonly open_drafts: Share;
  readonly draft_recipients: Share;
  readonly media_bytes: Share;
  readonly event_readers: readonly Reader[];
  readonly send_per_minute: number;
  readonly rate_limit_per_minute: number;
}

const row = rowsFor<UsageServices>();
const whole = Joi.number().integer().min(0).required();
const share = Joi.object<Share>({ used: whole, limit: whole }).meta({ title: 'QuotaUse' }).required();

export const usage: Area<UsageServices> = {
  name: 'usage',
  about: 'Plan limits and current usage',
  rows: [
    row({
      id: 'getUsage',
      method: 'GET',
      path: '/v1/usage',
      summary: 'Get the usage',
      about: "Get the plan and this month's usage, in your time zone",
      access: 'bearer',
      deviceKeys: true,
      status: 200,
      returns: Joi.object<UsageReport>({
        plan: Joi.string().required().example('free'),
        period: Joi.string()
          .pattern(/^\d{4}-\d{2}$/)
          .required()
          .description("The month, in the tenant's zone")
          .example('2026-11'),
        messages: Joi.object({
          used: whole.description(
            'Messages count when they are accepted. A message no longer counts if it is cancelled, stopped by an opt-out or expires before it is sent',
          ),
          quota: whole,
          overage: whole.description('Billed messages beyond the quota; 0 in a plan without overage'),
        }).required(),
        devices: share,
        stores: share,
        ai_replies: share.description('This month'),
        open_drafts: share.description('Campaigns that have not started'),
        draft_recipients: share.description('Total number of recipients in all drafts'),
        media_bytes: share.description(
          'Bytes of all stored files, including received ones, plus the announced sizes of open bucket uploads',
        ),
        event_readers: Joi.array()
          .items(
            Joi.object<Reader>({
              name: Joi.string().required().example('bridge'),
              events: Joi.array()
                .items(Joi.string())
                .required()
                .description('An empty list means only the events that are always recorded'),
              last_pull_at: Timestamp.required().description('Rounded to the minute'),
            }).meta({ title: 'EventReader' }),
          )
          .required()
          .description('Named readers of `GET /v1/events/pull`, at most five'),
        send_per_minute: whole.description('Sends per minute for each key'),
        rate_limit_per_minute: whole.description(
          'Requests per minute of the calling key. For a login, the highest limit that the plan allows a key',
        ),
      }).meta({ title: 'Usage' }),
      run: report,
    }),
  ],
};

async function report(services: UsageServices, { caller, now }: Call<unknown, unknown, unknown>): Promise<UsageReport> {
  const { tenantId, plan } = caller;
  const period = monthOf(now, plan.zone);
  const [used, devices, stores, perMinute, drafts, files, replies, readers] = await Promise.all([
    services.usage.messages(tenantId, period),
    services.devices.count(tenantId),
    services.stores.links.count(tenantId),
    perMinuteOf(services, caller),
    draftsUsed(services, tenantId),
    services.mediaUsage.bytes(tenantId),
    services.replyQuota.used(tenantId, period),
    services.pullReaders.list(tenantId, now),
  ]);
  return {
    plan: plan.name,
    period,
    messages: { used, quota: plan.messages, overage: plan.overage ? Math.max(0, used - plan.messages) : 0 },
    devices: { used: devices, limit: plan.devices },
    stores: { used: stores, limit: plan.stores },
    ai_replies: { used: replies, limit: plan.ai_replies },
    open_drafts: { used: drafts.drafts, limit: plan.open_drafts },
    draft_recipients: { used: drafts.recipients, limit: plan.draft_recipients },
    media_bytes: { used: files, limit: plan.media_bytes },
    event_readers: readers.map(({ name, events, last_pull_at }) => ({ name, events: events ?? [], last_pull_at })),
    send_per_minute: plan.send_per_minute,
    rate_limit_per_minute: perMinute,
  };
}

async function perMinuteOf({ keys }: UsageServices, { tenantId, key, plan }: Caller): Promise<number> {
  const row = key && (await keys.find(tenantId, key.id));
  return Math.min(row?.rate_limit_per_minute ?? plan.key_cap, plan.key_cap);
}
