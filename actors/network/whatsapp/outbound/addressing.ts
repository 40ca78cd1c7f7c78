import { RecentCache } from '../../../../runtime/recent-cache.ts';
import { isLid, phoneOf, userJid, userOf } from '../../jid.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import { writeCreds } from '../keys/signal-store.ts';
import type { BinaryNode } from '../library.ts';
import { inside, only } from '../repairs/stanzas.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { HIDDEN } from '../signal/warm-seals.ts';
import type { Address, Addressing, ChatForm } from './address.ts';
import { type Contact, contactsOf } from './contacts.ts';
import { assertOnNetwork } from './recipients.ts';
import { Refused } from './refused.ts';

/**
 * Chooses the form of address in a one-to-one chat, which depends on our own account. Once the
 * account's chats have moved to hidden addresses, the network refuses numbers (463). Before that,
 * it refuses hidden addresses (400). If the network states the form (`told`), it is valid until the
 * device is linked again. Otherwise, the person's last message or a successful send decides. Stored
 * with the secrets (`person-form`, `dialled`).
 */

interface PersonForm {
  readonly heard?: ChatForm;
  readonly lid?: true;
  readonly pn?: true;
}

type Parts = Pick<ConnectionContext, 'library' | 'socket' | 'signal' | 'creds' | 'credentialBuffer' | 'account' | 'isHabit' | 'log'>;

const PERSON: SecretKind<PersonForm> = 'person-form';
const DIALLED: SecretKind<string> = 'dialled';
const REMEMBERED = 2_000;
const PROPS = { migrated: '9435', cstoken: '24941' };

