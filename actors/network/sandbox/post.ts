import { Refusal } from '../../../runtime/errors.ts';
import { phoneOf, userJid } from '../jid.ts';
import type { InboundMessage, OutgoingMessage } from '../port.ts';
import type { LinkedDevice } from './devices.ts';
import type { Ground } from './ground.ts';
import type { Inboxes } from './inboxes.ts';
import type { SandboxLine } from './line.ts';
import { type Parcel, parcelOf } from './parcel.ts';
import type { Phone } from './phones.ts';
import type { Draft, Letter } from './protocol.ts';

/** Ids remembered for each number; a copy of an older message would be taken for a new one. */
const REMEMBERED_IDS = 1_000_000;

/** Carries messages: from linked devices and phones to phones and linked devices, with receipts on the way back. */
export class Post {
  readonly #ground: Ground;
  readonly #inboxes: Inboxes;
  readonly #accepted = new Map<string, Set<string>>();

  constructor(ground: Ground, inboxes: Inboxes) {
    this.#ground = ground;
    this.#inboxes = inboxes;
  }

  /** A linked device sends. It is acked, again for a second copy of an id, or refused. */
  send(line: SandboxLine, device: LinkedDevice, message: OutgoingMessage): void {
    const { netId, to } = message;
    if (this.#ground.faults.isOn(device.phone, 'silent')) {
      this.#note('swallowed', device, { netId, to });
    } else if (this.#accepted.get(device.phone)?.has(netId)) {
      this.#note('duplicate', device, { netId, to });
      this.#ack(line, device, netId);
    } else {
      this.#sendNew(line, device, message);
    }
  }

  /** A person writes on their phone. Refuses CONFLICT or NOT_FOUND when it has nowhere to go. */
  write(phone: Phone, draft: Draft): Letter {
    if (!phone.onNetwork) throw new Refusal('CONFLICT', { reason: 'the phone is not on the network' });
    const to = draft.to.includes('@') ? draft.to : userJid(draft.to);
    const { reason, phones } = this.#readersOf(phone.digits, to);
    const isHeard = to.endsWith('@g.us') || phones.some((digits) => this.#ground.devices.of(digits).length > 0);
    if (reason || !isHeard) throw new Refusal('NOT_FOUND', { field: 'to', reason: reason ?? 'no device is linked to this number' });
    const { clock, names, journal } = this.#ground;
    const letter = {
      netId: names.message(),
      from: phone.digits,
      to,
      content: draft.content,
      ...(draft.attachment && { attachment: draft.attachment }),
      quotes: draft.quotes ?? null,
      at: clock.now(),
    };
    journal.note({ what: 'wrote', phone: phone.digits, netId: letter.netId, to });
    this.#carry(letter, null, phones);
    return letter;
  }

  /** The phone is back online: it is shown what waited, and reads what it had not read. */
  backOnline(phone: Phone): void {
    const { waiting, unread } = phone;
    phone.waiting = [];
    phone.unread = [];
    for (const parcel of waiting) this.#arrive(parcel, phone);
    for (const parcel of unread) this.#ground.reading.run(() => this.#read(parcel, phone));
  }

  #readersOf(from: string, to: string): { readonly phones: readonly string[]; readonly reason: string | null } {
    if (to.endsWith('@g.us')) {
      const others = this.#ground.groups.othersIn(to, from);
      return { phones: others ?? [], reason: others ? null : 'not_in_group' };
    }
    const phone = phoneOf(to);
    return phone && this.#ground.phones.isOnNetwork(phone) ? { phones: [phone], reason: null } : { phones: [], reason: 'not_on_network' };
  }

  #sendNew(line: SandboxLine, device: LinkedDevice, message: OutgoingMessage): void {
    const readers = this.#readersOf(device.phone, message.to);
    const reason = this.#ground.faults.isOn(device.phone, 'refuse') ? 'refused_479' : readers.reason;
    if (reason) this.#refuse(line, device, message, reason);
    else this.#accept(line, device, message, readers.phones);
  }

  #accept(line: SandboxLine, device: LinkedDevice, message: OutgoingMessage, readers: readonly string[]): void {
    const { netId, to, content, quotes, mentions } = message;
    this.#remember(device.phone, netId);
    this.#note('accepted', device, { netId, to });
    this.#ack(line, device, netId);
    const letter = { netId, from: device.phone, to, content, quotes, ...(mentions && { mentions }), at: this.#ground.clock.now() };
    this.#carry(letter, device, readers);
  }

  #remember(phone: string, netId: string): void {
    const ids = this.#accepted.get(phone) ?? new Set();
    this.#accepted.set(phone, ids.add(netId));
    if (ids.size > REMEMBERED_IDS) ids.delete(ids.values().next().value ?? netId);
  }

  #ack(line: SandboxLine, device: LinkedDevice, netId: string): void {
    const at = this.#ground.clock.now();
    const ack = (): void => line.say({ type: 'acked', netId, at });
    if (this.#ground.faults.isOn(device.phone, 'slow')) device.heldAcks.push(ack);
    else ack();
  }

  #refuse(line: SandboxLine, device: LinkedDevice, { netId, to }: OutgoingMessage, reason: string): void {
    this.#note('refused', device, { netId, to, reason });
    line.say({ type: 'refused', netId, reason });
  }

  #carry(letter: Letter, sender: LinkedDevice | null, readers: readonly string[]): void {
    const parcel = parcelOf(letter, sender, readers.length);
    this.#ground.soon.run(() => {
      for (const digits of readers) this.#arrive(parcel, this.#ground.phones.named(digits));
    });
    for (const digits of readers) this.#copyToDevices(letter, sender, digits);
  }

  #copyToDevices(letter: Letter, sender: LinkedDevice | null, digits: string): void {
    for (const device of this.#ground.devices.of(digits)) {
      if (device !== sender) this.#inboxes.put(device, this.#inbound(letter));
    }
  }

  #inbound(letter: Letter): InboundMessage {
    const { netId, to, content, attachment: file, quotes, at } = letter;
    const from = userJid(letter.from);
    const chat = to.endsWith('@g.us') ? to : from;
    return { netId, chat, from, fromName: this.#ground.phones.named(letter.from).name, content, ...(file && { file }), quotes, at };
  }

  #arrive(parcel: Parcel, phone: Phone): void {
    if (phone.online) this.#show(parcel, phone);
    else phone.waiting.push(parcel);
  }

  #show(parcel: Parcel, phone: Phone): void {
    const { letter, sender } = parcel;
    phone.show(letter);
    this.#ground.journal.note({ what: 'delivered', phone: phone.digits, netId: letter.netId, to: letter.to });
    if (!sender) return;
    parcel.toDeliver -= 1;
    if (parcel.toDeliver === 0) this.#inboxes.receipt(sender, 'delivered', letter.netId);
    this.#ground.reading.run(() => this.#read(parcel, phone));
  }

  #read(parcel: Parcel, phone: Phone): void {
    if (!phone.reads || !parcel.sender) return;
    if (phone.online) parcel.toRead -= 1;
    else phone.unread.push(parcel);
    if (parcel.toRead === 0) this.#inboxes.receipt(parcel.sender, 'read', parcel.letter.netId);
  }

  #note(
    what: 'accepted' | 'duplicate' | 'refused' | 'swallowed',
    device: LinkedDevice,
    about: { netId: string; to: string; reason?: string },
  ): void {
    this.#ground.journal.note({ what, phone: device.phone, device: device.number, ...about });
  }
}
