import Joi from 'joi';
import type { Audience } from '../../actors/crm/audience.ts';
import { type Contact, type ContactFields, LONGEST_NAME, MOST_ATTRIBUTES, MOST_TAGS, VARS } from '../../actors/crm/contacts.ts';
import { ATTRIBUTE_KEY } from '../../actors/tokens.ts';
import { paging, Timestamp, Ulid } from '../schemas.ts';

export interface ContactQuery extends Audience {
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

export type NewContact = ContactFields & { readonly phone: string };

export const LONGEST_VALUE = 500;

export const WordName = Joi.string().trim().min(1).max(50).example('VIP');
const Phone = Joi.string().min(5).max(32).description('As people write it; unique in the account').example('+62 812-1111-0001');
const Name = Joi.string().max(LONGEST_NAME).allow(null, '').example('Anna Widodo');
const Var = Joi.string().max(LONGEST_VALUE).allow(null, '');
const Attributes = Joi.object()
  .pattern(ATTRIBUTE_KEY, Joi.string().max(LONGEST_VALUE).allow(null))
  .max(MOST_ATTRIBUTES)
  .description('By key; null removes one, those that are not named stay. Attributes that do not exist are made')
  .example({ city: 'Bandung' });

const fields = {
  name: Name,
  ...Object.fromEntries(VARS.map((name) => [name, Var])),
  group_id: Ulid.allow(null).description('A contact group'),
  tags: Joi.array()
    .items(WordName)
    .max(MOST_TAGS)
    .description('All of them: they replace those before. Tags that do not exist are made')
    .example(['VIP']),
  attrs: Attributes,
};

export const NewContactSchema = Joi.object<NewContact>({ phone: Phone.required(), ...fields });
export const ContactChangeSchema = Joi.object<ContactFields>({ phone: Phone, ...fields }).min(1);

const text = Joi.string().allow(null, '');

export const ContactSchema = Joi.object<Contact>({
  id: Ulid.required(),
  phone: Joi.string().required().description('Digits with the country code'),
  country: text.required().description('ISO 3166-1 alpha-2 of the number'),
  name: text.required(),
  ...Object.fromEntries(VARS.map((name) => [name, text.required()])),
  group_id: Ulid.allow(null).required(),
  tags: Joi.array().items(Joi.string()).required(),
  attrs: Joi.object().pattern(Joi.string(), Joi.string().allow('')).required(),
  last_message_at: Timestamp.allow(null).required().description('The newest message of their chats, either way, since they are a contact'),
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'Contact' });

export const filters = {
  q: Joi.string()
    .min(1)
    .max(200)
    .description('Part of name or number. A page may then hold fewer than `limit`, or none, though more follow'),
  tag: WordName.description("A tag's name"),
  group_id: Ulid,
  segment_id: Ulid,
};

export const ContactQuerySchema = Joi.object<ContactQuery>({ ...filters, ...paging }).with('before_id', 'before');
export const oneContact = Joi.object<{ id: string }>({ id: Ulid.required().description('The contact') });
