import { Refusal } from '../../../runtime/errors.ts';
import { type LookedUp, userJid } from '../jid.ts';
import type { PasskeyCredential } from '../passkey.ts';
import { CLOSED, type LineEvent, type OpenOrder, type OutgoingMessage, type Presence } from '../port.ts';
import { Courtesies } from './courtesies.ts';
import type { DeviceAct } from './deeds.ts';
import type { LinkedDevice } from './devices.ts';
import type { Ground } from './ground.ts';
import type { Inboxes } from './inboxes.ts';
import { type Exchange, type PairingCode, type Read, SandboxLine } from './line.ts';
import { Linking } from './linking.ts';
import { Passkeys } from './passkeys.ts';
import type { Phone } from './phones.ts';
import type { Post } from './post.ts';
import type { Shown } from './protocol.ts';

const MOST_DEVICES = 4;

/**
 *   open ──no credentials──▶ linking ──scan──▶ linked, 515        six codes unseen: 408
 *     │                          └─scan──▶ passkey ──▶ code compared ──▶ linked, 515        either takes too long: 408
 *     └──credentials──▶ logged in ──▶ ended                      evicted by the next login: 440; unlinked: 401
 */
export class Switchboard implements Exchange {
  readonly #ground: Ground;
  readonly #inboxes: Inboxes;
  readonly #post: Post;
  readonly #linking: Linking;
  readonly #passkeys: Passkeys;
  readonly #courtesies: Courtesies;

  constructor(ground: Ground, inboxes: Inboxes, post: Post) {
    this.#ground = ground;
    this.#inboxes = inboxes;
    this.#post = post;
    this.#linking = new Linking(ground.clock, ground.names);
    this.#passkeys = new Passkeys(ground.clock, ground.names);
    this.#courtesies = new Courtesies(ground);
  }

  open(order: OpenOrder, hear: (event: LineEvent) => void): SandboxLine {
    const line = new SandboxLine(order, hear, this, this.#ground.soon);
    this.#ground.soon.run(() => this.#dial(line));
    return line;
  }

  /**
   * The phone links the line that shows this, which then closes with 515; a phone that is set so wants a passkey first. Refuses NOT_FOUND
   * (no line shows it) and CONFLICT: the code has expired, the phone is offline, banned or not on the network, or has four devices already.
   */
  scan(phone: Phone, shown: Shown): void {
    const line = this.#linking.find(phone.digits, shown);
    this.#refuseUnable(phone);
    this.#linking.forget(line);
    if (phone.passkey) this.#passkeys.ask(line, () => this.#link(line, phone));
    else this.#link(line, phone);
  }

  answerPasskey(line: SandboxLine, credential: PasskeyCredential): void {
    this.#passkeys.answer(line, credential);
  }

  confirmPasskey(line: SandboxLine): void {
    this.#passkeys.confirm(line);
  }

  unlink(device: LinkedDevice): void {
    this.#forgetDevice(device);
    device.login?.end(CLOSED.loggedOut);
  }

  /** Hands the device all that was kept back while it could not be reached. */
  resume(device: LinkedDevice): void {
    const isSlow = this.#ground.faults.isOn(device.phone, 'slow');
    for (const ack of isSlow ? [] : device.heldAcks.splice(0)) ack();
    this.#inboxes.hand(device);
    this.#inboxes.tellReceipts(device);
  }

  send(line: SandboxLine, message: OutgoingMessage): void {
    if (line.device) this.#post.send(line, line.device, message);
  }

  act(line: SandboxLine, act: DeviceAct): void {
    if (line.device) this.#post.act(line, line.device, act);
  }

  markRead(line: SandboxLine, messages: readonly Read[]): void {
    if (line.device && !this.isSilent(line)) this.#courtesies.markRead(line.device, messages);
  }

  presence(line: SandboxLine, chat: string, state: Presence): void {
    if (line.device && !this.isSilent(line)) this.#courtesies.presence(line.device, chat, state);
  }

  acknowledge(line: SandboxLine, token: string): void {
    if (line.device && !this.isSilent(line)) this.#inboxes.acknowledge(line.device, token);
  }

  pairingCode(line: SandboxLine, digits: string): PairingCode {
    return this.#linking.pairingCode(line, digits);
  }

  lookUp(digits: readonly string[]): readonly LookedUp[] {
    return digits.map((phone) => {
      const exists = this.#ground.phones.isOnNetwork(phone);
      return { phone, exists, jid: exists ? userJid(phone) : null };
    });
  }

  logOut(line: SandboxLine): void {
    if (line.device) this.#forgetDevice(line.device);
    // Later, so that the answer comes before the end.
    this.#ground.soon.run(() => line.end(CLOSED.loggedOut));
  }

  isSilent(line: SandboxLine): boolean {
    return line.device !== null && this.#ground.faults.isOn(line.device.phone, 'silent');
  }

  ended(line: SandboxLine, code: number): void {
    this.#linking.forget(line);
    this.#passkeys.forget(line);
    const { device } = line;
    line.device = null;
    if (!device) return;
    device.login = null;
    device.heldAcks.length = 0;
    this.#inboxes.takeBack(device);
    this.#ground.journal.note({ what: 'logout', phone: device.phone, device: device.number, deviceId: line.deviceId, code });
  }

  #forgetDevice(device: LinkedDevice): void {
    this.#ground.devices.unlink(device);
    this.#ground.journal.note({ what: 'unlinked', phone: device.phone, device: device.number });
  }

