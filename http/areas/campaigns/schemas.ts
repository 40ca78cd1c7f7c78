import Joi from 'joi';
import { MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH } from '../../../actors/domain/text-tokens.ts';
import { personIn } from '../../../actors/network/subject.ts';
import type { Audiences } from '../../../actors/services/campaigns/audiences.ts';
import type { Listed } from '../../../actors/services/campaigns/campaigns.ts';
import type { CampaignStatus } from '../../../store/campaigns/campaign-status.ts';
import type { Audience, CampaignRow, CampaignType } from '../../../store/campaigns/campaigns.ts';
import type { RecipientRow } from '../../../store/campaigns/recipients.ts';
import { FutureTime, nextPage, paging, Readings, Timestamp, Ulid } from '../../core/schemas.ts';
import { VariablesSchema } from '../messages/official-schemas.ts';
import { TokenWarnings } from '../token-warnings.ts';

const BLAST_STATUSES = ['draft', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
const RECIPIENT_STATUSES = ['pending', 'queued', 'sent', 'delivered', 'read', 'failed', 'skipped'] as const;
const BLAST_TYPES = ['text', 'image', 'document', 'audio', 'video', 'sticker'] as const;

const MAX_LISTED = 10_000;
export const LISTED_KEYS = MAX_LISTED * 8;

export interface CampaignBody {
  readonly session_id?: string;
  readonly rotator_id?: string;
  readonly name: string;
  readonly message_type: CampaignType;
  readonly body?: string;
  readonly template_id?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly media_r2_key?: string;
  readonly caption?: string;
  readonly recipients?: readonly Listed[];
  readonly segment_id?: string;
  readonly tag?: string;
  readonly tags?: readonly string[];
  readonly group_id?: string;
  readonly all_contacts?: true;
  readonly exclude_tags?: readonly string[];
  readonly skip_if_messaged_within_hours?: number | null;
  readonly scheduled_at?: number | null;
  readonly consent_attested?: boolean;
}

const variable = Joi.string().max(500).allow(null, '');
const Recipient = Joi.object<Listed>({
  phone: Joi.string()
    .min(1)
    .max(64)
    .required()
    .example('+6281234567890')
    .description('A number, `<digits>@lid` or `@username`; one that cannot be resolved is listed as invalid'),
  name: Joi.string().max(200).allow(null, '').example('Anna'),
  var1: variable,
  var2: variable,
  var3: variable,
  var4: variable,
  var5: variable,
}).meta({ title: 'Recipient' });

export const Recipients = Joi.array().items(Recipient).max(MAX_LISTED);

const MAX_TAGS = 20;
const MAX_QUIET_HOURS = 720;
const TagName = Joi.string().min(1).max(50);

const AUDIENCES = ['segment_id', 'tag', 'tags', 'group_id', 'all_contacts'];

const fields = {
  session_id: Ulid.description('The device that sends'),
  rotator_id: Ulid.description('A rotator instead of a device. Its devices take turns'),
  name: Joi.string().min(1).max(100).example('Spring sale'),
  message_type: Joi.string()
    .valid(...BLAST_TYPES)
    .example('text'),
  body: Joi.string()
    .min(1)
    .max(MAX_TEXT_LENGTH)
    .description('Required for text, unless `template_id` is given; with a file, used as its caption; may contain tokens')
    .example('Hi {{first_name|there}}!'),
  template_id: Ulid.description('A template whose current text is used instead of `body`'),
  variables: VariablesSchema,
  media_r2_key: Joi.string().min(1).max(256).description('Required for all types but text: the key of an uploaded file'),
  caption: Joi.string().max(MAX_CAPTION_LENGTH).description('For an image, a video or a document; may contain tokens'),
  segment_id: Ulid.description('Send to the contacts of a segment, as it is when the campaign starts'),
  tag: TagName.description('Send to the contacts with a tag'),
  tags: Joi.array().items(TagName).min(1).max(MAX_TAGS).description('Send to the contacts with any of these tags'),
  group_id: Ulid.description('Send to the contacts of a contact group'),
  all_contacts: Joi.boolean().valid(true).description('Send to all contacts'),
  exclude_tags: Joi.array()
    .items(TagName)
    .max(MAX_TAGS)
    .description('Contacts with any of these tags get no message: they are left out of an audience, or listed as skipped with `excluded`'),
  skip_if_messaged_within_hours: Joi.number()
    .integer()
    .min(1)
    .max(MAX_QUIET_HOURS)
    .allow(null)
    .description(
      'Skip people who got a message from any device of this business within this many hours. They are listed as `recently_messaged`',
    ),
  scheduled_at: FutureTime.allow(null).description('The campaign starts automatically at this time'),
  consent_attested: Joi.boolean().description('The sender confirms that the recipients agreed to receive this'),
};

export const CampaignSchema = Joi.object<CampaignBody>({
  ...fields,
  name: fields.name.required(),
  message_type: fields.message_type.required(),
  recipients: Recipients.description('Instead of an audience; more can be added while it is a draft'),
}).oxor('recipients', ...AUDIENCES);

export const CampaignChange = Joi.object<Partial<CampaignBody>>(fields).oxor(...AUDIENCES);

const count = Joi.number().integer().min(0).required();
const time = Timestamp.allow(null).required();

export const CampaignRecord = Joi.object({
  id: Ulid.required(),
  session_id: Ulid.allow(null).required(),
  rotator_id: Ulid.allow(null).required(),
  name: Joi.string().required(),
  status: Joi.string()
    .valid(...BLAST_STATUSES)
    .required(),
  body: Joi.string().allow(null).required(),
  message_type: Joi.string().required(),
  template_id: Ulid.allow(null).required(),
  variables: Joi.object().allow(null).required().description('Variable values of an official template; null if it has none').example(null),
  media_r2_key: Joi.string().allow(null).required(),
  caption: Joi.string().allow(null, '').required(),
  segment_id: Ulid.allow(null).required(),
  tag: Joi.string().allow(null).required(),
  tags: Joi.array().items(Joi.string()).required().description('Empty if the campaign has a different kind of audience'),
  group_id: Ulid.allow(null).required(),
  all_contacts: Joi.boolean().required(),
  exclude_tags: Joi.array().items(Joi.string()).required(),
  skip_if_messaged_within_hours: Joi.number().integer().allow(null).required(),
  total_recipients: count.description('Number of valid recipients. For a draft with an audience, the current number'),
  sent_count: count.description('Messages that the network accepted'),
  failed_count: count.description('Failed messages, including numbers that are not on the network'),
  skipped_count: count.description(
    'Recipients who opted out, were excluded or were cancelled before their turn, or whose text is empty or too long',
  ),
  delivered_count: count.description('Sent messages that were delivered'),
  read_count: count,
  replied_count: count.description('People whose first message within 72 hours after the campaign message was an answer'),
  opted_out_count: count.description('People whose first message within 72 hours after the campaign message was an opt-out word'),
  skipped: Joi.object()
    .pattern(Joi.string(), Joi.number().integer().min(1))
    .required()
    .example({ opted_out: 3, invalid: 1 })
    .description('Skipped recipients by reason. Includes invalid numbers, which `skipped_count` does not'),
  resend_of: Ulid.allow(null).required().description('The campaign whose failed recipients this one is sent to'),
  created_at: Timestamp.required(),
  scheduled_at: time,
  started_at: time,
  completed_at: time,
  consent_attested_at: time,
  resumes_at: time.description('The campaign waits for the send window until this time'),
  pause_reason: Joi.string()
    .allow(null)
    .required()
    .description(
      '`requested`, `device_disconnected`, `device_failed`, `device_restricted`, `failure_rate`, `complaints`, `template_paused`, `template_missing`',
    ),
  error: Joi.string()
    .allow(null)
    .required()
    .description(
      'Why the campaign failed: `no_session`, `no_audience` (its segment, tag or group was removed before it began). For a draft, why it did not start on time: `consent_attestation_required`, `limit_reached` (200 campaigns are running or paused; it starts when one of them ends)',
    ),
  warnings: TokenWarnings,
}).meta({ title: 'BlastCampaign' });

export const CampaignList = Joi.object({ blasts: Joi.array().items(CampaignRecord).required(), ...nextPage });

const RecipientRecord = Joi.object({
  id: Ulid.required().description('Also the id of the message, once the message is queued'),
  phone: Joi.string().allow(null).required().description('Digits, or an invalid number as you wrote it; null if the number is not known'),
  lid: Joi.string().allow(null).required().description('The hidden address of a person whose number is not known'),
  username: Joi.string().allow(null).required().description('The username of the person, without `@`; null if not known'),
  name: Joi.string().allow(null, '').required(),
  status: Joi.string()
    .valid(...RECIPIENT_STATUSES)
    .required(),
  error: Joi.string()
    .allow(null)
    .required()
    .description(
      '`opted_out`, `excluded`, `recently_messaged`, `no_template_value`, `invalid`, `unknown_username`, `ambiguous_number` (see `readings`), `quota_exceeded`, `not_on_network`, `cancelled`, `empty_text` (empty because its tokens had no value), ' +
        '`text_too_long` (too long for a text or a caption with its tokens filled in), …',
    ),
  readings: Readings,
  session_id: Ulid.allow(null).required().description('The device that sends it'),
  message_id: Ulid.allow(null).required(),
  sent_at: time,
  delivered_at: time,
  read_at: time,
}).meta({ title: 'BlastRecipient' });

export const RecipientList = Joi.object({ recipients: Joi.array().items(RecipientRecord).required(), ...nextPage });

export interface CampaignQuery {
  readonly status?: CampaignStatus;
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

export const campaignQuery = Joi.object<CampaignQuery>({ status: Joi.string().valid(...BLAST_STATUSES), ...paging }).with(
  'before_id',
  'before',
);

export interface RecipientQuery {
  readonly status?: (typeof RECIPIENT_STATUSES)[number];
  readonly reason?: string;
  readonly q?: string;
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

export const recipientQuery = Joi.object<RecipientQuery>({
  status: Joi.string().valid(...RECIPIENT_STATUSES),
  reason: Joi.string().min(1).max(100).description('Only recipients with this `error`'),
  q: Joi.string().min(1).max(100).description('Part of the name or of the number'),
  ...paging,
}).with('before_id', 'before');

export async function shownCampaign({ audiences }: { readonly audiences: Pick<Audiences, 'tagNames'> }, row: CampaignRow) {
  return toCampaign(row, tagIdsIn(row).length === 0 ? NO_NAMES : await audiences.tagNames(row.tenant_id));
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

const tagIdsIn = ({ audience, exclude_tag_ids = [] }: CampaignRow): readonly string[] => [
  ...(audience?.tag_id === undefined ? [] : [audience.tag_id]),
  ...(audience?.tag_ids ?? []),
  ...exclude_tag_ids,
];

export function toCampaign(row: CampaignRow, tagNames: ReadonlyMap<string, string>) {
  const { _id: id, audience, media: _media, zones: _zones, gathering: _gathering, tenant_id: _tenant, ...shown } = row;
  const { epoch: _epoch, node: _node, due_at: _due, listed: _listed, exclude_tag_ids = [], skip_if_messaged_within_hours, ...more } = shown;
  const { resend_of = null, resend_reasons: _reasons, failures_seen: _failures, official = null, ...rest } = more;
  const names = (ids: readonly string[]): readonly string[] => ids.flatMap((one) => tagNames.get(one) ?? []);
  return {
    id,
    ...rest,
    variables: official && Object.fromEntries(official.variables.map(({ name, value }) => [name, value])),
    segment_id: null,
    tag: null,
    tags: [],
    group_id: null,
    all_contacts: false,
    ...(audience && { [audience.by]: shownAudience(audience, names) }),
    exclude_tags: names(exclude_tag_ids),
    skip_if_messaged_within_hours: skip_if_messaged_within_hours ?? null,
    ...withAllCounts(row),
    resend_of,
  };
}

const withAllCounts = ({ delivered_count = 0, read_count = 0, replied_count = 0, opted_out_count = 0, skipped = {} }: CampaignRow) => ({
  delivered_count,
  read_count,
  replied_count,
  opted_out_count,
  skipped,
});

function shownAudience({ by, value, tag_id, tag_ids }: Audience, names: (ids: readonly string[]) => readonly string[]) {
  if (by === 'all_contacts') return true;
  if (tag_ids) return names(tag_ids);
  return (tag_id === undefined ? undefined : names([tag_id])[0]) ?? value;
}

const RELEASED: ReadonlySet<string> = new Set(['queued', 'sent', 'delivered', 'read', 'failed']);

export function toRecipient(row: RecipientRow, username: string | null) {
  const { _id: id, phone, name, status, error, readings, session_id, sent_at, delivered_at, read_at } = row;
  const message_id = session_id !== null && RELEASED.has(status) ? id : null;
  const shown = { id, ...personIn(phone), username, name, status: shownStatus(row), error, ...(readings && { readings }) };
  return { ...shown, session_id, message_id, sent_at, delivered_at, read_at };
}

export const shownStatus = ({ status }: RecipientRow): Exclude<RecipientRow['status'], 'invalid'> =>
  status === 'invalid' ? 'skipped' : status;
