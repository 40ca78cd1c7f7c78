import { Refusal } from '../../../runtime/errors.ts';
import type { ReceiptStage } from '../member-receipts.ts';
import type { PendingDelivery } from './deliveries.ts';
import type { LinkedDevice } from './devices.ts';
import { MessageReceipts } from './message-receipts.ts';
import { isPhone } from './names.ts';
import type { DeviceAction, MessageMarks, NetworkMessage, PhoneSettings, ShownPresence } from './protocol.ts';

const KEPT_MESSAGES = 10_000;
const MAX_MESSAGES = 200;
const UNMARKED: MessageMarks = new MessageReceipts();

export class Phone {
  readonly digits: string;
  online = true;
  reads = true;
  onNetwork = true;
  name: string | null = null;
  about: string | null = '';
  lid = false;
  tellsNumber = true;
  passkey = false;
  addable = true;
  business = true;
  username: string | null = null;
  usernameKey: string | null = null;
  /** A wrong number that the network reports for the hidden address. */
  toldNumber: string | null = null;
  numberForms: readonly string[] = [];
  savedAs: string | null = null;
  waiting: (() => void)[] = [];
  unread: PendingDelivery[] = [];
  #received: NetworkMessage[] = [];
  #reactions: DeviceAction[] = [];
  readonly #receipts = new Map<string, MessageReceipts>();
  /** Devices to which this phone wrote from its hidden address without revealing its number. */
  readonly strangers = new Set<LinkedDevice>();
  readonly #presences = new Map<string, ShownPresence>();

  constructor(digits: string) {
    this.digits = digits;
  }

  show(networkMessage: NetworkMessage): void {
    this.#received.push(networkMessage);
    if (this.#received.length >= 2 * KEPT_MESSAGES) this.#received = this.#received.slice(-KEPT_MESSAGES);
  }

  messages(limit: number): readonly NetworkMessage[] {
    return limit <= 0 ? [] : this.#received.slice(-limit).reverse();
  }

  shownFrom(isOfChat: (networkMessage: NetworkMessage) => boolean): readonly NetworkMessage[] {
    return this.#received.filter((networkMessage) => networkMessage.from !== this.digits && isOfChat(networkMessage)).slice(-MAX_MESSAGES);
  }

  mark(deviceAction: DeviceAction): void {
    this.#marked(deviceAction.target).take(deviceAction);
    if (deviceAction.act.kind !== 'reaction' || deviceAction.from === this.digits) return;
    this.#reactions.push(deviceAction);
    if (this.#reactions.length >= 2 * KEPT_MESSAGES) this.#reactions = this.#reactions.slice(-KEPT_MESSAGES);
  }

  reactions(limit: number): readonly DeviceAction[] {
    return this.#reactions.slice(-limit).reverse();
  }

  markSeen(netId: string, by: string): void {
    this.#marked(netId).seenBy.add(by);
  }

  message(netId: string): NetworkMessage | undefined {
    return this.#received.findLast((networkMessage) => networkMessage.netId === netId);
  }

  gave(netId: string, what: ReceiptStage, at: number): void {
    this.#marked(netId).given[what] ??= at;
  }

  receipts(netId: string): MessageMarks {
    return this.#receipts.get(netId) ?? UNMARKED;
  }

  see(presence: ShownPresence): void {
    this.#presences.set(`${presence.from} ${presence.chat}`, presence);
  }

  presences(): readonly ShownPresence[] {
    return [...this.#presences.values()];
  }

  #marked(netId: string): MessageReceipts {
    const receipts = this.#receipts.get(netId) ?? new MessageReceipts();
    this.#receipts.set(netId, receipts);
    if (this.#receipts.size > 2 * KEPT_MESSAGES) this.#receipts.delete(this.#receipts.keys().next().value ?? netId);
    return receipts;
  }

  settings(): PhoneSettings {
    const { online, reads, onNetwork, name, about, lid, tellsNumber, toldNumber, passkey, addable, business } = this;
    const { username, usernameKey, numberForms, savedAs } = this;
    return {
      ...{ online, reads, onNetwork, name, about, lid, tellsNumber, toldNumber, passkey, addable, business },
      ...{ username, usernameKey, numberForms, savedAs },
    };
  }

  set(changes: Partial<PhoneSettings>): void {
    this.online = changes.online ?? this.online;
    this.reads = changes.reads ?? this.reads;
    this.onNetwork = changes.onNetwork ?? this.onNetwork;
    this.lid = changes.lid ?? this.lid;
    this.tellsNumber = changes.tellsNumber ?? this.tellsNumber;
    this.passkey = changes.passkey ?? this.passkey;
    this.addable = changes.addable ?? this.addable;
    this.business = changes.business ?? this.business;
    this.numberForms = changes.numberForms ?? this.numberForms;
    if (changes.toldNumber !== undefined) this.toldNumber = changes.toldNumber;
    if (changes.name !== undefined) this.name = changes.name;
    if (changes.username !== undefined) this.username = changes.username;
    if (changes.usernameKey !== undefined) this.usernameKey = changes.usernameKey;
    if (changes.about !== undefined) this.about = changes.about;
    if (changes.savedAs !== undefined) this.savedAs = changes.savedAs;
  }
}

export class Phones {
  readonly #phones = new Map<string, Phone>();
  /** Maps other forms in which people dial a number to the registered number. */
  readonly #dialled = new Map<string, string>();
  readonly #forms = new Map<string, readonly string[]>();

  named(digits: string): Phone {
    const known = this.#phones.get(digits);
    if (known) return known;
    if (!isPhone(digits)) throw new Refusal('VALIDATION_FAILED', { field: 'phone', reason: 'a phone number is 5 to 15 digits' });
    const phone = new Phone(digits);
    this.#phones.set(digits, phone);
    return phone;
  }

  seen(digits: string): Phone | undefined {
    return this.#phones.get(digits);
  }

  all(): readonly Phone[] {
    return [...this.#phones.values()];
  }

  registered(digits: string): string {
    return this.#dialled.get(digits) ?? digits;
  }

  dial({ digits, numberForms }: Phone): void {
    for (const former of this.#forms.get(digits) ?? []) if (this.#dialled.get(former) === digits) this.#dialled.delete(former);
    for (const form of numberForms) if (form !== digits) this.#dialled.set(form, digits);
    this.#forms.set(digits, numberForms);
  }

  called(username: string): Phone | null {
    const name = username.toLowerCase();
    return [...this.#phones.values()].find((phone) => phone.username?.toLowerCase() === name) ?? null;
  }

  /** Also finds a phone that is reported with a wrong number. */
  hidden(digits: string): Phone | null {
    const own = this.#phones.get(this.registered(digits));
    if (own?.lid) return own;
    return [...this.#phones.values()].find(({ lid, toldNumber }) => lid && toldNumber === digits) ?? null;
  }

  isOnNetwork(digits: string): boolean {
    return isPhone(digits) && (this.#phones.get(digits)?.onNetwork ?? true);
  }
}
