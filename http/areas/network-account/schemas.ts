import Joi from 'joi';
import { TIMERS } from '../../../actors/domain/message-timers.ts';
import { type PrivacyChanges, VISIBLE_TO } from '../../../actors/network/account.ts';
import { nextInList } from '../../core/whole-lists.ts';
import { BusinessProfileSchema } from '../business/schemas.ts';
import { MediaKey } from '../media/schemas.ts';
import { PersonSchema } from '../network-features/schemas.ts';
import { Line, Lines } from '../network-features/texts.ts';
import { TokenWarnings } from '../token-warnings.ts';

export const Name = Line.trim().min(1).max(25).example('Toko Acme');
export const About = Lines.max(139).allow('').example('Open until six');

export const AccountSchema = Joi.object({
  name: Joi.string().allow(null, '').required().example('Toko Acme'),
  about: Joi.string().allow(null, '').required().description('null if not known or hidden').example('Open until six'),
}).meta({ title: 'NetworkAccount' });

const Visible = Joi.string().valid(...VISIBLE_TO);
const ReadReceipts = Joi.boolean().description('Whether read receipts are on, in both directions');
const Timer = Joi.number()
  .valid(...TIMERS)
  .description('Seconds after which messages of new chats disappear; 0: never')
  .example(0);

const visibilities = {
  last_seen: Visible.description('Who can see when the number was last online'),
  online: Visible.description('Who can see that the number is online. The real network only offers `all`, or the same as `last_seen`'),
  picture: Visible,
  about: Visible,
  status: Visible.description('Who can see status updates. On the real network, only the phone can change it'),
  groups: Visible.description('Who may add the number to groups'),
  calls: Visible.description('Who may call. `none` is not available on the real network'),
};

export const privacyChanges = Joi.object<PrivacyChanges>({ ...visibilities, read_receipts: ReadReceipts, default_timer: Timer });

/** Null if the setting can be viewed only on the phone, for example a list of exceptions. */
export const privacyFields = {
  ...Object.fromEntries(Object.entries(visibilities).map(([name, schema]) => [name, schema.allow(null)])),
  read_receipts: ReadReceipts,
  default_timer: Timer,
};

export const PrivacySchema = Joi.object(privacyFields)
  .fork(Object.keys(privacyFields), (schema) => schema.required())
  .meta({ title: 'AccountPrivacy' });

export const FoundPersonSchema = Joi.object({
  person: PersonSchema.required(),
  about: Joi.string().allow(null, '').required().description('null if hidden').example('At work'),
  picture: MediaKey.allow(null)
    .required()
    .description('The media key of a copy; null if there is no picture or it is hidden')
    .example(null),
  business: BusinessProfileSchema.allow(null).required().description('null if it is not a business account'),
}).meta({ title: 'FoundPerson' });

export const BlocklistSchema = Joi.object({ ...nextInList, blocklist: Joi.array().items(PersonSchema).required() });

const RejectText = Lines.trim()
  .min(1)
  .max(4_096)
  .allow(null)
  .description('The text that is sent once to the caller; null for none')
  .example('Please write to us');

export const callRules = Joi.object<{ reject?: boolean; reject_text?: string | null }>({ reject: Joi.boolean(), reject_text: RejectText });

export const CallRulesSchema = Joi.object({
  reject: Joi.boolean().required(),
  reject_text: RejectText.required(),
  warnings: TokenWarnings,
}).meta({
  title: 'CallRules',
});
