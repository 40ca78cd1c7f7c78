import Joi from 'joi';
import { numberCell } from '../../../actors/domain/csv.ts';
import { addRecipients, type Listed } from '../../../actors/services/campaigns/campaigns.ts';
import { idFloor } from '../../../runtime/derived-ids.ts';
import { skipReason } from '../../../store/campaigns/campaign-status.ts';
import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { RecipientRow, RecipientStatus } from '../../../store/campaigns/recipients.ts';
import { csv } from '../../core/csv.ts';
import { pageFrom } from '../../core/paging.ts';
import { rowsFor } from '../../core/row.ts';
import { atCampaign, type CampaignAreaServices, campaignOf, LONG_LIST } from './campaign-of.ts';
import {
  CampaignRecord,
  LISTED_KEYS,
  RecipientList,
  Recipients,
  recipientQuery,
  shownCampaign,
  shownStatus,
  toRecipient,
} from './schemas.ts';

const row = rowsFor<CampaignAreaServices>();
const REPORT = ['phone', 'status', 'error', 'sent_at', 'delivered_at', 'read_at'];

/** Endpoints of the recipients of a campaign. */
export const recipientRows = [
  row({
    id: 'addBlastRecipients',
    method: 'POST',
    path: '/v1/blasts/{id}/recipients',
    summary: 'Add recipients',
    about: 'Add up to 10,000 recipients to a draft. Numbers that are already listed are left out',
    audit: { none: 'the draft lists them; its start is an entry' },
    access: 'bearer',
    heavy: true,
    deviceKeys: true,
    scope: 'send',
    params: atCampaign,
    body: Joi.object<{ recipients: Listed[] }>({ recipients: Recipients.min(1).required() }),
    maxBytes: LONG_LIST,
    maxKeys: LISTED_KEYS,
    status: 200,
    returns: CampaignRecord,
    refuses: ['CONFLICT', 'LIMIT_REACHED', 'OVERLOADED'],
    async run(services, call) {
      const found = await campaignOf(services, call);
      return shownCampaign(
        services,
        await addRecipients(services, found, call.caller.plan, call.body.recipients, call.caller.callingCode, call.now),
      );
    },
  }),
  row({
    id: 'listBlastRecipients',
    method: 'GET',
    path: '/v1/blasts/{id}/recipients',
    summary: 'List recipients',
    about: 'List recipients with their status, newest first. Invalid ones are `skipped` with `invalid`',
    access: 'bearer',
    deviceKeys: true,
    params: atCampaign,
    query: recipientQuery,
    status: 200,
    returns: RecipientList,
    async run(services, call) {
      const { status, ...query } = call.query;
      const campaign = await campaignOf(services, call);
      const { entries, next } = await pageFrom(call.caller.tenantId, query, {
        list({ limit, before, beforeId }) {
          const behind = beforeId ?? (before === null ? null : idFloor(before));
          return services.recipients.list(campaign._id, storedAs(campaign, status), behind, limit);
        },
        show: (one) => toRecipient(shownIn(campaign, one)),
      });
      return { recipients: entries, ...next };
    },
  }),
  row({
    id: 'getBlastReport',
    method: 'GET',
    path: '/v1/blasts/{id}/report',
    summary: 'Download a campaign report',
    about: 'Download the status of every recipient as CSV. Times are epoch ms',
    audit: { action: 'blast.export' },
    stepUp: true,
    access: 'bearer',
    heavy: true,
    deviceKeys: true,
    params: atCampaign,
    status: 200,
    produces: ['text/csv'],
    samples: { 'text/csv': `${REPORT.join()}\r\n+6281234567890,read,,1767225600000,1767225601000,1767225660000\r\n` },
    returns: Joi.string(),
    async run(services, call) {
      const campaign = await campaignOf(services, call);
      return csv(`blast-${campaign._id}.csv`, REPORT, reported(campaign, services.recipients.all(campaign._id)));
    },
  }),
];

/** Pending recipients of a cancelled or failed campaign are shown as skipped: a long list is marked step by step. */
function shownIn(campaign: CampaignRow, one: RecipientRow): RecipientRow {
  const reason = skipReason(campaign);
  return reason !== null && one.status === 'pending' ? { ...one, status: 'skipped', error: reason } : one;
}

/** Invalid ones are shown as skipped, and so are those of a cancelled or failed campaign that nothing was sent to. */
function storedAs(campaign: CampaignRow, status: RecipientStatus | undefined): RecipientStatus | readonly RecipientStatus[] | null {
  if (status === undefined) return null;
  const areSkipped = skipReason(campaign) !== null;
  if (status === 'pending' && areSkipped) return [];
  return status === 'skipped' ? ['skipped', 'invalid', ...(areSkipped ? (['pending'] as const) : [])] : status;
}

async function* reported(campaign: CampaignRow, rows: AsyncIterable<RecipientRow>) {
  for await (const one of rows) {
    const row = shownIn(campaign, one);
    yield [numberCell(row.phone), shownStatus(row), row.error, row.sent_at, row.delivered_at, row.read_at];
  }
}
