import Joi from 'joi';
import type { Listed } from '../../actors/blast/campaigns.ts';
import type { RecipientRow } from '../../store/blast-recipients.ts';
import type { BlastRow, BlastStatus, BlastType } from '../../store/blasts.ts';
import { nextPage, paging, Timestamp, Ulid } from '../schemas.ts';

const BLAST_STATUSES = ['draft', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
const RECIPIENT_STATUSES = ['pending', 'queued', 'sent', 'delivered', 'read', 'failed', 'skipped'] as const;
const BLAST_TYPES = ['text', 'image', 'document', 'audio', 'video', 'sticker'] as const;

/** Recipients that one call may list (api.md "Blasts"). */
const MOST_LISTED = 10_000;
/** Of JSON keys in a call that lists so many. */
export const LISTED_KEYS = MOST_LISTED * 8;

/** What a draft is made of (api.md "Blasts", create). */
export interface BlastBody {
  readonly session_id?: string;
  readonly rotator_id?: string;
  readonly name: string;
  readonly message_type: BlastType;
  readonly body?: string;
  readonly template_id?: string;
  readonly media_r2_key?: string;
  readonly caption?: string;
  readonly recipients?: readonly Listed[];
  readonly segment_id?: string;
  readonly tag?: string;
  readonly group_id?: string;
  readonly scheduled_at?: number | null;
  readonly consent_attested?: boolean;
}

const variable = Joi.string().max(500).allow(null, '');
const Recipient = Joi.object<Listed>({
  phone: Joi.string().min(1).max(64).required().example('+6281234567890').description('One that cannot be read is listed as invalid'),
  name: Joi.string().max(200).allow(null, '').example('Anna'),
  var1: variable,
  var2: variable,
  var3: variable,
  var4: variable,
  var5: variable,
});

export const Recipients = Joi.array().items(Recipient).max(MOST_LISTED);

const fields = {
  session_id: Ulid.description('The device that sends'),
  rotator_id: Ulid.description('In place of a device: its devices take turns'),
  name: Joi.string().min(1).max(100).example('Spring sale'),
  message_type: Joi.string()
    .valid(...BLAST_TYPES)
    .example('text'),
  body: Joi.string()
    .min(1)
    .max(65_536)
    .description('Required for text, or `template_id`; under a file what `caption` says otherwise; with tokens')
    .example('Hi {{first_name|there}}!'),
  template_id: Ulid.description('In place of `body`: what it says now'),
  media_r2_key: Joi.string().min(1).max(256).description('Required for other types than text: key of an uploaded file'),
  caption: Joi.string().max(1_024).description('Of an image, a video or a document; with tokens'),
  segment_id: Ulid.description('Goes to the contacts of a segment, as it is when the blast starts'),
  tag: Joi.string().min(1).max(50).description('Goes to the contacts with a tag'),
  group_id: Ulid.description('Goes to the contacts of a contact group'),
  scheduled_at: Timestamp.allow(null).description('Starts by itself then'),
  consent_attested: Joi.boolean().description('Recipients agreed to get this'),
};

export const BlastSchema = Joi.object<BlastBody>({
  ...fields,
  name: fields.name.required(),
  message_type: fields.message_type.required(),
  recipients: Recipients.description('In place of an audience; more can be added while it is a draft'),
}).oxor('recipients', 'segment_id', 'tag', 'group_id');

export const BlastChange = Joi.object<Partial<BlastBody>>(fields).oxor('segment_id', 'tag', 'group_id');

const count = Joi.number().integer().min(0).required();
const time = Timestamp.allow(null).required();

/** spec.md BlastCampaign, with what api.md adds. */
export const BlastRecord = Joi.object({
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
  media_r2_key: Joi.string().allow(null).required(),
  caption: Joi.string().allow(null, '').required(),
  segment_id: Ulid.allow(null).required(),
  tag: Joi.string().allow(null).required(),
  group_id: Ulid.allow(null).required(),
  total_recipients: count.description('Without invalid ones; of a draft that goes to an audience what it would be now'),
  sent_count: count.description('Accepted by the network'),
  failed_count: count.description('With numbers that are not on the network'),
  skipped_count: count.description('Opted out, or cancelled before their turn'),
  created_at: Timestamp.required(),
  scheduled_at: time,
  started_at: time,
  completed_at: time,
  consent_attested_at: time,
  resumes_at: time.description('It waits for the send window, until then'),
  pause_reason: Joi.string()
    .allow(null)
    .required()
    .description('`requested`, `device_disconnected`, `device_failed`, `device_restricted`, `failure_rate`'),
  error: Joi.string()
    .allow(null)
    .required()
    .description(
      'Why it failed: `no_session`, `no_audience` (its segment, tag or group was removed before it began). Of a draft, why it did not start at its time: `consent_attestation_required`',
    ),
}).meta({ title: 'BlastCampaign' });

export const BlastList = Joi.object({ blasts: Joi.array().items(BlastRecord).required(), ...nextPage });

const RecipientRecord = Joi.object({
  id: Ulid.required().description('Also the id of its message, once it is queued'),
  phone: Joi.string().required().description('Digits; of an invalid one as it was written'),
  name: Joi.string().allow(null, '').required(),
  status: Joi.string()
    .valid(...RECIPIENT_STATUSES)
    .required(),
  error: Joi.string()
    .allow(null)
    .required()
    .description(
      '`opted_out`, `invalid`, `quota_exceeded`, `not_on_network`, `cancelled`, `empty_text` (its tokens had no value, and there was nothing else to say), …',
    ),
  session_id: Ulid.allow(null).required().description('The device it goes out on'),
  message_id: Ulid.allow(null).required(),
  sent_at: time,
  delivered_at: time,
  read_at: time,
}).meta({ title: 'BlastRecipient' });

export const RecipientList = Joi.object({ recipients: Joi.array().items(RecipientRecord).required(), ...nextPage });

export interface BlastQuery {
  readonly status?: BlastStatus;
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

export const blastQuery = Joi.object<BlastQuery>({ status: Joi.string().valid(...BLAST_STATUSES), ...paging }).with('before_id', 'before');

export interface RecipientQuery {
  readonly status?: (typeof RECIPIENT_STATUSES)[number];
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

export const recipientQuery = Joi.object<RecipientQuery>({ status: Joi.string().valid(...RECIPIENT_STATUSES), ...paging }).with(
  'before_id',
  'before',
);

export function toBlast(row: BlastRow) {
  const { _id: id, audience, media: _media, zones: _zones, gathering: _gathering, tenant_id: _tenant, ...shown } = row;
  const { epoch: _epoch, node: _node, due_at: _due, ...rest } = shown;
  return { id, ...rest, segment_id: null, tag: null, group_id: null, ...(audience && { [audience.by]: audience.value }) };
}

const RELEASED: ReadonlySet<string> = new Set(['queued', 'sent', 'delivered', 'read', 'failed']);

export function toRecipient(row: RecipientRow) {
  const { _id: id, phone, name, status, error, session_id, sent_at, delivered_at, read_at } = row;
  const message_id = session_id !== null && RELEASED.has(status) ? id : null;
  return { id, phone, name, status: shownStatus(row), error, session_id, message_id, sent_at, delivered_at, read_at };
}

export const shownStatus = ({ status }: RecipientRow): Exclude<RecipientRow['status'], 'invalid'> =>
  status === 'invalid' ? 'skipped' : status;
