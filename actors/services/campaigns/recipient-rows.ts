import { newId } from '../../../runtime/ids.ts';
import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { ListedValues, RecipientRow } from '../../../store/campaigns/recipients.ts';
import { codeOf, type NumberRead, readingsOf } from '../../domain/numbers/read-number.ts';
import { OF_THE_BUSINESS, zoneOfPhone } from '../../domain/phone-zones.ts';
import { isLid } from '../../network/jid.ts';

export const UNNAMED: ListedValues = { name: null, var1: null, var2: null, var3: null, var4: null, var5: null };

const NOWHERE = 'Etc/UTC';

export const recipientZone = (phone: string): string => (isLid(phone) ? OF_THE_BUSINESS : (zoneOfPhone(phone) ?? NOWHERE));

export function recipientOf(
  campaign: Pick<CampaignRow, '_id' | 'tenant_id'>,
  phone: string,
  values: ListedValues,
  now: number,
): RecipientRow {
  return { ...blankRow(campaign, now), ...values, phone, zone: recipientZone(phone), status: 'pending', error: null };
}

export function invalidRecipientOf(
  campaign: Pick<CampaignRow, '_id' | 'tenant_id'>,
  written: string,
  values: ListedValues,
  read: Exclude<NumberRead, { kind: 'number' }>,
  now: number,
): RecipientRow {
  const isUnknown = read.kind === 'unknown_username';
  const why =
    read.kind === 'ambiguous' ? { error: codeOf(read), readings: readingsOf(read) } : { error: isUnknown ? read.kind : 'invalid' };
  return { ...blankRow(campaign, now), ...values, phone: written, zone: NOWHERE, status: 'invalid', ...why };
}

function blankRow({ _id, tenant_id }: Pick<CampaignRow, '_id' | 'tenant_id'>, now: number) {
  const untouched = { session_id: null, sent_at: null, delivered_at: null, read_at: null };
  return { _id: newId(now), blast_id: _id, tenant_id, created_at: now, ...untouched };
}
