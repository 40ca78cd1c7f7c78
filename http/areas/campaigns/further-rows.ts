import Joi from 'joi';
import type { Fault } from '../../../actors/domain/refusals.ts';
import { type PreviewedText, previewOf } from '../../../actors/services/campaigns/preview.ts';
import { resendDraft } from '../../../actors/services/campaigns/resend.ts';
import { type Call, Raw, rowsFor } from '../../core/row.ts';
import { Timestamp } from '../../core/schemas.ts';
import { takeOrRefuse } from '../../limits/limits.ts';
import { lookUpFor } from '../look-ups.ts';
import { atCampaign, type CampaignAreaServices, campaignOf, LONG_LIST } from './campaign-of.ts';
import { draftOf, faultsOfCampaign, overdueIn } from './content.ts';
import { type CampaignBody, CampaignRecord, CampaignSchema, LISTED_KEYS, shownCampaign } from './schemas.ts';

const row = rowsFor<CampaignAreaServices>();

const PREVIEWS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

const count = Joi.number().integer().min(0).required();
const countThere = Joi.number().integer().min(0);

const Preview = Joi.object({
  recipients: count.description('People who would get a message'),
  skipped: Joi.object({
    opted_out: count,
    invalid: count,
    ambiguous: count,
    duplicate: count,
    no_number: count,
    excluded: count.description('Listed people with an excluded tag. An audience leaves such people out from the start'),
    recently_messaged: count,
    text_too_long: count.description('The text with its tokens filled in is too long for a message'),
    empty_text: count.description('The text is empty because its tokens have no value'),
    window_closed: countThere.description(
      'People who did not write in the last 24 hours and therefore cannot get free text from an official number',
    ),
    no_template_value: countThere.description('People without a value for a variable of the official template'),
  }).required(),
  unknown_tokens: Joi.array().items(Joi.string()).required().description('Words in braces that are not known tokens'),
  sample: Joi.array()
    .items(
      Joi.object<PreviewedText>({
        person: Joi.object({
          phone: Joi.string().allow(null).required(),
          lid: Joi.string().allow(null).required(),
          username: Joi.string().allow(null).required(),
          name: Joi.string().allow(null).required(),
        }).required(),
        text: Joi.string().allow(null, '').required(),
        missing: Joi.array().items(Joi.string()).required().description('Tokens that stay empty for this person'),
      }),
    )
    .required()
    .description('The texts for the first five recipients'),
  starts_at: Timestamp.allow(null).required().description('When the first message would be sent; null if there are no recipients'),
  ends_at: Timestamp.allow(null).required().description('Approximate time of the last message; null if it is more than a year away'),
  quota_left: Joi.number().integer().min(0).allow(null).required().description('Messages left this month; null if unlimited'),
  cost_estimate: Joi.object({
    amount: Joi.number().min(0).allow(null).required().description('null if a price is not known'),
    currency: Joi.string().allow(null).required().example('USD'),
    rows: Joi.array()
      .items(
        Joi.object({
          country: Joi.string().allow(null).required().example('ID'),
          category: Joi.string().required().example('marketing'),
          messages: Joi.number().integer().min(0).required(),
          amount: Joi.number().min(0).allow(null).required(),
        }),
      )
      .required(),
  })
    .allow(null)
    .required()
    .meta({ title: 'CostEstimate' })
    .description('What the official platform would charge if every message is delivered; null for a linked device'),
  as_of: Timestamp.required(),
}).meta({ title: 'BlastPreview' });

/**
 * `unknown_outcome` may not be combined with other reasons, because its messages may have arrived.
 */
const RESENDABLE = /^(?:expired|quota_exceeded|media_not_fetched|marketing_capped|window_closed|unknown_outcome|refused_[a-z0-9_]{1,40})$/;
const UNKNOWN = 'unknown_outcome';
const MAX_REASONS = 20;

