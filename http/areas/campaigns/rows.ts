import Joi from 'joi';
import { inStatus, invalidField, refusal } from '../../../actors/domain/refusals.ts';
import { unknownTokensIn } from '../../../actors/domain/text-tokens.ts';
import { tokenTextsOf } from '../../../actors/services/campaigns/campaign-texts.ts';
import { CAMPAIGN, counted, draftCampaign, removeCampaign, wakeFor } from '../../../actors/services/campaigns/campaigns.ts';
import { refusedStart } from '../../../actors/services/campaigns/started-limit.ts';
import { actOnce, keyFrom } from '../../../actors/services/messaging/idempotency.ts';
import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import { actDraft } from '../../core/audited.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, type Call, rowsFor } from '../../core/row.ts';
import { Done } from '../../core/schemas.ts';
import { readingOf } from '../look-ups.ts';
import { tokenWarnings } from '../token-warnings.ts';
import { atCampaign, type CampaignAreaServices, campaignOf, LONG_LIST } from './campaign-of.ts';
import { changeOf, contentAsRead, draftOf, faultsOfCampaign, overdueIn } from './content.ts';
import { furtherRows } from './further-rows.ts';
import { recipientRows } from './recipient-rows.ts';
import {
  type CampaignBody,
  CampaignChange,
  CampaignList,
  CampaignRecord,
  CampaignSchema,
  campaignQuery,
  LISTED_KEYS,
  shownCampaign,
  toCampaign,
} from './schemas.ts';

const row = rowsFor<CampaignAreaServices>();

const ORDERED = {
  pause: { summary: 'Pause a campaign', about: 'Pause a campaign. A message that is already being sent still goes out' },
  resume: { summary: 'Resume a paused campaign' },
  cancel: { summary: 'Cancel a campaign', about: 'Cancel a campaign permanently. Remaining recipients are skipped with `cancelled`' },
} as const;

export const campaigns: Area<CampaignAreaServices> = {
  name: 'blasts',
  about:
    'Campaigns: one message to many people, once each. They are sent at the pace of the device, inside the send window of the settings, and never ' +
    'to people who opted out. Recipients are unique by number.',
  rows: [
    row({
      id: 'createBlast',
      method: 'POST',
      path: '/v1/blasts',
      summary: 'Create a campaign',
      example: {
        session_id: '01JZX5ZB4T8QKX3N9V7C2M6D1E',
        name: 'Spring sale',
        message_type: 'text',
        body: 'Hi {{first_name|there}}, everything is 10% off today.',
        recipients: [{ phone: '+6281234567890', name: 'Anna' }],
      },
      about: 'Create a campaign. It stays a draft until you start it or `scheduled_at` is reached',
      audit: { action: 'blast.create', on: 'campaigns', kinds: ['insert'] },
      stepUp: { none: 'sends messages; grants no access' },
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      scope: 'send',
      limit: 'blast',
      body: CampaignSchema,
      check: faultsOfCampaign,
      timely: overdueIn,
      maxBytes: LONG_LIST,
      maxKeys: LISTED_KEYS,
      headers: ['idempotency-key'],
      status: 201,
      returns: CampaignRecord,
      refuses: ['CONFLICT', 'NOT_FOUND', 'FORBIDDEN', 'CONSENT_ATTESTATION_REQUIRED', 'LIMIT_REACHED', 'OVERLOADED'],
      run: create,
    }),
    row({
      id: 'listBlasts',
      method: 'GET',
      path: '/v1/blasts',
      summary: 'List campaigns',
      about: 'List campaigns, newest first',
      access: 'bearer',
      deviceKeys: true,
      query: campaignQuery,
      status: 200,
      returns: CampaignList,
      async run({ campaigns, audiences }, { caller, query: { status, ...query } }) {
        const own = caller.key?.sessionIds;
        const filter = { ...(status !== undefined && { status }), ...(own && { sessionIds: own }) };
        const tagNames = await audiences.tagNames(caller.tenantId);
        const { entries, next } = await pageFrom(caller.tenantId, query, {
          list: (page) => campaigns.list(caller.tenantId, filter, page),
          show: (one) => toCampaign(one, tagNames),
        });
        return { blasts: entries, ...next };
      },
    }),
    row({
      id: 'getBlast',
      method: 'GET',
      path: '/v1/blasts/{id}',
      summary: 'Get a campaign',
      about: 'Get a campaign. While it runs, its counts are at most a second old',
      access: 'bearer',
      deviceKeys: true,
      params: atCampaign,
      status: 200,
      returns: CampaignRecord,
      run: async (services, call) => shownCampaign(services, await campaignOf(services, call)),
    }),
    row({
      id: 'changeBlast',
      method: 'PATCH',
      path: '/v1/blasts/{id}',
      summary: 'Update a draft campaign',
      example: { name: 'Spring sale', body: 'Hi {{first_name|there}}, everything is 20% off today.' },
      about: 'Update a draft. Omitted fields are unchanged',
      audit: { action: 'blast.update', on: 'campaigns' },
      stepUp: { none: 'sends messages; grants no access' },
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      scope: 'send',
      params: atCampaign,
      body: CampaignChange,
      status: 200,
      returns: CampaignRecord,
      refuses: ['CONFLICT', 'CONSENT_ATTESTATION_REQUIRED'],
      async run(services, call) {
        const changed = await changedDraft(services, call);
        wakeFor(services, changed, call.now);
        const shown = await shownCampaign(services, await counted(services, changed, call.now));
        return { ...shown, ...tokenWarnings(call.lang, ...tokenTextsOf(changed)) };
      },
    }),
    row({
      id: 'deleteBlast',
      method: 'DELETE',
      path: '/v1/blasts/{id}',
      summary: 'Delete a campaign',
      about: 'Delete a draft or an ended campaign with its recipients. Its messages stay in the log',
      audit: { action: 'blast.delete', on: 'campaigns' },
      stepUp: { none: 'only deletes campaigns that are not running; their messages stay in the log' },
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      scope: 'send',
      params: atCampaign,
      status: 200,
      returns: Done,
      refuses: ['CONFLICT'],
      async run(services, call) {
        await removeCampaign(services, await campaignOf(services, call), call.now);
        return { ok: true as const };
      },
    }),
    ...recipientRows,
    ...furtherRows,
    row({
      id: 'startBlast',
      method: 'POST',
      path: '/v1/blasts/{id}/start',
      summary: 'Start a campaign',
      about: 'Start a draft now',
      audit: { action: 'blast.start', own: true },
      stepUp: { none: 'sends messages; grants no access' },
      access: 'bearer',
      deviceKeys: true,
      scope: 'send',
      params: atCampaign,
      body: Joi.object<{ consent_attested?: boolean }>({
        consent_attested: Joi.boolean().description('The sender confirms that the recipients agreed to receive this'),
      }),
      headers: ['idempotency-key'],
      status: 200,
      returns: CampaignRecord,
      refuses: ['CONFLICT', 'CONSENT_ATTESTATION_REQUIRED', 'LIMIT_REACHED'],
      run: start,
    }),
    ...(['pause', 'resume', 'cancel'] as const).map((order) =>
      row({
        id: `${order}Blast`,
        method: 'POST',
        path: `/v1/blasts/{id}/${order}`,
        ...ORDERED[order],
        audit: { action: `blast.${order}`, own: true },
        stepUp: { none: 'starts or stops sending; grants no access' },
        access: 'bearer',
        deviceKeys: true,
        scope: 'send',
        params: atCampaign,
        status: 200,
        returns: CampaignRecord,
        refuses: ['CONFLICT'],
        async run(services, call) {
          const found = await campaignOf(services, call);
          return shownCampaign(
            services,
            await services.campaign(found).ask({ type: order, audit: actDraft(call, `blast.${order}`, { kind: 'blast', id: found._id }) }),
          );
        },
      }),
    ),
  ],
};

