import type { Account } from '../server/account.ts';
import { type Exchange, seconds } from '../server/exchange.ts';
import type { Group } from '../server/groups.ts';
import type { Linked } from '../server/linked.ts';
import { asTheyArrive } from '../server/messages.ts';
import { type Attributes, bytesOf, child, el, isGroup, jidOf, parseJid, SERVER, type Stanza, unsigned } from '../stanza.ts';
import type { Handset, Message } from './handset.ts';
import type { Arrival } from './screen.ts';
import type { Bundle } from './signal.ts';

/** Options for writing a message. */
export interface Written {
  readonly id?: string;
  /** Kind of address under which the recipient sees the author. */
  readonly addressing?: 'pn' | 'lid';
  /** Whether the server also sends the author's other address; default: true. */
  readonly tellsOther?: boolean;
  /** Device on which the message is written; 0 is the phone. */
  readonly device?: number;
  /** The `edit` attribute for the server: 1 edits, 7 deletes for everyone. */
  readonly edit?: string;
  /** Attributes that the author's client adds itself, true or not. */
  readonly claims?: Attributes;
  /** Raw bytes, for content that the library's definition does not cover. */
  readonly wire?: Uint8Array;
  /** Address of the broadcast list to which the message was sent. */
  readonly list?: string;
  /** Whether computers receive the message without its content, which only the phone has until they request it. */
  readonly isForPhone?: boolean;
}

interface Kept {
  readonly to: string;
  readonly message: Message;
  readonly how: Written;
}

/** Sends one person's messages to all devices that need them, and again when a device requests it. */
export class Writer {
  readonly #exchange: Exchange;
  readonly #account: Account;
  readonly #kept = new Map<string, Kept>();

  constructor(exchange: Exchange, account: Account) {
    this.#exchange = exchange;
    this.#account = account;
  }

  wrote(id: string): boolean {
    return this.#kept.has(id);
  }

