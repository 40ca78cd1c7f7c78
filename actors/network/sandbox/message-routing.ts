import { Refusal } from '../../../runtime/errors.ts';
import { present } from '../../../runtime/invariant.ts';
import { isLid, userJid } from '../jid.ts';
import { KIND_LABELS } from '../kind-labels.ts';
import { EVERYONE, type KeptEvent, type OutgoingMessage, type Presence } from '../port.ts';
import { numberAt, ownWhereabouts, whereabouts } from './addresses.ts';
import type { SandboxConnection } from './connection.ts';
import { type PendingDelivery, pendingDeliveryOf } from './deliveries.ts';
import { type ConnectionAction, receivedAs } from './device-actions.ts';
import type { LinkedDevice } from './devices.ts';
import { GivenReceipts } from './given-receipts.ts';
import { inboundOf } from './inbound-of.ts';
import type { Inboxes } from './inboxes.ts';
import { Introductions } from './introductions.ts';
import type { MarkedChats } from './marked-chats.ts';
import type { Phone } from './phones.ts';
import type { Posts } from './posts.ts';
import type { Act, DeviceAction, DeviceActionDraft, Draft, NetworkMessage } from './protocol.ts';
import { readersOf } from './readers.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

interface Addressed extends Pick<OutgoingMessage, 'netId' | 'to'> {
  readonly audience?: readonly string[];
  readonly act?: ConnectionAction;
}

interface Refusing {
  readonly reason: string;
  readonly backoffMs?: number;
}

/** Number of remembered message ids. A message whose id was forgotten is treated as new if resent. */
const REMEMBERED_IDS = 1_000_000;

export class MessageRouting {
  readonly #sandboxDeps: SandboxDeps;
  readonly #inboxes: Inboxes;
  readonly #posts: Posts;
  readonly #marked: MarkedChats;
  readonly introductions: Introductions;
  readonly receipts: GivenReceipts;
  readonly #accepted = new Map<string, Set<string>>();

  constructor(sandboxDeps: SandboxDeps, inboxes: Inboxes, posts: Posts, marked: MarkedChats) {
    this.#marked = marked;
    this.#sandboxDeps = sandboxDeps;
    this.#inboxes = inboxes;
    this.#posts = posts;
    this.receipts = new GivenReceipts(sandboxDeps, inboxes);
    this.introductions = new Introductions(sandboxDeps, inboxes);
  }

  send(connection: SandboxConnection, device: LinkedDevice, message: OutgoingMessage): void {
    this.introductions.introduce(device, message.to);
    const facts = this.introductions.newOf(device, message.to);
    connection.inOrder(message.to, facts.length === 0 ? null : connection.whyNot(message.netId, facts), {
      done: (reason) => this.#sendNow(connection, device, message, reason),
      failed: () => connection.say({ type: 'unwritten', netId: message.netId }),
    });
  }