export class ChatAddressing implements Addressing {
  readonly #parts: Parts;
  readonly #persons = new RecentCache<string, PersonForm>(REMEMBERED);
  readonly #dialled = new RecentCache<string, string>(REMEMBERED);
  readonly #asking = new Map<string, Promise<Contact>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    // The network sends its properties only if their hash has changed, so reset the hash.
    if (!parts.creds.props) Object.assign(parts.creds, { lastPropHash: '' });
    parts.socket.ws.on('frame', (stanza: BinaryNode | Uint8Array) => {
      if (!(stanza instanceof Uint8Array)) this.#readProps(stanza);
    });
  }

  get #form(): ChatForm | null {
    return this.#parts.creds.chats?.form ?? null;
  }

  told(form: ChatForm): void {
    const now = this.#parts.creds.chats;
    if (now?.form === form ? now.isTold : now?.form === 'lid') return;
    this.#set({ form, isTold: true });
  }

  async reach(chat: string): Promise<Address> {
    const known = this.#inMemory(chat);
    if (known) return known;
    const address = await this.#choose(chat);
    try {
      await assertOnNetwork(this.#parts, address.to);
      return address;
    } catch (cause) {
      if (!(cause instanceof Refused) || phoneOf(address.to) === null || this.#isAsGiven(chat)) throw cause;
      return this.#elsewhere(address, cause);
    }
  }

  async known(chat: string): Promise<string> {
    if (this.#isAsGiven(chat)) return chat;
    const form = await this.#formOf(chat);
    if (isLid(chat)) return form === 'lid' ? chat : ((await this.numberOf(chat)) ?? chat);
    return form === 'lid' ? ((await this.hiddenOf(chat)) ?? chat) : chat;
  }

  async hiddenOf(jid: string): Promise<string | null> {
    if (isLid(jid)) return jid;
    return this.#hiddenInMemory(jid) ?? (await this.#parts.signal.knownMapping(jid, '')).lid;
  }

  async numberOf(lid: string): Promise<string | null> {
    return (await this.#parts.signal.knownMapping('', lid)).pn;
  }

  /** Returns the person's other address, or null if `to` has worked before or no other can be used. */
  async other(error: string, { to, lid, pn }: Address): Promise<Address | null> {
    if (this.#isAsGiven(to)) return null;
    const first: ChatForm = isLid(to) ? 'lid' : 'pn';
    const { chats } = this.#parts.creds;
    if (error === '400' && chats?.form === first && !chats.isTold) this.#set(null);
    if ((await this.#person(to, lid))[first]) return null;
    const other = first === 'lid' ? await this.#numberUnlessMoved(to, pn) : await this.#hiddenOrAsked(to, lid);
    if (other === null || !(await this.#isThere(other))) return null;
    return first === 'lid' ? { to: other, lid: to, pn: other, isProof: true } : { to: other, lid: other, pn: to, isProof: true };
  }

  async #numberUnlessMoved(lid: string, pn: string | null): Promise<string | null> {
    return this.#form === 'lid' ? null : (pn ?? (await this.numberOf(lid)));
  }

  async #hiddenOrAsked(pn: string, lid: string | null): Promise<string | null> {
    return lid ?? (await this.hiddenOf(pn)) ?? (await this.#ask(pn)).lid;
  }

  reached({ to, lid, isProof = false }: Address): void {
    const form: ChatForm = isLid(to) ? 'lid' : 'pn';
    if (isProof) this.#learnt(form);
    const key = keyOf(lid ?? (isLid(to) ? to : (this.#hiddenInMemory(to) ?? to)));
    if (!this.#persons.get(key)?.[form]) this.#note(key, { [form]: true });
  }

  /** Records the form that a person used, which matters only while our account's form is unknown. */
  heard(from: string, alt: string | undefined): void {
    if (this.#form !== null || !isPerson(from)) return;
    const heard: ChatForm = isLid(from) ? 'lid' : 'pn';
    const key = keyOf(alt !== undefined && isLid(alt) ? alt : from);
    if (this.#persons.get(key)?.heard !== heard) this.#note(key, { heard });
  }

  async refresh(jid: string): Promise<void> {
    const pn = isLid(jid) ? await this.numberOf(jid) : jid;
    if (pn !== null) await this.#ask(pn);
  }

  /** Decides as `#choose` and `assertOnNetwork` do, without waiting, if all that they read is in memory. */
  #inMemory(chat: string): Address | null {
    if (phoneOf(chat) === null || !this.#hasDevices(chat) || this.#isAsGiven(chat)) return null;
    const lid = this.#hiddenInMemory(chat);
    const form = this.#form ?? this.#heardInMemory(chat, lid);
    if (form === 'pn') return { to: chat, lid, pn: chat };
    return form === 'lid' && lid !== null && this.#hasDevices(lid) ? { to: lid, lid, pn: chat } : null;
  }

  #heardInMemory(chat: string, lid: string | null): ChatForm | null {
    const byNumber = this.#persons.get(keyOf(chat));
    const byLid = lid === null ? undefined : this.#persons.get(keyOf(lid));
    return byNumber && byLid ? (byLid.heard ?? byNumber.heard ?? 'pn') : null;
  }

  #hasDevices(jid: string): boolean {
    return (this.#parts.account.devices.get<readonly unknown[]>(userOf(jid) ?? '')?.length ?? 0) > 0;
  }

  async #choose(chat: string): Promise<Address> {
    if (this.#isAsGiven(chat)) return { to: chat, lid: null, pn: null };
    return (await this.#formOf(chat)) === 'lid' ? this.#byLid(chat) : this.#byNumber(chat);
  }

  async #formOf(chat: string): Promise<ChatForm> {
    if (this.#form) return this.#form;
    const { heard } = await this.#person(chat, this.#hiddenInMemory(chat) ?? (await this.hiddenOf(chat)));
    return heard ?? 'pn';
  }

  async #byLid(chat: string): Promise<Address> {
    if (isLid(chat)) return { to: chat, lid: chat, pn: await this.numberOf(chat) };
    const pn = await this.#registered(chat);
    const known = await this.hiddenOf(pn);
    if (known) return { to: known, lid: known, pn };
    const found = await this.#ask(chat);
    if (!found.isOnNetwork) throw new Refused('not_on_network');
    if (!found.lid) throw new Error('the network returned no hidden address');
    return { to: found.lid, lid: found.lid, pn: found.pn ?? pn };
  }

  async #byNumber(chat: string): Promise<Address> {
    const pn = isLid(chat) ? await this.numberOf(chat) : await this.#registered(chat);
    if (pn === null) return { to: chat, lid: chat, pn: null };
    return { to: pn, lid: isLid(chat) ? chat : this.#hiddenInMemory(pn), pn };
  }

  /** Tries both addresses, because the network knows some accounts by only one of them. */
  async #elsewhere({ to }: Address, cause: unknown): Promise<Address> {
    const { isOnNetwork, lid, pn } = await this.#ask(to);
    if (!isOnNetwork) throw cause;
    const ways: Address[] = [];
    if (pn !== null && pn !== to) ways.push({ to: pn, lid, pn });
    if (lid !== null && this.#form === null) ways.push({ to: lid, lid, pn: pn ?? to, isProof: true });
    for (const way of ways) if (await this.#isThere(way.to)) return way;
    throw cause;
  }

  #isThere(to: string): Promise<boolean> {
    return assertOnNetwork(this.#parts, to).then(
      () => true,
      (cause) => (cause instanceof Refused ? false : Promise.reject(cause)),
    );
  }

  async #registered(pn: string): Promise<string> {
    if (this.#hasDevices(pn)) return pn;
    const user = userOf(pn) ?? '';
    const inMemory = this.#dialled.get(user);
    const digits = inMemory ?? (await this.#parts.credentialBuffer.get(DIALLED, [user]))[user] ?? user;
    this.#dialled.set(user, digits);
    return userJid(digits);
  }

  #hiddenInMemory(pn: string): string | null {
    const user = this.#parts.signal.seals.hidden({ user: userOf(pn) ?? '', server: 's.whatsapp.net' });
    return user === null ? null : `${user}@${HIDDEN}`;
  }

  #ask(pn: string): Promise<Contact> {
    const underWay = this.#asking.get(pn);
    if (underWay) return underWay;
    const asking = this.#askAlone(pn).finally(() => this.#asking.delete(pn));
    this.#asking.set(pn, asking);
    return asking;
  }

  async #askAlone(pn: string): Promise<Contact> {
    const typed = phoneOf(pn) ?? '';
    const [found] = await contactsOf(this.#parts, [typed]);
    if (!found) throw new Error('the network did not respond to a query about a number');
    const registered = found.pn === null ? typed : (phoneOf(found.pn) ?? typed);
    if (found.isOnNetwork && registered !== typed) {
      this.#dialled.set(typed, registered);
      this.#parts.credentialBuffer.set(DIALLED, { [typed]: registered });
    }
    return found;
  }

  /** Reads both addresses, because data is stored under the number until the hidden address is known. */
  async #person(to: string, lid: string | null): Promise<PersonForm> {
    const byNumber = await this.#noted(keyOf(to));
    return lid === null || lid === to ? byNumber : { ...byNumber, ...(await this.#noted(keyOf(lid))) };
  }

  #noted(key: string): PersonForm | Promise<PersonForm> {
    return this.#persons.get(key) ?? this.#storedFor(key);
  }

  async #storedFor(key: string): Promise<PersonForm> {
    const stored = (await this.#parts.credentialBuffer.get(PERSON, [key]))[key] ?? {};
    const noted = { ...stored, ...this.#persons.get(key) };
    this.#persons.set(key, noted);
    return noted;
  }

  #note(key: string, more: PersonForm): void {
    const known = this.#persons.get(key);
    this.#persons.set(key, { ...known, ...more });
    void this.#store(key, more);
  }

  async #store(key: string, more: PersonForm): Promise<void> {
    const { credentialBuffer, log } = this.#parts;
    try {
      const stored = (await credentialBuffer.get(PERSON, [key]))[key];
      const all = { ...stored, ...this.#persons.get(key), ...more };
      this.#persons.set(key, all);
      credentialBuffer.set(PERSON, { [key]: all });
    } catch (cause) {
      log.debug({ err: cause }, 'the address form of a chat could not be stored');
    }
  }

  #learnt(form: ChatForm): void {
    const { chats } = this.#parts.creds;
    if (chats?.form === form || (chats?.form === 'lid' && chats.isTold)) return;
    this.#set({ form, isTold: false });
  }

  #set(chats: { form: ChatForm; isTold: boolean } | null): void {
    const { creds, credentialBuffer, log } = this.#parts;
    log.info(
      { event: 'network.chat_form', form: chats?.form ?? null, told: chats?.isTold ?? false },
      'the address form of chats is now known',
    );
    if (chats) creds.chats = chats;
    else delete creds.chats;
    writeCreds(credentialBuffer, creds);
  }

  #readProps(stanza: BinaryNode): void {
    if (stanza.tag !== 'iq' || stanza.attrs['type'] !== 'result') return;
    const props = only(stanza, 'props');
    if (!props) return;
    const values = new Map(inside(props, 'prop').map(({ attrs }) => [attrs['config_code'], attrs['config_value']]));
    const isOn = (code: string): boolean | null => (values.has(code) ? ['1', 'true'].includes(values.get(code) ?? '') : null);
    const migrated = isOn(PROPS.migrated);
    if (migrated !== null) this.told(migrated ? 'lid' : 'pn');
    const { creds, credentialBuffer } = this.#parts;
    const cstoken = isOn(PROPS.cstoken) ?? creds.props?.cstoken ?? false;
    if (creds.props?.cstoken === cstoken) return;
    creds.props = { cstoken };
    writeCreds(credentialBuffer, creds);
  }

  #isAsGiven(chat: string): boolean {
    return !isPerson(chat) || this.#isOurs(chat) || !this.#parts.isHabit('lid_first');
  }

  #isOurs(jid: string): boolean {
    const { me } = this.#parts.creds;
    const user = userOf(jid);
    return user === userOf(me.id) || user === userOf(me.lid);
  }
}

const isPerson = (jid: string): boolean => isLid(jid) || phoneOf(jid) !== null;

const keyOf = (jid: string): string => userOf(jid) ?? jid;
