import { Refusal } from '../../../runtime/errors.ts';
import { BUILT_IN, buildIn } from '../../domain/client-build.ts';
import { type LookedUp, userJid } from '../jid.ts';
import type { PasskeyCredential } from '../passkey.ts';
import { CLOSED, type ConnectionEvent, type OpenOrder, type OutgoingMessage, type Presence } from '../port.ts';
import { type AnswerOf, type InputOf, QUESTIONS, type QuestionName } from '../questions.ts';
import { lidOf } from './addresses.ts';
import { answersOf } from './all-answers.ts';
import { type SandboxAnswers, sandboxAnswer } from './answers.ts';
import type { MediaState } from './chat-forms.ts';
import { type Exchange, type PairingCode, type Read, SandboxConnection } from './connection.ts';
import type { ConnectionAction } from './device-actions.ts';
import type { LinkedDevice } from './devices.ts';
import type { RefusedLogin } from './faults.ts';
import type { GroupWorld } from './group-answers.ts';
import type { Inboxes } from './inboxes.ts';
import { Linking } from './linking.ts';
import type { MarkedChats } from './marked-chats.ts';
import type { MessageRouting } from './message-routing.ts';
import { type PasskeyAct, signPasskey } from './passkey-acts.ts';
import { Passkeys } from './passkeys.ts';
import type { PhoneHistory } from './phone-history.ts';
import type { Phone } from './phones.ts';
import type { Posts } from './posts.ts';
import { PresenceSignals } from './presence-signals.ts';
import type { Shown } from './protocol.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

const MAX_DEVICES = 4;

interface SwitchboardParts {
  readonly inboxes: Inboxes;
  readonly post: MessageRouting;
  readonly posts: Posts;
  readonly groupWorld: GroupWorld;
  readonly marked: MarkedChats;
  readonly phoneHistory: PhoneHistory;
}

/**
 * Links devices to phones and logs them in. Each login goes through these states:
 *
 *   open ──no credentials──▶ linking ──scan──▶ linked, 515        six codes unseen: 408
 *     │                          └─scan──▶ passkey ──▶ code compared ──▶ linked, 515        either takes too long: 408
 *     └──credentials──▶ logged in ──▶ ended                      evicted by the next login: 440; unlinked: 401
 */
export class Switchboard implements Exchange {
  readonly #sandboxDeps: SandboxDeps;
  readonly #inboxes: Inboxes;
  readonly #post: MessageRouting;
  readonly #linking: Linking;
  readonly #passkeys: Passkeys;
  readonly #courtesies: PresenceSignals;
  readonly #answers: SandboxAnswers;
  readonly #marked: MarkedChats;
  readonly #phoneHistory: PhoneHistory;

  constructor(sandboxDeps: SandboxDeps, { inboxes, post, posts, groupWorld, marked, phoneHistory }: SwitchboardParts) {
    this.#marked = marked;
    this.#phoneHistory = phoneHistory;
    this.#sandboxDeps = sandboxDeps;
    this.#inboxes = inboxes;
    this.#post = post;
    this.#linking = new Linking(sandboxDeps.clock, sandboxDeps.names);
    this.#passkeys = new Passkeys(sandboxDeps.clock, sandboxDeps.names);
    this.#courtesies = new PresenceSignals(sandboxDeps);
    this.#answers = answersOf(sandboxDeps, { groupWorld, post, posts, inboxes, marked, phoneHistory });
  }

