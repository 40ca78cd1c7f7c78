import Joi from 'joi';
import { ATTRIBUTE_KEY } from '../../../actors/domain/text-tokens.ts';
import type { Audience } from '../../../actors/services/contacts/audience.ts';
import {
  type ContactFields,
  type ContactWithConsent,
  LONGEST_NAME,
  MAX_ATTRIBUTES,
  MAX_TAGS,
  VARS,
} from '../../../actors/services/contacts/contacts.ts';
import { paging, Timestamp, Ulid } from '../../core/schemas.ts';

export interface ContactQuery extends Audience {
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
  /** Id of a contact that was merged into another one. */
  readonly merged?: string;
}

/** Has exactly one of `phone`, `lid` and `username`. */
export type NewContact = ContactFields & { readonly lid?: string; readonly username?: string };

export const LONGEST_VALUE = 500;

export const LabelName = Joi.string().trim().min(1).max(50).example('VIP');
const Phone = Joi.string().min(1).max(64).description('International or local format; unique in the account').example('+62 812-1111-0001');
const Name = Joi.string().max(LONGEST_NAME).allow(null, '').example('Anna Widodo');
const Var = Joi.string().max(LONGEST_VALUE).allow(null, '');
const Attributes = Joi.object()
  .pattern(ATTRIBUTE_KEY, Joi.string().max(LONGEST_VALUE).allow(null))
  .max(MAX_ATTRIBUTES)
  .description('Attributes by key. null removes an attribute, omitted attributes are unchanged, unknown ones are created')
  .example({ city: 'Bandung' });

const fields = {
  name: Name,
  ...Object.fromEntries(VARS.map((name) => [name, Var])),
  group_id: Ulid.allow(null).description('A contact group'),
  tags: Joi.array()
    .items(LabelName)
    .max(MAX_TAGS)
    .description('The complete list, which replaces the old one. Unknown tags are created')
    .example(['VIP']),
  attrs: Attributes,
};

const AddTags = Joi.array().items(LabelName).max(MAX_TAGS).description('Tags to add; existing ones stay. Unknown tags are created');

const Lid = Joi.string()
  .pattern(/^\d{1,30}@lid$/)
  .description('The hidden address of a person whose number is not known')
  .example('123456789012345@lid');

const Username = Joi.string()
  .min(1)
  .max(64)
  .description('The username of the person, with or without `@`. A username that no contact has yet is looked up on the network')
  .example('@anna.w');

export const NewContactSchema = Joi.object<NewContact>({ phone: Phone, lid: Lid, username: Username, ...fields }).xor(
  'phone',
  'lid',
  'username',
);
export const ContactChangeSchema = Joi.object<ContactFields>({ phone: Phone, ...fields, add_tags: AddTags }).min(1);

export interface Split {
  readonly numbers: readonly string[];
}

const MOST_SPLIT = 20;

export const SplitSchema = Joi.object<Split>({
  numbers: Joi.array()
    .items(Phone)
    .min(1)
    .max(MOST_SPLIT)
    .required()
    .description('Numbers of this contact to split off. The first becomes the main number of the new contact'),
});

const text = Joi.string().allow(null, '');

export const ContactSchema = Joi.object<ContactWithConsent>({
  id: Ulid.required(),
  phone: Joi.string().allow(null).required().description('Digits with the country code; null if the network hides the number'),
  lid: Joi.string().allow(null).required().description('The hidden address; null if not known'),
  username: Joi.string().allow(null).required().description('The username of the person, without `@`; null if not known'),
  country: text.required().description('Country of the number (ISO 3166-1 alpha-2)'),
  name: text.required(),
  ...Object.fromEntries(VARS.map((name) => [name, text.required()])),
  group_id: Ulid.allow(null).required(),
  tags: Joi.array().items(Joi.string()).required(),
  attrs: Joi.object().pattern(Joi.string(), Joi.string().allow('')).required(),
  last_message_at: Timestamp.allow(null)
    .required()
    .description('Time of the latest message in either direction since the person became a contact'),
  consent: Joi.string()
    .valid('opted_in', 'opted_out')
    .allow(null)
    .required()
    .description('The latest consent of the person; null if none is recorded'),
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'Contact' });

export const filters = {
  q: Joi.string().min(1).max(200).description('Part of name, number or username'),
  tag: LabelName.description("A tag's name"),
  group_id: Ulid,
  segment_id: Ulid,
};

export const ContactQuerySchema = Joi.object<ContactQuery>({
  ...filters,
  phone: Phone.description('A complete number, a hidden address (`…@lid`), or a username with `@`'),
  merged: Ulid.description('The id of a merged contact. Returns the contact that it is part of now, for 30 days after the merge'),
  ...paging,
}).with('before_id', 'before');
export const oneContact = Joi.object<{ id: string }>({ id: Ulid.required().description('The contact') });
