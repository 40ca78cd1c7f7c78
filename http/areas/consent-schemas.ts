import Joi from 'joi';
import { DEFAULT_CONFIG } from '../../actors/consent/config.ts';
import { addressOf } from '../../actors/consent/people.ts';
import type { ConsentConfig } from '../../store/consent-configs.ts';
import type { ConsentRow, ConsentSource, ConsentStatus } from '../../store/consents.ts';
import { Timestamp } from '../schemas.ts';

/** spec.md "Consent record". */
export interface ConsentRecord {
  readonly chat_id: string;
  readonly phone: string;
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export function toConsent({ who, status, source, note, created_at, updated_at }: ConsentRow): ConsentRecord {
  return { chat_id: addressOf(who), phone: phoneIn(who), status, source, note, created_at, updated_at };
}

/** The digits; '' of somebody whose number the network hides. */
export const phoneIn = (who: string): string => (who.includes('@') ? '' : who);

export const Status = Joi.string().valid('opted_in', 'opted_out').example('opted_out');
export const Note = Joi.string().max(500).allow(null, '').example('asked on the phone');

const Source = Joi.string()
  .valid('keyword', 'dashboard', 'import', 'api', 'privacy_erasure')
  .description(
    'How it was set: the customer wrote a keyword, a person in the dashboard, a contacts import with `opt_in`, an API key, a privacy erasure',
  );

const entry = { status: Status.required(), source: Source.required(), note: Joi.string().allow(null, '').required() };

export const ConsentSchema = Joi.object({
  chat_id: Joi.string().required().example('6281234567890@s.whatsapp.net'),
  phone: Joi.string()
    .allow('')
    .required()
    .description('Digits with country code; empty while the network hides the number of somebody who wrote from an `@lid` address')
    .example('6281234567890'),
  ...entry,
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'ConsentRecord' });

export const HistorySchema = Joi.object({ ...entry, at: Timestamp.required() }).meta({ title: 'ConsentHistoryEntry' });

const Words = Joi.array().items(Joi.string().min(1).max(100)).max(5_000);
const Reply = Joi.string().max(4_096).allow(null, '');

const fields = {
  enabled: Joi.boolean().description('Listen for the words in what comes in'),
  optout_keywords: Words.min(1)
    .description(
      'A message that is one of these as a whole opts out; replaces the default list, which knows over 40 languages. Case, widths, ' +
        'punctuation, emoji, invisible characters and left-out diacritics make no difference',
    )
    .example(['STOP', 'BERHENTI']),
  optin_keywords: Words.description('As `optout_keywords`, for those who come back').example(['START', 'MULAI']),
  optout_reply: Reply.description(
    "null: the default confirmation in the tenant's language; empty: none. At most three confirmations an hour go to one person",
  ),
  optin_reply: Reply.description('As `optout_reply`'),
  enforce_api: Joi.boolean().description('Refuse 1:1 sends to opted-out recipients with 409 RECIPIENT_OPTED_OUT; otherwise they warn'),
  require_attestation: Joi.boolean().description('A blast starts with `consent_attested: true` only'),
};

export const ConfigPatch: Joi.ObjectSchema<Partial<ConsentConfig>> = Joi.object(fields);

const SHOWN: ConsentConfig = { ...DEFAULT_CONFIG, optout_keywords: ['STOP', 'BERHENTI'], optin_keywords: ['START', 'MULAI'] };

export const ConfigSchema: Joi.ObjectSchema<ConsentConfig> = Joi.object<ConsentConfig>(fields)
  .fork(Object.keys(fields), (field) => field.required())
  .meta({ title: 'ConsentConfig' })
  .example(SHOWN);