  /** `to`: digits or an address. */
  async write(to: string, message: Message, how: Written): Promise<Arrival> {
    const { random, clock } = this.#exchange;
    const chat = to.includes('@') ? to : jidOf(to, SERVER);
    const arrival = { netId: how.id ?? random.messageId(), from: this.#account.digits, chat, message, at: clock.now() };
    this.#kept.set(arrival.netId, { to: chat, message, how });
    const group = isGroup(chat) ? this.#exchange.groups.get(chat) : null;
    if (group) await this.#toGroup(group, arrival, how);
    else await this.#toPerson(arrival, how);
    return arrival;
  }

  /** Sends a message to each person on a list. The author's computers receive it once, with all recipients. */
  async writeToList(list: string, recipients: readonly string[], message: Message): Promise<string> {
    const { random, clock, directory, people } = this.#exchange;
    const [id, handset] = [random.messageId(), this.#handset({})];
    const others = recipients.flatMap((digits) => directory.of(jidOf(digits, SERVER)) ?? []);
    for (const other of others)
      people.person(other).gets({ netId: id, from: this.#account.digits, chat: this.#account.jid, message, at: clock.now() });
    const named = others.map(({ jid, lidJid }) => el('to', { jid: lidJid, peer_recipient_pn: jid }));
    const copy: Message = { deviceSentMessage: { destinationJid: list, message } };
    const attrs = { ...this.#common(id, message, {}), from: list, participant: handset.lid, participant_pn: this.#account.jid };
    for (const to of this.#account.linked.values())
      to.deliver(el('message', attrs, [await handset.seal(to, copy), ...(named.length > 0 ? [el('participants', {}, named)] : [])]));
    return id;
  }

  /** Sends a message again in a new session because a computer could not decrypt it. */
  async writeAgain(to: Linked, receipt: Stanza): Promise<void> {
    const { id = '', to: own = '', participant = own } = receipt.attrs;
    const kept = this.#kept.get(id);
    const handset = this.#account.handsets.get(parseJid(participant).device);
    if (!kept || !handset) return;
    await handset.forget(to);
    const keys = child(receipt, 'keys');
    if (keys) await handset.startSession(to, bundleOf(keys, unsigned(bytesOf(receipt, 'registration'))));
    const group = this.#exchange.groups.get(kept.to);
    if (group) return this.#fanOut(group, [to], handset, { netId: id, message: kept.message }, kept.how);
    const count = Number(child(receipt, 'retry')?.attrs['count'] ?? 1);
    to.deliver(el('message', this.#attrs(id, kept, handset, to), [await handset.seal(to, kept.message, count, kept.how.wire)]));
  }

  async #toPerson({ netId, chat, message, ...rest }: Arrival, how: Written): Promise<void> {
    const { directory, people } = this.#exchange;
    const other = directory.of(chat);
    if (!other) throw new Error(`nobody is ${chat}`);
    const handset = this.#handset(how);
    other.chats.add(this.#account);
    this.#account.chats.add(other);
    if (other !== this.#account) people.person(other).gets({ netId, message, ...rest, chat: this.#account.jid });
    const kept = { to: other.jid, message, how };
    for (const to of other.linked.values()) {
      const inside = how.isForPhone
        ? [el('unavailable', {})]
        : asTheyArrive(this.#exchange, to, [await handset.seal(to, message, undefined, how.wire)]);
      to.deliver(el('message', this.#attrs(netId, kept, handset, to), inside));
    }
    const copy: Message = { deviceSentMessage: { destinationJid: other.jid, message } };
    for (const to of other === this.#account ? [] : this.#account.linked.values())
      to.deliver(el('message', this.#attrs(netId, kept, handset, to), [await handset.seal(to, copy)]));
  }

  async #toGroup(group: Group, arrival: Arrival, how: Written): Promise<void> {
    const others = group.members.filter((member) => member !== this.#account);
    for (const member of others) this.#exchange.people.person(member).gets(arrival);
    const computers = group.members.flatMap(({ linked }) => [...linked.values()]);
    await this.#fanOut(group, computers, this.#handset(how), arrival, how);
  }

  async #fanOut(
    group: Group,
    to: readonly Linked[],
    handset: Handset,
    { netId, message }: Pick<Arrival, 'netId' | 'message'>,
    how: Written,
  ) {
    const parts = await handset.sealForGroup(group.jid, to, message);
    const who =
      group.addressing === 'lid'
        ? { participant: handset.lid, participant_pn: this.#account.jid }
        : { participant: handset.jid, participant_lid: this.#account.lidJid };
    const attrs = { ...this.#common(netId, message, how), from: group.jid, ...who, addressing_mode: group.addressing };
    for (const [linked, seals] of parts) linked.deliver(el('message', attrs, asTheyArrive(this.#exchange, linked, seals)));
  }

  #handset({ device = 0 }: Written): Handset {
    const handset = this.#account.handsets.get(device);
    if (!handset) throw new Error(`${this.#account.digits} has no device ${device}`);
    return handset;
  }

  #attrs(id: string, { to: chat, message, how }: Kept, handset: Handset, to: Linked) {
    const common = this.#common(id, message, how);
    const other = this.#exchange.directory.of(chat);
    if (to.account === this.#account && other !== this.#account)
      return { ...common, from: handset.jid, recipient: other?.jid, peer_recipient_lid: other?.lidJid };
    const tells = how.tellsOther !== false;
    if (how.list !== undefined)
      return { ...common, from: how.list, participant: handset.jid, ...(tells && { participant_lid: this.#account.lidJid }) };
    if (how.addressing === 'lid')
      return { ...common, from: handset.lid, sender_pn: tells ? this.#account.jid : null, addressing_mode: 'lid' };
    return { ...common, from: handset.jid, sender_lid: tells ? this.#account.lidJid : null, addressing_mode: 'pn' };
  }

  #common(id: string, message: Message, { edit, claims }: Written) {
    const { name: notify, username } = this.#account;
    return { ...claims, id, type: typeOf(message), t: seconds(this.#exchange), notify, username, edit };
  }
}

const MEDIA = [
  'imageMessage',
  'videoMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
  'locationMessage',
  'contactMessage',
] as const;

function typeOf(message: Message): string {
  if (message.reactionMessage) return 'reaction';
  if (message.pollCreationMessage || message.pollCreationMessageV3 || message.pollUpdateMessage) return 'poll';
  return MEDIA.some((name) => message[name]) ? 'media' : 'text';
}

/** Returns the keys that a computer included in its retry request. */
function bundleOf(keys: Stanza, registrationId: number): Bundle {
  const [preKey, signed] = [child(keys, 'key'), child(keys, 'skey')];
  return {
    registrationId,
    identity: bytesOf(keys, 'identity'),
    preKey: preKey ? { id: unsigned(bytesOf(preKey, 'id')), public: bytesOf(preKey, 'value') } : null,
    signedPreKey: { id: unsigned(bytesOf(signed, 'id')), public: bytesOf(signed, 'value'), signature: bytesOf(signed, 'signature') },
  };
}