async function changedDraft(
  services: CampaignAreaServices,
  call: Call<{ readonly id: string }, unknown, Partial<CampaignBody>>,
): Promise<CampaignRow> {
  for (;;) {
    const found = await campaignOf(services, call);
    if (found.status !== 'draft') throw inStatus(CAMPAIGN, found.status);
    const patch = await changeOf(services, call.caller, found, call.body, call.now);
    const changed = await services.campaigns.changeDraft(found.tenant_id, found._id, patch, contentAsRead(found, call.body));
    if (changed) return changed;
  }
}

type Creating = Call<unknown, unknown, CampaignBody>;

async function create(services: CampaignAreaServices, { caller, body, sent, header, lang, now, expectTimely }: Creating) {
  const asked = { key: keyFrom(header('idempotency-key')), tenantId: caller.tenantId, request: ['blast', sent] };
  const { answer } = await actOnce(services, asked, now, async (id) => {
    expectTimely();
    const draft = { ...(await draftOf(services, caller, body, now)), _id: id };
    const made = await draftCampaign(
      services,
      caller.tenantId,
      caller.plan,
      draft,
      body.recipients ?? [],
      readingOf(services, { caller, now }),
      now,
    );
    return { ...(await shownCampaign(services, made)), ...tokenWarnings(lang, ...tokenTextsOf(made)) };
  });
  return answer;
}

type Starting = Call<{ id: string }, unknown, { consent_attested?: boolean }>;

async function start(services: CampaignAreaServices, call: Starting) {
  const { caller, params, sent, header, now } = call;
  await campaignOf(services, call);
  const asked = { key: keyFrom(header('idempotency-key')), tenantId: caller.tenantId, request: ['start', params.id, sent] };
  const { answer } = await actOnce(services, asked, now, async (_id, isAgain) => {
    const found = await campaignOf(services, call);
    // If an earlier call with this key started the campaign, returns the campaign as it is now.
    return isAgain && found.status !== 'draft' ? shownCampaign(services, found) : startDraft(services, call, found);
  });
  return answer;
}

async function startDraft(services: CampaignAreaServices, call: Starting, found: CampaignRow) {
  const attestedAt = call.body.consent_attested === true ? call.now : null;
  const isAttested = attestedAt !== null || found.consent_attested_at !== null;
  if (found.status !== 'draft') throw inStatus(CAMPAIGN, found.status);
  if (!isAttested && (await services.requiresAttestation(found.tenant_id))) throw refusal('CONSENT_ATTESTATION_REQUIRED');
  const [unknown] = tokenTextsOf(found).flatMap((text) => unknownTokensIn(text ?? ''));
  if (unknown !== undefined) throw invalidField('body', unknownToken(unknown));
  if (found.audience === null && !(await services.recipients.hasPending(found._id, null)))
    throw invalidField('recipients', { en: 'the campaign has no recipients', id: 'kampanye tidak memiliki penerima' });
  const refused = await refusedStart(services.campaigns, found.tenant_id);
  if (refused) throw refused;
  const audit = actDraft(call, 'blast.start', { kind: 'blast', id: found._id });
  return shownCampaign(services, await services.campaign(found).ask({ type: 'start', attestedAt, audit }));
}

const unknownToken = (name: string) => ({
  en: `{${name}} is not a known token: correct it before the campaign starts`,
  id: `{${name}} bukan token yang dikenal: perbaiki sebelum kampanye dimulai`,
});