  #sendNow(connection: SandboxConnection, device: LinkedDevice, message: OutgoingMessage, reason: string | null): void {
    if (reason !== null) return connection.say({ type: 'refused', netId: message.netId, reason });
    const to = this.#addressed(device, message.netId, message.to);
    const { netId, content, quotes, mentions, invite, status, preview, album, timer } = message;
    const extras = { ...(timer && { ephemeral: timer.seconds }), ...(album && { album: { net_id: album.netId } }) };
    this.#take(connection, device, { netId, to, ...(status && { audience: status.audience }) }, (readers) => {
      const networkMessage = {
        netId,
        from: device.phone,
        to,
        content,
        quotes,
        ...(mentions && { mentions: mentions.includes(EVERYONE) ? readers.map(userJid) : mentions }),
        ...(numberAt(to) !== null && { addressed: isLid(to) ? ('lid' as const) : ('number' as const) }),
        ...(invite && { invite: { groupId: invite.groupId, code: invite.code } }),
        ...(status?.background !== undefined && { background: status.background }),
        ...(preview && { preview }),
        ...((timer || album) && { extras }),
        ...(timer && { timerAt: timer.at }),
        at: this.#sandboxDeps.clock.now(),
      };
      this.#carry(networkMessage, device, readers);
    });
  }

  act(connection: SandboxConnection, device: LinkedDevice, action: ConnectionAction): void {
    const { netId, target, act, audience } = action;
    const to = this.#addressed(device, netId, target.chat);
    this.#take(connection, device, { netId, to, act: action, ...(audience && { audience }) }, (readers) => {
      const deviceAction = { netId, from: device.phone, to, target: target.netId, act, at: this.#sandboxDeps.clock.now() };
      this.#spread(deviceAction, device, readers);
    });
  }

  /** Returns the address in the account's form. Records a refusal if the device used the other form. */
  #addressed(device: LinkedDevice, netId: string, given: string): string {
    const { chatForms, faults } = this.#sandboxDeps;
    const to = chatForms.addressed(device.phone, given, device.knownForm);
    const { migrated } = chatForms.of(device.phone);
    const taken = chatForms.addressed(device.phone, given, migrated);
    if (migrated === null || taken === to || faults.isOn(device.phone, 'silent')) return to;
    this.#note('refused', device, { netId, to, reason: isLid(to) ? 'refused_400' : 'refused_463' });
    device.knownForm = migrated;
    return taken;
  }

  #take(connection: SandboxConnection, device: LinkedDevice, message: Addressed, carry: (readers: readonly string[]) => void): void {
    const { netId, to } = message;
    if (this.#sandboxDeps.faults.isOn(device.phone, 'silent')) {
      this.#note('swallowed', device, { netId, to });
    } else if (this.#accepted.get(device.phone)?.has(netId)) {
      this.#note('duplicate', device, { netId, to });
      this.#ack(connection, device, message);
    } else {
      this.#takeNew(connection, device, message, carry);
    }
  }

  write(phone: Phone, draft: Draft): NetworkMessage {
    const { to, phones } = this.#destination(phone, draft.to);
    const { clock, names, journal } = this.#sandboxDeps;
    const timer = this.#sandboxDeps.timers.lastOf(phone.digits, to);
    const extras = { ...(timer && timer.seconds > 0 && { ephemeral: timer.seconds }), ...draft.extras };
    const timerAt = draft.extras?.ephemeral === undefined ? timer?.at : clock.now();
    const networkMessage = {
      netId: draft.netId ?? names.message(),
      from: phone.digits,
      to,
      content: draft.content,
      ...(draft.attachment && { attachment: draft.attachment }),
      quotes: draft.quotes ?? null,
      ...(draft.mentions && { mentions: draft.mentions }),
      ...(Object.keys(extras).length > 0 && { extras }),
      ...(timerAt !== undefined && { timerAt }),
      ...(draft.renders !== undefined && { renders: draft.renders }),
      at: clock.now(),
    };
    journal.note({ what: 'wrote', phone: phone.digits, netId: networkMessage.netId, to });
    this.#hide(phone, phones);
    this.#sandboxDeps.chatForms.wrote(phone, phones);
    this.#carry(networkMessage, null, phones);
    return networkMessage;
  }

  /** Writes a message that devices do not understand. They see only its field number. */
  writeUnknown(phone: Phone, address: string, field: number): NetworkMessage {
    const content = { type: 'text', body: KIND_LABELS.unsupported } as const;
    const written = this.write(phone, { to: address, content, extras: { kind: 'unsupported', content: { field } } });
    const { phones } = this.#destination(phone, address);
    const fields = [{ field, wire: 2, length: 0 }];
    for (const digits of this.#unblocked(phone.digits, written.to, phones))
      for (const { login } of this.#sandboxDeps.devices.of(digits))
        login?.say({ type: 'unknown', kind: 'contents', name: `field_${field}`, fields });
    return written;
  }

  /** Sends the owner's devices one copy of the message for each recipient. */
  writeToList(phone: Phone, recipients: readonly string[], body: string): NetworkMessage {
    const { clock, names, journal } = this.#sandboxDeps;
    const netId = names.message();
    const written = recipients.map((digits, nth): NetworkMessage => {
      const to = userJid(digits);
      const copy = nth === 0 ? netId : `${netId}:${nth}`;
      return { netId: copy, from: phone.digits, to, content: { type: 'text', body }, quotes: null, at: clock.now() };
    });
    journal.note({ what: 'wrote', phone: phone.digits, netId, to: 'list' });
    for (const networkMessage of written) this.#carry(networkMessage, null, [numberAt(networkMessage.to) ?? '']);
    return present(written[0], 'a recipient of the list');
  }

  do(phone: Phone, draft: DeviceActionDraft): DeviceAction {
    const { to, phones } = this.#destination(phone, draft.to, draft.act.kind);
    const { clock, names, journal } = this.#sandboxDeps;
    const deviceAction = { netId: names.message(), from: phone.digits, to, target: draft.target, act: draft.act, at: clock.now() };
    journal.note({ what: 'did', phone: phone.digits, netId: deviceAction.netId, to, reason: draft.act.kind });
    phone.mark(deviceAction);
    this.#spread(deviceAction, null, phones);
    return deviceAction;
  }

  backOnline(phone: Phone): void {
    const { waiting, unread } = phone;
    phone.waiting = [];
    phone.unread = [];
    for (const happen of waiting) happen();
    for (const pendingDelivery of unread) this.#sandboxDeps.reading.run(() => this.#read(pendingDelivery, phone));
  }

  types(phone: Phone, address: string, state: Presence): void {
    const { to, phones } = this.#destination(phone, address);
    const { name: _name, username: _username, ...where } = this.#writer(phone.digits, to);
    for (const device of this.#unblocked(phone.digits, to, phones).flatMap((digits) => this.#sandboxDeps.devices.of(digits)))
      if (device.isAvailable) device.login?.say({ type: 'chatPresence', ...where, state });
  }

  call(phone: Phone, address: string, video: boolean, group?: string): { readonly id: string; readonly at: number } {
    const { to, phones } = this.#destination(phone, address);
    const { clock, names, journal } = this.#sandboxDeps;
    const callId = names.message();
    const at = clock.now();
    journal.note({ what: 'did', phone: phone.digits, netId: callId, to, reason: 'call' });
    const { name, username, ...where } = this.#writer(phone.digits, to);
    const readers = this.#unblocked(phone.digits, to, phones);
    for (const other of phones) this.#sandboxDeps.pages.of(phone.digits).called({ id: callId, to: other, state: 'ringing' });
    this.#tell({ type: 'call', token: callId, callId, ...where, video, ...(group !== undefined && { group }), at }, null, readers);
    return { id: callId, at };
  }

  setTimer(from: string, address: string, seconds: number, sender: LinkedDevice | null = null): void {
    const { timers, phones, clock, names, journal } = this.#sandboxDeps;
    const other = phones.registered(numberAt(address) ?? '');
    const [to, at, token] = [userJid(other), clock.now(), names.message()];
    timers.set(from, other, { seconds, at });
    journal.note({ what: 'did', phone: from, netId: token, to, reason: 'timer' });
    const setting = { type: 'timer', token, seconds, at } as const;
    const { name: _name, username: _username, ...where } = this.#writer(from, to);
    this.#tell({ ...setting, ...where }, sender, [other]);
    this.#tell({ ...setting, ...ownWhereabouts({ from, to }) }, sender, [from]);
  }

  look(phone: Phone, address: string): { readonly id: string; readonly at: number } {
    const { to } = this.#destination(phone, address);
    const isGroup = to.endsWith('@g.us');
    const other = numberAt(to);
    const seen = phone.shownFrom((networkMessage) =>
      isGroup ? networkMessage.to === to : networkMessage.from === other && !networkMessage.to.endsWith('@g.us'),
    );
    const chat = isGroup ? to : whereabouts(this.#sandboxDeps.phones.named(other ?? ''), to).chat;
    const { names, journal } = this.#sandboxDeps;
    const token = names.message();
    journal.note({ what: 'did', phone: phone.digits, netId: token, to, reason: 'read' });
    this.#marked.shows(phone.digits, to, false);
    this.#tell({ type: 'seen', token, chat, netIds: seen.map(({ netId }) => netId) }, null, [phone.digits]);
    return { id: token, at: this.#sandboxDeps.clock.now() };
  }

  #destination(phone: Phone, address: string, act?: Act['kind']): { readonly to: string; readonly phones: readonly string[] } {
    if (!phone.onNetwork) throw new Refusal('CONFLICT', { reason: 'the phone is not on the network' });
    const to = address.includes('@') ? address : userJid(address);
    const { reason, phones } = readersOf(this.#sandboxDeps, phone.digits, { to, ...(act && { act }) });
    if (reason === 'not_group_admin') throw new Refusal('CONFLICT', { reason: 'only admins may write in this group' });
    const isReceived = !numberAt(to) || [phone.digits, ...phones].some((digits) => this.#sandboxDeps.devices.of(digits).length > 0);
    if (reason || !isReceived) throw new Refusal('NOT_FOUND', { field: 'to', reason: reason ?? 'no device is linked to this number' });
    return { to, phones };
  }

  #takeNew(connection: SandboxConnection, device: LinkedDevice, message: Addressed, carry: (readers: readonly string[]) => void): void {
    const { netId, to, audience, act } = message;
    const readers = readersOf(this.#sandboxDeps, device.phone, { to, ...(audience && { audience }), ...(act && { act: act.act.kind }) });
    const isRefused = this.#sandboxDeps.faults.isOn(device.phone, 'refuse') || (act && !this.#posts.isNamed(act));
    const reason = isRefused ? 'refused_479' : readers.reason;
    if (reason) return this.#refuse(connection, device, message, { reason });
    const { chatForms, faults } = this.#sandboxDeps;
    const isLimited = faults.isOn(device.phone, 'reach_out_limit') && chatForms.isStranger(device.phone, to);
    if (isLimited || chatForms.lacksToken(device.phone, to)) return this.#refuse(connection, device, message, { reason: 'refused_463' });
    const ack = faults.refusesAck(device.phone);
    if (ack)
      return this.#refuse(connection, device, message, {
        reason: `refused_${ack.code}`,
        ...(ack.backoffMs !== undefined && { backoffMs: ack.backoffMs }),
      });
    this.#remember(device.phone, netId);
    this.#note('accepted', device, { netId, to });
    // Deliver the post before its ack, because the ack contains the post's number.
    carry(readers.phones);
    this.#ack(connection, device, message);
  }

  #remember(phone: string, netId: string): void {
    const ids = this.#accepted.get(phone) ?? new Set();
    this.#accepted.set(phone, ids.add(netId));
    if (ids.size > REMEMBERED_IDS) ids.delete(ids.values().next().value ?? netId);
  }

  #ack(connection: SandboxConnection, device: LinkedDevice, { netId, to }: Addressed): void {
    const at = this.#sandboxDeps.clock.now();
    const serverId = this.#sandboxDeps.channels.serverIdOf(to, netId);
    const ack = (): void => connection.say({ type: 'acked', netId, at, ...(serverId !== undefined && { serverId }) });
    if (this.#sandboxDeps.faults.isOn(device.phone, 'slow')) device.heldAcks.push(ack);
    else ack();
  }

  #refuse(connection: SandboxConnection, device: LinkedDevice, { netId, to }: Addressed, { reason, backoffMs }: Refusing): void {
    this.#note('refused', device, { netId, to, reason });
    connection.say({ type: 'refused', netId, reason, ...(backoffMs !== undefined && { backoffMs }) });
  }

  #carry(networkMessage: NetworkMessage, sender: LinkedDevice | null, phones: readonly string[]): void {
    const isPost = this.#posts.published(networkMessage, phones);
    // Posts get no receipts. Channels do not have them, and a status reports them as views instead.
    const pendingDelivery = pendingDeliveryOf(networkMessage, isPost ? null : sender, phones.length);
    const readers = this.#unblocked(networkMessage.from, networkMessage.to, phones);
    this.#sandboxDeps.soon.run(() => {
      for (const digits of readers) this.#arrive(pendingDelivery, this.#sandboxDeps.phones.named(digits));
    });
    const { name, username, ...where } = this.#writer(networkMessage.from, networkMessage.to);
    for (const reader of without(readers, networkMessage.from)) this.#marked.shows(reader, where.chat, true);
    this.#marked.shows(networkMessage.from, networkMessage.to, false);
    this.#tell(
      { type: 'received', message: inboundOf(networkMessage, where, { name, username }) },
      sender,
      without(readers, networkMessage.from),
    );
    this.#tell({ type: 'wrote', message: inboundOf(networkMessage, ownWhereabouts(networkMessage), { name, username: null }) }, sender, [
      networkMessage.from,
    ]);
  }

  #spread(deviceAction: DeviceAction, sender: LinkedDevice | null, phones: readonly string[]): void {
    if (this.#posts.done(deviceAction)) return;
    const readers = this.#unblocked(deviceAction.from, deviceAction.to, phones);
    this.#sandboxDeps.soon.run(() => {
      for (const digits of readers) this.#onceOnline(this.#sandboxDeps.phones.named(digits), (phone) => phone.mark(deviceAction));
    });
    const { netId, target, at, act } = deviceAction;
    const { name: fromName, username: _, ...where } = this.#writer(deviceAction.from, deviceAction.to);
    const about = { token: netId, netId, fromName, target, at };
    this.#tell(receivedAs(act, { ...about, ...where }), sender, without(readers, deviceAction.from));
    if (act.kind !== 'vote') this.#tell(receivedAs(act, { ...about, ...ownWhereabouts(deviceAction) }), sender, [deviceAction.from]);
  }

  /** Leaves out readers who have blocked the author. In groups, blocking has no effect. */
  #unblocked(from: string, to: string, readers: readonly string[]): readonly string[] {
    return to.endsWith('@g.us') ? readers : readers.filter((digits) => !this.#sandboxDeps.pages.hasBlocked(digits, from));
  }

  #tell(event: KeptEvent, sender: LinkedDevice | null, readers: readonly string[]): void {
    for (const device of readers.flatMap((digits) => this.#sandboxDeps.devices.of(digits))) {
      if (device !== sender) this.#inboxes.put(device, event);
    }
  }

  #hide(phone: Phone, readers: readonly string[]): void {
    if (!phone.lid || phone.tellsNumber) return;
    for (const digits of readers) for (const device of this.#sandboxDeps.devices.of(digits)) phone.strangers.add(device);
  }

  #writer(digits: string, to: string) {
    const phone = this.#sandboxDeps.phones.named(digits);
    return { name: phone.name, username: phone.username, ...whereabouts(phone, to) };
  }

  #arrive(pendingDelivery: PendingDelivery, phone: Phone): void {
    this.#onceOnline(phone, () => this.#show(pendingDelivery, phone));
  }

  #onceOnline(phone: Phone, happen: (phone: Phone) => void): void {
    if (phone.online) happen(phone);
    else phone.waiting.push(() => this.#onceOnline(phone, happen));
  }

  #show(pendingDelivery: PendingDelivery, phone: Phone): void {
    const { networkMessage, sender } = pendingDelivery;
    phone.show(networkMessage);
    this.#sandboxDeps.journal.note({ what: 'delivered', phone: phone.digits, netId: networkMessage.netId, to: networkMessage.to });
    if (!sender) return;
    this.receipts.delivered(pendingDelivery, phone);
    this.#sandboxDeps.reading.run(() => this.#read(pendingDelivery, phone));
  }

  #read(pendingDelivery: PendingDelivery, phone: Phone): void {
    if (!phone.reads || !pendingDelivery.sender) return;
    if (phone.online) this.receipts.read(pendingDelivery, phone);
    else phone.unread.push(pendingDelivery);
  }

  #note(
    what: 'accepted' | 'duplicate' | 'refused' | 'swallowed',
    device: LinkedDevice,
    about: { netId: string; to: string; reason?: string },
  ): void {
    this.#sandboxDeps.journal.note({ what, phone: device.phone, device: device.number, ...about });
  }
}

const without = (readers: readonly string[], digits: string): readonly string[] => readers.filter((one) => one !== digits);
