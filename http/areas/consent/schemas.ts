import Joi from 'joi';
import type { Person } from '../../../actors/network/person.ts';
import { addressOf, personIn } from '../../../actors/network/subject.ts';
import { DEFAULT_CONFIG } from '../../../actors/services/consent/config.ts';
import type { People } from '../../../actors/services/people/people.ts';
import { at } from '../../../runtime/invariant.ts';
import type { ConsentConfig } from '../../../store/consent/consent-configs.ts';
import type { ConsentRow, ConsentSource, ConsentStatus } from '../../../store/consent/consent-row.ts';
import { Timestamp } from '../../core/schemas.ts';
import { TokenWarnings, type Warned } from '../token-warnings.ts';

export interface ConsentRecord {
  readonly chat_id: string;
  readonly phone: string | null;
  readonly lid: string | null;
  readonly username: string | null;
  readonly name: string | null;
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export async function toConsents(people: People, tenantId: string, rows: readonly ConsentRow[]): Promise<readonly ConsentRecord[]> {
  const persons = await people.whole(tenantId, rows.map(personOf));
  return rows.map(({ subject, status, source, note, created_at, updated_at }, nth) => ({
    chat_id: addressOf(subject),
    ...at(persons, nth),
    ...{ status, source, note, created_at, updated_at },
  }));
}

const personOf = ({ subject }: ConsentRow): Person => ({ ...personIn(subject), username: null, name: null });

export const Status = Joi.string().valid('opted_in', 'opted_out').example('opted_out');
export const Note = Joi.string().max(500).allow(null, '').example('asked on the phone');

const Source = Joi.string()
  .valid('keyword', 'dashboard', 'import', 'api', 'network', 'privacy_erasure')
  .description(
    'How it was set: by a keyword from the customer, a person in the dashboard, a contacts import with `opt_in`, an API key, the network (the person stopped marketing messages in their app), or a privacy erasure',
  );

const entry = { status: Status.required(), source: Source.required(), note: Joi.string().allow(null, '').required() };

export const ConsentSchema = Joi.object({
  chat_id: Joi.string().required().example('6281234567890@s.whatsapp.net'),
  phone: Joi.string()
    .allow(null)
    .required()
    .description('Digits with the country code; null while the network hides the number of a person who wrote from an `@lid` address')
    .example('6281234567890'),
  lid: Joi.string().allow(null).required().description('The hidden address (`…@lid`); null if not known'),
  username: Joi.string().allow(null).required().description('The username of the person, without `@`; null if not known'),
  name: Joi.string().allow(null, '').required().description('Name of the contact'),
  ...entry,
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'ConsentRecord' });

export const HistorySchema = Joi.object({ ...entry, at: Timestamp.required() }).meta({ title: 'ConsentHistoryEntry' });

const Words = Joi.array().items(Joi.string().min(1).max(100)).max(5_000);
const Reply = Joi.string().max(4_096).allow(null, '');

const fields = {
  enabled: Joi.boolean().description('Handle opt-out and opt-in words in inbound messages'),
  optout_keywords: Words.min(1)
    .description(
      'A message that consists of one of these opts out. The list replaces the default one of 90 languages. Letter case, ' +
        'character width, punctuation, emoji, invisible characters and missing accents are ignored, and so are repetitions, polite ' +
        'words and forms of address (`stop kak`), and a mail signature below the word',
    )
    .example(['STOP', 'BERHENTI']),
  optin_keywords: Words.description(
    'Words that opt in again. A message that consists of one of these opts the person in, with the same tolerance as for opt-outs',
  ).example(['START', 'MULAI']),
  optout_reply: Reply.description(
    'null: the default confirmation, in the language of the tenant; empty: no confirmation. One person gets at most three confirmations an hour',
  ),
  optin_reply: Reply.description('Same rules as `optout_reply`'),
  enforce_api: Joi.boolean().description(
    'Refuse 1:1 sends to opted-out recipients with 409 RECIPIENT_OPTED_OUT. If false, such sends return a warning',
  ),
  require_attestation: Joi.boolean().description('Start campaigns only with `consent_attested: true`'),
};

export const ConfigPatch: Joi.ObjectSchema<Partial<ConsentConfig>> = Joi.object(fields);

const SHOWN: ConsentConfig = { ...DEFAULT_CONFIG, optout_keywords: ['STOP', 'BERHENTI'], optin_keywords: ['START', 'MULAI'] };

export const ConfigSchema: Joi.ObjectSchema<ConsentConfig & Warned> = Joi.object<ConsentConfig & Warned>({
  ...fields,
  warnings: TokenWarnings,
})
  .fork(Object.keys(fields), (field) => field.required())
  .meta({ title: 'ConsentConfig' })
  .example(SHOWN);
