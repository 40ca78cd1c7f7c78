import Joi from 'joi';
import { invalidField, refusal } from '../../../actors/domain/refusals.ts';
import { usernameIn } from '../../../actors/domain/usernames.ts';
import { isLid } from '../../../actors/network/jid.ts';
import { addressOf, writtenLid } from '../../../actors/network/subject.ts';
import { type Audience, type AudienceDeps, pageOf, queryOf } from '../../../actors/services/contacts/audience.ts';
import {
  type ContactFields,
  type ContactWithConsent,
  changeContact,
  createContact,
  labelWriterOf,
  type NumberedContactDeps,
  type ShowingContactDeps,
  standingNumber,
  toContacts,
} from '../../../actors/services/contacts/contacts.ts';
import { labelIndexOf } from '../../../actors/services/contacts/labels.ts';
import type { Visibility } from '../../../actors/services/conversations/visibility.ts';
import type { NumberReader } from '../../../actors/services/identities/number-reader.ts';
import { at } from '../../../runtime/invariant.ts';
import type { ContactMerges } from '../../../store/contacts/contact-merges.ts';
import type { ContactRow } from '../../../store/contacts/contacts.ts';
import type { PageRead } from '../../../store/paging/page.ts';
import { nextOf } from '../../core/paging.ts';
import { type Area, type Call, type Caller, rowsFor } from '../../core/row.ts';
import { Done, nextPage } from '../../core/schemas.ts';
import { type Asking, PERSON_REFUSALS, type PersonServices, personNamed } from '../look-ups.ts';
import { viewerOf } from '../params.ts';
import {
  ContactChangeSchema,
  type ContactQuery,
  ContactQuerySchema,
  ContactSchema,
  type NewContact,
  NewContactSchema,
  oneContact,
  type Split,
  SplitSchema,
} from './schemas.ts';

export interface ContactsServices extends AudienceDeps, NumberedContactDeps, ShowingContactDeps, PersonServices {
  readonly numbers: NumberReader;
  readonly merges: Pick<ContactMerges, 'survivor'>;
  readonly visibility: Pick<Visibility, 'expectPerson' | 'filterPeople'>;
  split(contact: ContactRow, numbers: readonly string[], now: number): Promise<ContactRow>;
}

const row = rowsFor<ContactsServices>();

export const ContactsSchema = Joi.object({ contacts: Joi.array().items(ContactSchema).required(), ...nextPage });