  #dial(line: SandboxLine): void {
    if (line.isEnded) return;
    const device = line.credentials && this.#ground.devices.claim(line.credentials);
    if (!line.credentials) this.#linking.begin(line);
    else if (!device) line.end(CLOSED.loggedOut);
    else this.#ground.faults.whenOver(device.phone, 'silent', () => this.#answer(line, device));
  }

  #answer(line: SandboxLine, device: LinkedDevice): void {
    if (line.isEnded) return;
    const refused = this.#whyNotLogIn(device);
    if (refused === null) this.#logIn(line, device);
    else line.end(refused);
  }

  #whyNotLogIn(device: LinkedDevice): number | null {
    const { faults, devices } = this.#ground;
    if (faults.isOn(device.phone, 'banned')) return CLOSED.banned;
    if (faults.isOn(device.phone, 'down')) return CLOSED.unavailable;
    return devices.of(device.phone).includes(device) ? null : CLOSED.loggedOut;
  }

  #logIn(line: SandboxLine, device: LinkedDevice): void {
    const { journal, phones } = this.#ground;
    device.login?.end(CLOSED.replaced);
    device.login = line;
    line.device = device;
    journal.note({ what: 'login', phone: device.phone, device: device.number, deviceId: line.deviceId });
    line.say({ type: 'opened', phone: device.phone, name: phones.named(device.phone).name, about: null });
    this.resume(device);
  }

  #link(line: SandboxLine, phone: Phone): void {
    this.#refuseUnable(phone);
    const device = this.#ground.devices.link(phone.digits);
    this.#ground.journal.note({ what: 'linked', phone: phone.digits, device: device.number, deviceId: line.deviceId });
    line.say({ type: 'linked', phone: phone.digits, credentials: device.credentials() });
    this.#ground.soon.run(() => line.end(CLOSED.restart));
  }

  #refuseUnable(phone: Phone): void {
    const problem = this.#whyNotLink(phone);
    if (problem) throw new Refusal('CONFLICT', { reason: problem });
  }

  #whyNotLink(phone: Phone): string | null {
    if (!phone.online) return 'the phone is offline';
    if (!phone.onNetwork) return 'the phone is not on the network';
    if (this.#ground.faults.isOn(phone.digits, 'banned')) return 'the phone is banned';
    if (this.#ground.devices.of(phone.digits).length >= MOST_DEVICES) return 'the phone has as many devices as it may';
    return null;
  }
}