  open(order: OpenOrder, receive: (event: ConnectionEvent) => void): SandboxConnection {
    const connection = new SandboxConnection(order, receive, this, this.#sandboxDeps.soon);
    this.#sandboxDeps.soon.run(() => this.#connect(connection));
    return connection;
  }

  scan(phone: Phone, shown: Shown): void {
    const connection = this.#linking.find(phone.digits, shown);
    this.#refuseUnable(phone);
    this.#linking.forget(connection);
    if (phone.passkey) this.#passkeys.ask(connection, phone.digits, () => this.#link(connection, phone));
    else this.#link(connection, phone);
  }

  answerPasskey(connection: SandboxConnection, credential: PasskeyCredential): void {
    this.#passkeys.answer(connection, credential);
  }

  confirmPasskey(connection: SandboxConnection): void {
    this.#passkeys.confirm(connection);
  }

  actWithPasskey(phone: Phone, order: PasskeyAct): { readonly credential?: PasskeyCredential } {
    if (order.act === 'confirm_passkey') {
      this.#passkeys.confirmByPhone(phone.digits, order.code);
      return {};
    }
    const credential = signPasskey(order.options, phone.digits);
    this.#passkeys.signed(order.options['challenge']);
    return { credential };
  }

  unlink(device: LinkedDevice): void {
    this.#forgetDevice(device);
    device.login?.end(CLOSED.loggedOut);
  }

  resume(device: LinkedDevice): void {
    const isSlow = this.#sandboxDeps.faults.isOn(device.phone, 'slow');
    for (const ack of isSlow ? [] : device.heldAcks.splice(0)) ack();
    this.#inboxes.hand(device);
    this.#inboxes.tellReceipts(device);
  }

  send(connection: SandboxConnection, message: OutgoingMessage): void {
    if (connection.device) this.#post.send(connection, connection.device, message);
  }

  act(connection: SandboxConnection, act: ConnectionAction): void {
    if (connection.device) this.#post.act(connection, connection.device, act);
  }

  markRead(connection: SandboxConnection, chat: string, messages: readonly Read[]): void {
    if (!connection.device || this.isSilent(connection)) return;
    this.#marked.shows(connection.device.phone, chat, false);
    this.#courtesies.markRead(connection.device, messages);
  }

  presence(connection: SandboxConnection, chat: string, state: Presence): void {
    if (connection.device && !this.isSilent(connection)) this.#courtesies.presence(connection.device, chat, state);
  }

  acknowledge(connection: SandboxConnection, token: string): void {
    if (connection.device && !this.isSilent(connection)) this.#inboxes.acknowledge(connection.device, token);
  }

  pairingCode(connection: SandboxConnection, digits: string): PairingCode {
    return this.#linking.pairingCode(connection, digits);
  }

  lookUp({ device }: SandboxConnection, digits: readonly string[]): readonly LookedUp[] {
    return digits.map((phone) => {
      if (device) this.#post.introductions.introduce(device, userJid(phone));
      const { phones, journal } = this.#sandboxDeps;
      const [exists, registered] = [phones.isOnNetwork(phone), phones.registered(phone)];
      if (device)
        journal.note({
          what: 'look-up',
          phone: device.phone,
          device: device.number,
          to: userJid(phone),
          reason: exists ? 'found' : 'nobody',
        });
      const hidden = exists ? phones.hidden(phone) : null;
      return { phone, exists, jid: exists ? userJid(registered) : null, lid: hidden && lidOf(hidden.digits) };
    });
  }

  answer<N extends QuestionName>({ device }: SandboxConnection, name: N, input: InputOf<N>): AnswerOf<N> {
    if (!device) throw new Refusal('NOT_CONNECTED');
    return sandboxAnswer(this.#answers, device, name, input);
  }

  trouble({ device }: SandboxConnection, name: QuestionName): 'unanswered' | 'busy' | null {
    if (!device || QUESTIONS[name] === 'local') return null;
    return (['unanswered', 'busy'] as const).find((kind) => this.#sandboxDeps.faults.isOn(device.phone, kind)) ?? null;
  }

  logOut(connection: SandboxConnection): void {
    if (connection.device) this.#forgetDevice(connection.device);
    // Close the connection later, so that the response arrives first.
    this.#sandboxDeps.soon.run(() => connection.end(CLOSED.loggedOut));
  }

  mediaOf({ device }: SandboxConnection): MediaState {
    const { media } = this.#sandboxDeps.chatForms.of(device?.phone ?? '');
    if (device && media === 'gone') this.#sandboxDeps.journal.note({ what: 'media-retry', phone: device.phone, device: device.number });
    return media;
  }

  refusesUploads({ device }: SandboxConnection): boolean {
    return device !== null && this.#sandboxDeps.faults.isOn(device.phone, 'upload_refused');
  }

  isSilent(connection: SandboxConnection): boolean {
    return connection.device !== null && this.#sandboxDeps.faults.isOn(connection.device.phone, 'silent');
  }

  ended(connection: SandboxConnection, code: number): void {
    this.#linking.forget(connection);
    this.#passkeys.forget(connection);
    const { device } = connection;
    connection.device = null;
    if (!device) return;
    device.login = null;
    device.heldAcks.length = 0;
    this.#inboxes.takeBack(device);
    this.#sandboxDeps.journal.note({ what: 'logout', phone: device.phone, device: device.number, deviceId: connection.deviceId, code });
  }

  #forgetDevice(device: LinkedDevice): void {
    this.#sandboxDeps.devices.unlink(device);
    this.#sandboxDeps.journal.note({ what: 'unlinked', phone: device.phone, device: device.number });
  }

  #connect(connection: SandboxConnection): void {
    if (connection.isEnded) return;
    if (this.#isOutdated(connection)) return this.#refuse(connection, { code: CLOSED.outdated }, null);
    const device = connection.credentials && this.#sandboxDeps.devices.claim(connection.credentials);
    if (!connection.credentials) this.#linking.begin(connection);
    else if (!device) connection.end(CLOSED.loggedOut);
    else this.#sandboxDeps.faults.whenOver(device.phone, 'silent', () => this.#answer(connection, device));
  }

  #answer(connection: SandboxConnection, device: LinkedDevice): void {
    if (connection.isEnded) return;
    const refused = this.#whyNotLogIn(device);
    if (refused === null) this.#logIn(connection, device);
    else this.#refuse(connection, refused, device);
  }

  #refuse(connection: SandboxConnection, { code, until }: RefusedLogin, device: LinkedDevice | null): void {
    const { deviceId, version } = connection;
    const phone = device?.phone ?? String(connection.credentials?.['phone'] ?? '');
    this.#sandboxDeps.journal.note({ what: 'login-refused', phone, deviceId, code, ...(version !== undefined && { version }) });
    connection.end(code, until);
  }