export const contacts: Area<ContactsServices> = {
  name: 'contacts',
  about:
    'People the business knows. Each person is one contact, even with several numbers and addresses on the network. Everyone who writes to a device becomes a contact, under the name that they show on the ' +
    'network (not from groups); `phone` is null while the network hides the number. Tags and attributes used by a contact are created when they do not exist, and ' +
    'removed ones disappear from every contact at once. Agents read and save contacts of people whose chats they see',
  rows: [
    row({
      id: 'listContacts',
      method: 'GET',
      path: '/v1/contacts',
      summary: 'List contacts',
      about: 'List contacts that match all given filters, newest first',
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      agents: true,
      query: ContactQuerySchema,
      status: 200,
      returns: ContactsSchema,
      refuses: ['NOT_FOUND', 'INVALID_NUMBER'],
      run: list,
    }),
    row({
      id: 'createContact',
      method: 'POST',
      path: '/v1/contacts',
      summary: 'Create a contact',
      example: { phone: '+6281298765432', name: 'Budi Santoso', tags: ['VIP'], attrs: { city: 'Bandung' } },
      about:
        'Create a contact with `phone`, or with `lid` or `username` if the number is not known. If a message has already created the contact, the call completes it. CONFLICT if the person already has a contact',
      audit: { none: 'everyday work on contacts; the record says when' },
      access: 'bearer',
      agents: true,
      body: NewContactSchema,
      status: 201,
      returns: ContactSchema,
      refuses: [...PERSON_REFUSALS, 'CONFLICT', 'LIMIT_REACHED'],
      run: create,
    }),
    row({
      id: 'getContact',
      method: 'GET',
      path: '/v1/contacts/{id}',
      summary: 'Get a contact',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: oneContact,
      status: 200,
      returns: ContactSchema,
      refuses: ['NOT_FOUND'],
      async run(services, { caller, params }) {
        return shown(services, await visibleContact(services, caller, params.id));
      },
    }),
    row({
      id: 'changeContact',
      method: 'PATCH',
      path: '/v1/contacts/{id}',
      summary: 'Update a contact',
      example: { name: 'Anna Widodo', tags: ['VIP'] },
      about: 'Omitted fields are unchanged',
      audit: { none: 'everyday work on contacts; the record says when' },
      access: 'bearer',
      agents: true,
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
      summary: 'Delete a contact',
      about: 'The chats, messages and consent of the person are kept',
      audit: { action: 'contact.delete', on: 'contacts' },
      stepUp: { none: 'everyday work; messages and consent stay' },
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
    row({
      id: 'splitContact',
      method: 'POST',
      path: '/v1/contacts/{id}/split',
      summary: 'Split a contact',
      example: { numbers: ['+5215512345678'] },
      about:
        'Undo a merge within 30 days: these numbers become a separate contact again, as before the merge. An opt-out or a hold applies to both; messages stay ' +
        'in their chat. The contacts are merged again if the network later reports them as one person',
      audit: { action: 'contact.split', on: 'contacts' },
      stepUp: { none: 'everyday work; opt-outs and holds stay on both' },
      access: 'bearer',
      params: oneContact,
      body: SplitSchema,
      status: 201,
      returns: ContactSchema,
      refuses: ['NOT_FOUND', 'INVALID_NUMBER'],
      run: split,
    }),
  ],
};

async function list(services: ContactsServices, { caller, query, now }: Call<unknown, ContactQuery, unknown>) {
  const { tenantId, callingCode } = caller;
  const { limit, before = null, before_id: beforeId = null, merged, ...audience } = query;
  if (merged !== undefined) return survivorOf(services, caller, merged);
  const labelIndex = await labelIndexOf(services.labels, tenantId);
  const asked = await queryOf(
    services.labels,
    tenantId,
    { ...audience, ...(await numberIn(services, caller, query)), callingCode },
    labelIndex,
    now,
  );
  const visible = services.visibility.filterPeople<ContactRow>(viewerOf(caller), tenantId, ({ phone }) => addressOf(phone));
  const page = { limit, before, beforeId };
  return toPage(await pageOf(services, tenantId, asked, { page, visible }, (some) => toContacts(services, tenantId, some, labelIndex)));
}

async function survivorOf(services: ContactsServices, caller: Caller, former: string) {
  const id = await services.merges.survivor(caller.tenantId, former);
  const row = id === null ? null : await services.contacts.find(caller.tenantId, id);
  const keep = services.visibility.filterPeople<ContactRow>(viewerOf(caller), caller.tenantId, ({ phone }) => addressOf(phone));
  const found = row === null ? [] : keep ? await keep([row]) : [row];
  const labelIndex = await labelIndexOf(services.labels, caller.tenantId);
  return toPage({ entries: await toContacts(services, caller.tenantId, found, labelIndex), next: null });
}

async function create(services: ContactsServices, { caller, body, now }: Call<unknown, unknown, NewContact>): Promise<ContactWithConsent> {
  const { lid, username, phone = lid ?? asName(username), ...fields } = body;
  if (username !== undefined && usernameIn(username) === null) throw invalidField('username', NO_NAME);
  const subject = await visiblePerson(services, { caller, now }, phone);
  const labelWriter = await labelWriterOf(services, caller.tenantId, now);
  const named = isLid(subject) && username !== undefined ? { username: usernameIn(username) } : {};
  return shown(services, await createContact(services, labelWriter, { ...fields, phone: subject }, named));
}

async function change(
  services: ContactsServices,
  { caller, params, body, now }: Call<{ id: string }, unknown, ContactFields>,
): Promise<ContactWithConsent> {
  const before = await visibleContact(services, caller, params.id);
  if (body.phone !== undefined && isLid(before.phone)) throw refusal('VALIDATION_FAILED', { field: 'phone', reason: HIDDEN });
  const numbered = body.phone === undefined ? {} : { phone: await visibleNumber(services, caller, body.phone) };
  const labelWriter = await labelWriterOf(services, caller.tenantId, now);
  return shown(services, await changeContact(services, labelWriter, params.id, { ...body, ...numbered }));
}

async function split(
  services: ContactsServices,
  { caller, params, body, now }: Call<{ id: string }, unknown, Split>,
): Promise<ContactWithConsent> {
  const contact = await visibleContact(services, caller, params.id);
  const numbers: string[] = [];
  for (const text of body.numbers) numbers.push(await services.numbers.digits(caller, text));
  return shown(services, await services.split(contact, [...new Set(numbers)], now));
}

/** Fails with NOT_FOUND if the contact is unknown or an agent cannot see any chat with the person. */
export async function visibleContact(
  { contacts, visibility }: Pick<ContactsServices, 'contacts' | 'visibility'>,
  caller: Caller,
  id: string,
): Promise<ContactRow> {
  const found = await contacts.find(caller.tenantId, id);
  if (!found) throw refusal('NOT_FOUND');
  await visibility.expectPerson(viewerOf(caller), caller.tenantId, addressOf(found.phone));
  return found;
}

async function shown(services: ContactsServices, row: ContactRow): Promise<ContactWithConsent> {
  return at(await toContacts(services, row.tenant_id, [row], await labelIndexOf(services.labels, row.tenant_id)), 0);
}

const asName = (username = ''): string => `@${username.replace(/^@/, '')}`;

async function visiblePerson(services: ContactsServices, asking: Asking, text: string): Promise<string> {
  const subject = await personNamed(services, asking, text);
  await expectVisible(services, asking.caller, subject);
  return subject;
}

/** Rejects a hidden address, because only the network knows the number behind it. */
async function visibleNumber(services: ContactsServices, caller: Caller, text: string): Promise<string> {
  const digits = await services.numbers.digits(caller, text);
  await expectVisible(services, caller, digits);
  return digits;
}

async function expectVisible({ visibility }: ContactsServices, caller: Caller, subject: string): Promise<void> {
  const viewer = viewerOf(caller);
  if (viewer !== null) await visibility.expectPerson(viewer, caller.tenantId, addressOf(subject));
}

/** Accepts a number with `+` as complete, even if its country's numbering plan is unknown. */
export async function numberIn(
  { numbers, standing }: Pick<ContactsServices, 'numbers' | 'standing'>,
  caller: Caller,
  { phone }: Pick<ContactQuery, 'phone'>,
): Promise<Pick<Audience, 'phone' | 'username'>> {
  if (phone === undefined) return {};
  const text = phone.trim();
  if (text.startsWith('@')) return { phone: undefined, username: text };
  if (writtenLid(text) !== null) return { phone: await standingNumber(standing, caller.tenantId, text) };
  const digits = /^\+\d+$/.test(phone) ? phone.slice(1) : await numbers.digits(caller, phone);
  return { phone: `+${await standingNumber(standing, caller.tenantId, digits)}` };
}

const NO_NAME = { en: 'this is not a username', id: 'ini bukan nama pengguna' };
const HIDDEN = {
  en: 'the number of this person is not known yet: the network provides it once they share it',
  id: 'nomor orang ini tidak diketahui: hanya jaringan yang memberitahukannya, setelah ia membagikannya',
};

export const toPage = ({ entries, next }: PageRead<ContactWithConsent>) => ({ contacts: entries, ...nextOf(next) });
