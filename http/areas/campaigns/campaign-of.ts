import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { CampaignDeps } from '../../../actors/services/campaigns/campaigns.ts';
import type { PreviewDeps } from '../../../actors/services/campaigns/preview.ts';
import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { Contacts } from '../../../store/contacts/contacts.ts';
import type { IdempotencyKeys } from '../../../store/messaging/idempotency.ts';
import type { Caller } from '../../core/row.ts';
import { Ulid } from '../../core/schemas.ts';
import type { Limits } from '../../limits/limits.ts';
import type { PersonServices } from '../look-ups.ts';
import type { ContentServices } from './content.ts';

export interface CampaignAreaServices extends CampaignDeps, Omit<ContentServices, 'audiences'>, Pick<PersonServices, 'lookUps'> {
  readonly previewDeps: PreviewDeps;
  readonly limits: Limits;
  readonly idempotency: IdempotencyKeys;
  readonly contacts: Pick<Contacts, 'byPhones'>;
  requiresAttestation(tenantId: string): Promise<boolean>;
}

export const atCampaign = Joi.object<{ id: string }, true>({ id: Ulid.required().description('A campaign') });

export const LONG_LIST = 4 * 1024 * 1024;

/** Fails with NOT_FOUND if the campaign is unknown or belongs to a device the key may not use. */
export async function campaignOf(
  { campaigns }: CampaignAreaServices,
  { caller, params }: { caller: Caller; params: { id: string } },
): Promise<CampaignRow> {
  const found = await campaigns.find(caller.tenantId, params.id);
  const own = caller.key?.sessionIds;
  if (!found || (own && !own.includes(found.session_id ?? ''))) throw refusal('NOT_FOUND');
  return found;
}