  /** A login that names no version is assumed to use the gateway's own build. */
  #isOutdated({ version }: SandboxConnection): boolean {
    const { min } = this.#sandboxDeps.builds;
    return min !== null && (version === undefined ? BUILT_IN : (buildIn(version) ?? 0)) < min;
  }

  #whyNotLogIn(device: LinkedDevice): RefusedLogin | null {
    const { faults, devices } = this.#sandboxDeps;
    const refused = faults.refusesLogin(device.phone);
    return refused ?? (devices.of(device.phone).includes(device) ? null : { code: CLOSED.loggedOut });
  }

  #logIn(connection: SandboxConnection, device: LinkedDevice): void {
    const { journal, phones } = this.#sandboxDeps;
    device.login?.end(CLOSED.replaced);
    device.login = connection;
    device.isAvailable = false;
    device.knownForm = this.#sandboxDeps.chatForms.of(device.phone).migrated;
    connection.device = device;
    const { deviceId, version } = connection;
    journal.note({ what: 'login', phone: device.phone, device: device.number, deviceId, ...(version !== undefined && { version }) });
    const { name, about } = phones.named(device.phone);
    connection.say({ type: 'opened', phone: device.phone, name, about });
    const { noticeExpiresAt: at } = this.#sandboxDeps.builds;
    if (at !== null) connection.say({ type: 'buildExpires', at });
    this.resume(device);
  }

  #link(connection: SandboxConnection, phone: Phone): void {
    this.#refuseUnable(phone);
    const device = this.#sandboxDeps.devices.link(phone.digits);
    this.#sandboxDeps.journal.note({ what: 'linked', phone: phone.digits, device: device.number, deviceId: connection.deviceId });
    if (connection.history) this.#phoneHistory.linked(device, connection.history);
    this.#marked.tellNames(
      [device],
      this.#sandboxDeps.phones.all().filter(({ savedAs }) => savedAs !== null),
    );
    connection.say({ type: 'linked', phone: phone.digits, credentials: device.credentials() });
    this.#sandboxDeps.soon.run(() => connection.end(CLOSED.restart));
  }

  #refuseUnable(phone: Phone): void {
    const problem = this.#whyNotLink(phone);
    if (problem) throw new Refusal('CONFLICT', { reason: problem });
  }

  #whyNotLink(phone: Phone): string | null {
    if (!phone.online) return 'the phone is offline';
    if (!phone.onNetwork) return 'the phone is not on the network';
    if (this.#sandboxDeps.faults.refusesLogin(phone.digits)?.code === CLOSED.banned) return 'the phone is banned';
    if (this.#sandboxDeps.devices.of(phone.digits).length >= MAX_DEVICES)
      return 'the phone already has the maximum number of linked devices';
    return null;
  }
}