export const furtherRows = [
  row({
    id: 'previewBlast',
    method: 'POST',
    path: '/v1/blasts/preview',
    summary: 'Preview a campaign',
    example: {
      session_id: '01JZX5ZB4T8QKX3N9V7C2M6D1E',
      name: 'Spring sale',
      message_type: 'text',
      body: 'Hi {{first_name|there}}, everything is 10% off today.',
      all_contacts: true,
    },
    about: 'Count the people a campaign would reach now, and show the first texts. Nothing is stored or sent',
    audit: { none: 'changes nothing' },
    access: 'bearer',
    heavy: true,
    deviceKeys: true,
    scope: 'read',
    body: CampaignSchema,
    check: faultsOfCampaign,
    timely: overdueIn,
    maxBytes: LONG_LIST,
    maxKeys: LISTED_KEYS,
    status: 200,
    returns: Preview,
    refuses: ['NOT_FOUND', 'FORBIDDEN', 'CONSENT_ATTESTATION_REQUIRED', 'OVERLOADED'],
    run: preview,
  }),
  row({
    id: 'resendBlast',
    method: 'POST',
    path: '/v1/blasts/{id}/resend',
    summary: 'Resend to failed recipients',
    example: { reasons: ['expired', 'quota_exceeded'] },
    about:
      'Create a draft with the same content for recipients whose message failed for these reasons. Consent, send window and attestation are checked again when it starts. ' +
      'Each recipient is in at most one such draft of a campaign',
    audit: { action: 'blast.create', on: 'campaigns', kinds: ['insert'] },
    stepUp: { none: 'sends messages; grants no access' },
    access: 'bearer',
    heavy: true,
    deviceKeys: true,
    scope: 'send',
    limit: 'blast',
    params: atCampaign,
    body: Joi.object<{ reasons: string[] }>({
      reasons: Joi.array()
        .items(Joi.string().min(1).max(60))
        .min(1)
        .max(MAX_REASONS)
        .unique()
        .required()
        .description(
          'Values of `error`: `expired`, `quota_exceeded`, `media_not_fetched`, `refused_<code>`, `marketing_capped`, `window_closed`; or `unknown_outcome` ' +
            'on its own, because such a message may have arrived',
        ),
    }),
    check: faultsOfReasons,
    status: 201,
    also: { 200: 'A draft for these reasons exists already and is returned' },
    returns: CampaignRecord,
    refuses: ['CONFLICT', 'LIMIT_REACHED', 'OVERLOADED'],
    run: resend,
  }),
];

async function preview(services: CampaignAreaServices, { caller, body, now }: Call<unknown, unknown, CampaignBody>) {
  const who = caller.key?.id ?? caller.agentId;
  await takeOrRefuse(
    services.limits,
    { key: `blast-preview:${caller.tenantId}:${who}`, max: PREVIEWS_PER_MINUTE, windowMs: MINUTE_MS },
    now,
  );
  const draft = await draftOf(services, caller, body, now);
  const { tenantId, plan, callingCode } = caller;
  return previewOf(
    services.previewDeps,
    { tenantId, plan, callingCode, lookUp: lookUpFor(services, { caller, now }), draft, listed: body.recipients ?? [] },
    now,
  );
}

async function resend(services: CampaignAreaServices, call: Call<{ id: string }, unknown, { reasons: string[] }>) {
  const source = await campaignOf(services, call);
  const made = await resendDraft(services, source, call.caller.plan, call.body.reasons, call.now);
  const shown = await shownCampaign(services, made.row);
  return made.isNew ? shown : new Raw(JSON.stringify(shown), 'application/json', 200);
}

function faultsOfReasons({ reasons = [] }: { readonly reasons?: readonly string[] }): readonly Fault[] {
  if (!reasons.every((reason) => RESENDABLE.test(reason))) return [{ path: 'reasons', ...NOT_THESE }];
  return reasons.length > 1 && reasons.includes(UNKNOWN) ? [{ path: 'reasons', ...ALONE }] : [];
}

const NOT_THESE = {
  en: 'only expired, quota_exceeded, media_not_fetched, refused_<code>, marketing_capped, window_closed and unknown_outcome can be sent again',
  id: 'hanya expired, quota_exceeded, media_not_fetched, refused_<code>, marketing_capped, window_closed dan unknown_outcome yang dapat dikirim lagi',
};
const ALONE = {
  en: 'unknown_outcome must be the only reason: such a message may have arrived',
  id: 'unknown_outcome harus menjadi satu-satunya alasan: pesan seperti itu mungkin sudah sampai',
};
