import { Refusal } from '../../../runtime/errors.ts';
import { userJid } from '../jid.ts';
import type { InboundMessage, KeptEvent, OutgoingMessage, Whereabouts } from '../port.ts';
import { type DeviceAct, heardAs } from './deeds.ts';
import type { LinkedDevice } from './devices.ts';
import type { Ground } from './ground.ts';
import type { Inboxes } from './inboxes.ts';
import type { SandboxLine } from './line.ts';
import { type Parcel, parcelOf } from './parcel.ts';
import type { Phone } from './phones.ts';
import type { Deed, DeedDraft, Draft, Letter } from './protocol.ts';
import { lidOf, numberAt, ownWhereabouts, whereabouts } from './whereabouts.ts';

type Addressed = Pick<OutgoingMessage, 'netId' | 'to'>;

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
    this.#take(line, device, message, (readers) => {
      const { netId, to, content, quotes, mentions } = message;
      const letter = { netId, from: device.phone, to, content, quotes, ...(mentions && { mentions }), at: this.#ground.clock.now() };
      this.#carry(letter, device, readers);
    });
  }

  /** A linked device does something to a message: a message of its own. */
  act(line: SandboxLine, device: LinkedDevice, { netId, target, act }: DeviceAct): void {
    this.#take(line, device, { netId, to: target.chat }, (readers) => {
      const deed = { netId, from: device.phone, to: target.chat, target: target.netId, act, at: this.#ground.clock.now() };
      this.#spread(deed, device, readers);
    });
  }

  #take(line: SandboxLine, device: LinkedDevice, message: Addressed, carry: (readers: readonly string[]) => void): void {
    const { netId, to } = message;
    if (this.#ground.faults.isOn(device.phone, 'silent')) {
      this.#note('swallowed', device, { netId, to });
    } else if (this.#accepted.get(device.phone)?.has(netId)) {
      this.#note('duplicate', device, { netId, to });
      this.#ack(line, device, netId);
    } else {
      this.#takeNew(line, device, message, carry);
    }
  }

  /** A person writes on their phone. Refuses CONFLICT or NOT_FOUND when it has nowhere to go. */
  write(phone: Phone, draft: Draft): Letter {
    const { to, phones } = this.#destination(phone, draft.to);
    const { clock, names, journal } = this.#ground;
    const letter = {
      netId: draft.netId ?? names.message(),
      from: phone.digits,
      to,
      content: draft.content,
      ...(draft.attachment && { attachment: draft.attachment }),
      quotes: draft.quotes ?? null,
      at: clock.now(),
    };
    journal.note({ what: 'wrote', phone: phone.digits, netId: letter.netId, to });
    this.#hide(phone, phones);
    this.#carry(letter, null, phones);
    return letter;
  }

  /** A person does something to a message on their phone. Refuses as `write` does. */
  do(phone: Phone, draft: DeedDraft): Deed {
    const { to, phones } = this.#destination(phone, draft.to);
    const { clock, names, journal } = this.#ground;
    const deed = { netId: names.message(), from: phone.digits, to, target: draft.target, act: draft.act, at: clock.now() };
    journal.note({ what: 'did', phone: phone.digits, netId: deed.netId, to, reason: draft.act.kind });
    phone.mark(deed);
    this.#spread(deed, null, phones);
    return deed;
  }

  /** The phone is back online: what waited happens, and it reads what it had not read. */
  backOnline(phone: Phone): void {
    const { waiting, unread } = phone;
    phone.waiting = [];
    phone.unread = [];
    for (const happen of waiting) happen();
    for (const parcel of unread) this.#ground.reading.run(() => this.#read(parcel, phone));
  }

  /** A person calls. Refuses as `write` does. */
  call(phone: Phone, address: string, video: boolean): { readonly id: string; readonly at: number } {
    const { to, phones } = this.#destination(phone, address);
    const { clock, names, journal } = this.#ground;
    const callId = names.message();
    const at = clock.now();
    journal.note({ what: 'did', phone: phone.digits, netId: callId, to, reason: 'call' });
    const { name, ...where } = this.#writer(phone.digits, to);
    this.#tell({ type: 'call', token: callId, callId, ...where, video, at }, null, phones);
    return { id: callId, at };
  }

  /** Somebody reads a chat on their phone: the devices of their number hear of it. Refuses as `write` does. */
  look(phone: Phone, address: string): { readonly id: string; readonly at: number } {
    const { to } = this.#destination(phone, address);
    const isGroup = to.endsWith('@g.us');
    const other = numberAt(to);
    const seen = phone.shownFrom((letter) => (isGroup ? letter.to === to : letter.from === other && !letter.to.endsWith('@g.us')));
    const chat = isGroup ? to : whereabouts(this.#ground.phones.named(other ?? ''), to).chat;
    const { names, journal } = this.#ground;
    const token = names.message();
    journal.note({ what: 'did', phone: phone.digits, netId: token, to, reason: 'read' });
    this.#tell({ type: 'seen', token, chat, netIds: seen.map(({ netId }) => netId) }, null, [phone.digits]);
    return { id: token, at: this.#ground.clock.now() };
  }

  /** Devices that know only its hidden address hear whose it is. */
  tellNumber(phone: Phone): void {
    const lid = lidOf(phone.digits);
    for (const device of phone.strangers) this.#inboxes.put(device, { type: 'identity', token: lid, lid, phone: phone.digits });
    phone.strangers.clear();
  }

  #destination(phone: Phone, address: string): { readonly to: string; readonly phones: readonly string[] } {
    if (!phone.onNetwork) throw new Refusal('CONFLICT', { reason: 'the phone is not on the network' });
    const to = address.includes('@') ? address : userJid(address);
    const { reason, phones } = this.#readersOf(phone.digits, to);
    const isHeard = to.endsWith('@g.us') || [phone.digits, ...phones].some((digits) => this.#ground.devices.of(digits).length > 0);
    if (reason || !isHeard) throw new Refusal('NOT_FOUND', { field: 'to', reason: reason ?? 'no device is linked to this number' });
    return { to, phones };
  }

  #readersOf(from: string, to: string): { readonly phones: readonly string[]; readonly reason: string | null } {
    if (to.endsWith('@g.us')) {
      const others = this.#ground.groups.othersIn(to, from);
      return { phones: others ?? [], reason: others ? null : 'not_in_group' };
    }
    const phone = numberAt(to);
    return phone && this.#ground.phones.isOnNetwork(phone) ? { phones: [phone], reason: null } : { phones: [], reason: 'not_on_network' };
  }

  #takeNew(line: SandboxLine, device: LinkedDevice, message: Addressed, carry: (readers: readonly string[]) => void): void {
    const readers = this.#readersOf(device.phone, message.to);
    const reason = this.#ground.faults.isOn(device.phone, 'refuse') ? 'refused_479' : readers.reason;
    if (reason) return this.#refuse(line, device, message, reason);
    const { netId, to } = message;
    this.#remember(device.phone, netId);
    this.#note('accepted', device, { netId, to });
    this.#ack(line, device, netId);
    carry(readers.phones);
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

  #refuse(line: SandboxLine, device: LinkedDevice, { netId, to }: Addressed, reason: string): void {
    this.#note('refused', device, { netId, to, reason });
    line.say({ type: 'refused', netId, reason });
  }

  #carry(letter: Letter, sender: LinkedDevice | null, readers: readonly string[]): void {
    const parcel = parcelOf(letter, sender, readers.length);
    this.#ground.soon.run(() => {
      for (const digits of readers) this.#arrive(parcel, this.#ground.phones.named(digits));
    });
    const { name, ...where } = this.#writer(letter.from, letter.to);
    this.#tell({ type: 'received', message: inbound(letter, where, name) }, sender, without(readers, letter.from));
    this.#tell({ type: 'wrote', message: inbound(letter, ownWhereabouts(letter), name) }, sender, [letter.from]);
  }

  #spread(deed: Deed, sender: LinkedDevice | null, readers: readonly string[]): void {
    this.#ground.soon.run(() => {
      for (const digits of readers) this.#onceOnline(this.#ground.phones.named(digits), (phone) => phone.mark(deed));
    });
    const { netId, target, at, act } = deed;
    const { name: fromName, ...where } = this.#writer(deed.from, deed.to);
    const about = { token: netId, netId, fromName, target, at };
    this.#tell(heardAs(act, { ...about, ...where }), sender, without(readers, deed.from));
    if (act.kind !== 'vote') this.#tell(heardAs(act, { ...about, ...ownWhereabouts(deed) }), sender, [deed.from]);
  }

  #tell(event: KeptEvent, sender: LinkedDevice | null, readers: readonly string[]): void {
    for (const device of readers.flatMap((digits) => this.#ground.devices.of(digits))) {
      if (device !== sender) this.#inboxes.put(device, event);
    }
  }

  /** Remembers whom this phone is hidden from. */
  #hide(phone: Phone, readers: readonly string[]): void {
    if (!phone.lid || phone.tellsNumber) return;
    for (const digits of readers) for (const device of this.#ground.devices.of(digits)) phone.strangers.add(device);
  }

  #writer(digits: string, to: string) {
    const phone = this.#ground.phones.named(digits);
    return { name: phone.name, ...whereabouts(phone, to) };
  }

  #arrive(parcel: Parcel, phone: Phone): void {
    this.#onceOnline(phone, () => this.#show(parcel, phone));
  }

  #onceOnline(phone: Phone, happen: (phone: Phone) => void): void {
    if (phone.online) happen(phone);
    else phone.waiting.push(() => this.#onceOnline(phone, happen));
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

function inbound({ netId, content, attachment: file, quotes, at }: Letter, where: Whereabouts, fromName: string | null): InboundMessage {
  return { netId, ...where, fromName, content, ...(file && { file }), quotes, at };
}

const without = (readers: readonly string[], digits: string): readonly string[] => readers.filter((one) => one !== digits);
