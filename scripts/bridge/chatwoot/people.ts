import { hash } from 'node:crypto';
import { ChatwootRefusal, type Contact } from './api.ts';
import { spellingsOf } from './content.ts';
import { type Bridge, OWN } from './context.ts';
import { TryAgain } from './refused.ts';
import type { Person } from './state.ts';

/**
 * Finds or creates the contact and conversation of a person. Invariant: a person has one
 * conversation in the inbox, even if the bridge or Chatwoot is killed in between. Contacts have
 * unique identifiers. A conversation is looked up before its creation is requested again.
 */

interface Known {
  readonly name: string;
  readonly phone: string | null;
}

export type Placed = Person & { readonly conversation: number };

export const isPlaced = (person: Person): person is Placed => person.conversation !== null;

export const unknownPerson = (chat: string): Person => ({
  chat,
  ...{ answersTo: chat, contact: null, source: null, conversation: null, reached: 0, openingAt: null },
});

export async function place(bridge: Bridge, chat: string, known: Known): Promise<Placed> {
  const found = bridge.state.person(chat) ?? unknownPerson(chat);
  if (isPlaced(found)) return found;
  const contact = await contactFor(bridge, chat, known);
  const source = await sourceOf(bridge, chat, contact);
  const person = { ...found, contact: contact.id, source };
  bridge.state.save(person);
  return conversationFor(bridge, person, contact.id, source);
}

async function contactFor(bridge: Bridge, chat: string, known: Known): Promise<Contact> {
  const { chatwoot, settings } = bridge;
  const identifier = `${OWN}${chat}`;
  const found = await existing(bridge, identifier, known.phone);
  if (found) return found;
  const fields = { inbox_id: settings.inbox, name: known.name, identifier };
  const number = known.phone !== null && { phone_number: `+${known.phone}` };
  try {
    return await chatwoot.createContact({ ...fields, ...number });
  } catch (cause) {
    if (!(cause instanceof ChatwootRefusal) || cause.status !== 422) throw cause;
    // Another contact has this identifier or number, or Chatwoot considers the number invalid.
    return (await existing(bridge, identifier, known.phone)) ?? (await chatwoot.createContact(fields));
  }
}

async function existing({ chatwoot }: Bridge, identifier: string, phone: string | null): Promise<Contact | null> {
  const found = await chatwoot.contactWith('identifier', identifier);
  if (found || phone === null) return found;
  for (const digits of spellingsOf(phone)) {
    const contact = await chatwoot.contactWith('phone_number', `+${digits}`);
    if (contact) return contact;
  }
  return null;
}

async function sourceOf({ chatwoot, settings }: Bridge, chat: string, contact: Contact): Promise<string> {
  const known = contact.inboxes.find(({ inbox }) => inbox === settings.inbox);
  if (known) return known.source;
  return chatwoot.joinInbox(contact.id, settings.inbox, hash('sha256', `${settings.inbox} ${chat}`).slice(0, 32));
}

async function conversationFor(bridge: Bridge, person: Person, contact_id: number, source_id: string): Promise<Placed> {
  const { chatwoot, state, settings, clock } = bridge;
  const settled = (person.openingAt ?? 0) + settings.settleMs;
  if (person.openingAt !== null && clock.now() < settled)
    throw new TryAgain(settled, 'Chatwoot did not respond to a request for a conversation');
  const open = (await chatwoot.conversationsOf(contact_id)).filter(({ inbox }) => inbox === settings.inbox);
  const last = open.toSorted((a, b) => a.id - b.id).at(-1);
  if (last) return placed(bridge, person, last.id, await reachedIn(bridge, last));
  state.save({ ...person, openingAt: clock.now() });
  try {
    const { id } = await chatwoot.createConversation({ source_id, inbox_id: settings.inbox, contact_id });
    return placed(bridge, person, id, 0);
  } catch (cause) {
    if (cause instanceof ChatwootRefusal) state.save({ ...person, openingAt: null });
    throw cause;
  }
}

function placed({ state }: Bridge, person: Person, conversation: number, reached: number): Placed {
  const known = { ...person, conversation, reached, openingAt: null };
  state.save(known);
  return known;
}

/**
 * Returns the id of the newest message that need not be handled, either because it was handled
 * before or because it is older than the bridge.
 */
export async function reachedIn(
  { state, chatwoot }: Bridge,
  { id, createdAt }: { readonly id: number; readonly createdAt: number },
): Promise<number> {
  const handled = state.setting(`reached:${id}`);
  if (handled !== null) return Number(handled);
  const since = Number(state.setting('since'));
  if (createdAt >= since) return 0;
  return (await chatwoot.messages(id)).filter((message) => message.createdAt < since).at(-1)?.id ?? 0;
}
