import Joi from 'joi';
import { type AudiencePorts, type ContactPage, pageOf, queryOf } from '../../actors/crm/audience.ts';
import { type Contact, type ContactFields, changeContact, createContact, scribeOf, toContact } from '../../actors/crm/contacts.ts';
import { type Vocabulary, vocabularyOf } from '../../actors/crm/vocabulary.ts';
import { refusal } from '../../actors/refusals.ts';
import { type Area, type Call, rowsFor } from '../row.ts';
import { Done, nextPage } from '../schemas.ts';
import {
  ContactChangeSchema,
  type ContactQuery,
  ContactQuerySchema,
  ContactSchema,
  type NewContact,
  NewContactSchema,
  oneContact,
} from './contact-schemas.ts';

const row = rowsFor<AudiencePorts>();

export const ContactsSchema = Joi.object({ contacts: Joi.array().items(ContactSchema).required(), ...nextPage });

export const contacts: Area<AudiencePorts> = {
  name: 'contacts',
  about:
    'People the business knows. One phone number is one contact; whoever writes to a device becomes one, under the name that they show on the ' +
    'network (not from groups, and not from a hidden address until its number is known); tags and attributes used by a contact are made when they do not exist, and ' +
    'those that are removed are gone from every contact at once',
  rows: [
    row({
      id: 'listContacts',
      method: 'GET',
      path: '/v1/contacts',
      summary: 'Contacts, newest first; all filters that are given hold',
      access: 'bearer',
      query: ContactQuerySchema,
      status: 200,
      returns: ContactsSchema,
      refuses: ['NOT_FOUND'],
      run: list,
    }),
    row({
      id: 'createContact',
      method: 'POST',
      path: '/v1/contacts',
      summary: 'Add a contact, or complete one that a message made; CONFLICT when there is another of this number',
      access: 'bearer',
      body: NewContactSchema,
      status: 201,
      returns: ContactSchema,
      refuses: ['INVALID_NUMBER', 'CONFLICT', 'LIMIT_REACHED'],
      run: create,
    }),
    row({
      id: 'getContact',
      method: 'GET',
      path: '/v1/contacts/{id}',
      summary: 'One contact',
      access: 'bearer',
      params: oneContact,
      status: 200,
      returns: ContactSchema,
      refuses: ['NOT_FOUND'],
      async run({ contacts, words }, { caller: { tenantId }, params }) {
        const found = await contacts.find(tenantId, params.id);
        if (!found) throw refusal('NOT_FOUND');
        return toContact(found, await vocabularyOf(words, tenantId));
      },
    }),
    row({
      id: 'changeContact',
      method: 'PATCH',
      path: '/v1/contacts/{id}',
      summary: 'Change a contact; what is not named stays',
      access: 'bearer',
      params: oneContact,
      body: ContactChangeSchema,
      status: 200,
      returns: ContactSchema,
      refuses: ['NOT_FOUND', 'INVALID_NUMBER', 'CONFLICT', 'LIMIT_REACHED'],
      run: change,
    }),
    row({
      id: 'deleteContact',
      method: 'DELETE',
      path: '/v1/contacts/{id}',
      summary: 'Remove a contact; chats, messages and consent stay',
      access: 'bearer',
      params: oneContact,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run({ contacts }, { caller: { tenantId }, params }) {
        if ((await contacts.remove(tenantId, [params.id])) === 0) throw refusal('NOT_FOUND');
        return { ok: true as const };
      },
    }),
  ],
};

async function list(world: AudiencePorts, { caller: { tenantId, callingCode }, query, now }: Call<unknown, ContactQuery, unknown>) {
  const { limit, before = null, before_id: beforeId = null, ...audience } = query;
  const vocabulary = await vocabularyOf(world.words, tenantId);
  const asked = await queryOf(world.words, tenantId, { ...audience, callingCode }, vocabulary, now);
  return toPage(await pageOf(world, tenantId, asked, { limit, before, beforeId }), vocabulary);
}

async function create(world: AudiencePorts, { caller, body, now }: Call<unknown, unknown, NewContact>): Promise<Contact> {
  const scribe = await scribeOf(world, caller.tenantId, now);
  return toContact(await createContact(world, scribe, body, caller.callingCode), scribe.vocabulary);
}

async function change(world: AudiencePorts, { caller, params, body, now }: Call<{ id: string }, unknown, ContactFields>): Promise<Contact> {
  const scribe = await scribeOf(world, caller.tenantId, now);
  return toContact(await changeContact(world, scribe, params.id, body, caller.callingCode), scribe.vocabulary);
}

/** A page as every list of contacts answers it. */
export function toPage({ rows, next }: ContactPage, vocabulary: Vocabulary) {
  return {
    contacts: rows.map((one) => toContact(one, vocabulary)),
    next_before: next?.created_at ?? null,
    next_before_id: next?._id ?? null,
  };
}
