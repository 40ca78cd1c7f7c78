import Joi from 'joi';
import { type Cell, numberCell } from '../../../actors/domain/csv.ts';
import { partsOfNumber } from '../../../actors/domain/phone-numbers.ts';
import { personIn } from '../../../actors/network/subject.ts';
import { addRecipients, type Listed } from '../../../actors/services/campaigns/campaigns.ts';
import { idFloor } from '../../../runtime/derived-ids.ts';
import { skipReason } from '../../../store/campaigns/campaign-status.ts';
import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { RecipientFilter, RecipientRow, RecipientStatus } from '../../../store/campaigns/recipients.ts';
import { folded } from '../../../store/contacts/contacts.ts';
import { readSliced } from '../../../store/paging/read-sliced.ts';
import { batchesOf } from '../../../store/patterns/batches-of.ts';
import { csv } from '../../core/csv.ts';
import { pageFrom } from '../../core/paging.ts';
import { rowsFor } from '../../core/row.ts';
import { readingOf } from '../look-ups.ts';
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
const REPORT = ['phone', 'status', 'error', 'sent_at', 'delivered_at', 'read_at', 'lid', 'username'];

export const recipientRows = [
  row({
    id: 'addBlastRecipients',
    method: 'POST',
    path: '/v1/blasts/{id}/recipients',
    summary: 'Add recipients',
    about: 'Add up to 10,000 recipients to a draft. Numbers that are already listed are ignored',
    audit: { none: 'the draft lists them; its start has an entry' },
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
        await addRecipients(services, found, call.caller.plan, call.body.recipients, readingOf(services, call), call.now),
      );
    },
  }),
  row({
    id: 'listBlastRecipients',
    method: 'GET',
    path: '/v1/blasts/{id}/recipients',
    summary: 'List recipients',
    about:
      'List recipients with their status, newest first. Invalid ones are `skipped` with `invalid`. With `q`, a page may have fewer entries than `limit`, or none, although more follow',
    access: 'bearer',
    deviceKeys: true,
    params: atCampaign,
    query: recipientQuery,
    status: 200,
    returns: RecipientList,
    async run(services, call) {
      const { status, reason, q, ...query } = call.query;
      const campaign = await campaignOf(services, call);
      const found = q === undefined ? null : searchFor(q, call.caller.callingCode);
      const isAsked = (one: RecipientRow): boolean =>
        (reason === undefined || shownIn(campaign, one).error === reason) && (found === null || found(one));
      const { entries, next } = await pageFrom(call.caller.tenantId, query, {
        list({ limit, before, beforeId }) {
          const behind = beforeId ?? (before === null ? null : idFloor(before));
          return services.recipients.list(campaign._id, shownWith(campaign, status, reason), behind, limit);
        },
        keep: reason === undefined && found === null ? null : (rows) => rows.filter(isAsked),
        async showAll(some) {
          const usernames = await usernamesOf(services, campaign, some);
          return some.map((one) => toRecipient(shownIn(campaign, one), usernames.get(one.phone) ?? null));
        },
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
      return csv(`blast-${campaign._id}.csv`, REPORT, reported(services, campaign, services.recipients.all(campaign._id)));
    },
  }),
];

/** When a campaign ends, recipients are marked in batches, so some may still be stored as pending. */
function shownIn(campaign: CampaignRow, one: RecipientRow): RecipientRow {
  const reason = skipReason(campaign);
  return reason !== null && one.status === 'pending' ? { ...one, status: 'skipped', error: reason } : one;
}

function storedAs(campaign: CampaignRow, status: RecipientStatus | undefined): RecipientStatus | readonly RecipientStatus[] | null {
  if (status === undefined) return null;
  const areSkipped = skipReason(campaign) !== null;
  if (status === 'pending' && areSkipped) return [];
  return status === 'skipped' ? ['skipped', 'invalid', ...(areSkipped ? (['pending'] as const) : [])] : status;
}

/** A campaign-wide reason is not stored with each recipient, so the filter leaves it out. */
function shownWith(campaign: CampaignRow, status: RecipientStatus | undefined, reason: string | undefined): RecipientFilter {
  const filter = { status: storedAs(campaign, status) };
  return reason === undefined || reason === skipReason(campaign) ? filter : { ...filter, error: reason };
}

function searchFor(q: string, callingCode: string): (row: RecipientRow) => boolean {
  const name = folded(q);
  const digits = partsOfNumber(q, callingCode);
  return (row) => (row.name !== null && folded(row.name).includes(name)) || digits.some((part) => row.phone.includes(part));
}

async function* reported(services: CampaignAreaServices, campaign: CampaignRow, rows: AsyncIterable<RecipientRow>) {
  for await (const some of batchesOf(rows)) {
    const usernames = await usernamesOf(services, campaign, some);
    for (const one of some) yield reportLine(shownIn(campaign, one), usernames.get(one.phone) ?? null);
  }
}

async function usernamesOf({ contacts }: CampaignAreaServices, { tenant_id }: CampaignRow, rows: readonly RecipientRow[]) {
  const subjects = rows.filter(({ status }) => status !== 'invalid').map(({ phone }) => phone);
  const known = await readSliced(tenant_id, subjects, (some) => contacts.byPhones(tenant_id, some));
  return new Map(known.map(({ phone, username }) => [phone, username ?? null]));
}

function reportLine(row: RecipientRow, username: string | null): readonly Cell[] {
  const { phone, lid } = personIn(row.phone);
  return [phone && numberCell(phone), shownStatus(row), row.error, row.sent_at, row.delivered_at, row.read_at, lid, username];
}
