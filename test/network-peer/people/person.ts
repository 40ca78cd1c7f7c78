import { proto } from '@whiskeysockets/baileys';
import { type FileKind, openFile, sealFile } from '../media/files.ts';
import type { Served } from '../server/account.ts';
import { acceptedElsewhere, type CallForm, noteCall, offerOf } from '../server/calls.ts';
import { seconds } from '../server/exchange.ts';
import { unlink } from '../server/logins.ts';
import { announce, announceDevice, notify } from '../server/notices.ts';
import type { AccountPasskey } from '../server/passkeys.ts';
import { capping, lockFacts, type Restriction } from '../server/profiles.ts';
import { el, isGroup, jidOf, SERVER, THE_SERVER } from '../stanza.ts';
import { AccountApp } from './account-app.ts';
import { Correspondent } from './correspondent.ts';
import type { Message } from './handset.ts';
import { deletion, edit, poll, reaction, type Target, vote } from './sayings.ts';
import { pollOf } from './screen.ts';
import { laterHistory, mappingSync, shareKey, tellOwn } from './welcome.ts';

const SALT_SETTING = ['nct_salt_sync'];

export interface SentFile {
  readonly kind: FileKind;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly caption?: string;
  readonly name?: string;
  readonly isVoice?: boolean;
  /** Whether the message names a different key from the one it was encrypted with. */
  readonly isSpoilt?: boolean;
}

/** A chat message from before a computer was linked. `at`: epoch ms. */
export interface Remembered {
  readonly text: string;
  readonly isOurs: boolean;
  readonly at: number;
  readonly id?: string;
  /** Attached file; `text` is then its caption. */
  readonly file?: SentFile;
}

/** A person with a phone, with all actions that the person can take on it. */
export class Person extends Correspondent {
  /** Scans a computer's QR code. Resolves with the computer's address once it is linked. */
  scans(qr: string): Promise<string> {
    return this.exchange.pairings.scan(this.account, qr);
  }

  /** Types the code that a computer shows. */
  types(code: string): Promise<string> {
    return this.exchange.codes.type(this.account, code);
  }

  /** Requires this passkey before computers are linked; null removes the requirement. */
  wantsPasskey(passkey: AccountPasskey | null): void {
    this.account.passkey = passkey;
  }

  /** Continues linking after the passkey was accepted, if the passkey has `waits`. */
  approvesPasskey(): void {
    this.exchange.passkeys.approve(this.account);
  }

  /** Unlinks a computer from this phone, or all of them by default. */
  unlinks(device?: number): void {
    for (const linked of this.linked) if (device === undefined || linked.device === device) unlink(this.exchange, linked);
  }

  /** Reacts to a message in the chat with `to`; '' removes the reaction. */
  reacts(to: string, id: string, emoji: string): Promise<string> {
    return this.writes(to, reaction(this.#target(to, id), emoji, this.exchange.clock.now()));
  }

  edits(to: string, id: string, text: string): Promise<string> {
    return this.writes(to, edit(this.#target(to, id), text, this.exchange.clock.now()), { edit: '1' });
  }

  /** Deletes a message for everyone. */
  deletes(to: string, id: string): Promise<string> {
    return this.writes(to, deletion(this.#target(to, id)), { edit: '7' });
  }

  asks(to: string, name: string, choices: readonly string[]): Promise<string> {
    return this.writes(to, poll(name, choices, this.exchange.random.bytes(32)));
  }

  /** Votes for exactly these `choices`. */
  votes(to: string, pollId: string, choices: readonly string[]): Promise<string> {
    const asked = this.shown(pollId);
    const secret = asked.message.messageContextInfo?.messageSecret;
    if (!pollOf(asked.message) || !secret) throw new Error(`${pollId} is no poll that can be voted on`);
    const { random, clock, directory } = this.exchange;
    const author = directory.account(asked.from);
    const isHidden = isGroup(to) ? this.exchange.groups.get(to)?.addressing === 'lid' : this.habits.isHidden;
    const [creator, voter] = isHidden ? [author.lidJid, this.lid] : [author.jid, this.jid];
    return this.writes(to, vote(this.#target(to, pollId), { pollId, creator, voter, secret }, choices, random, clock.now()));
  }

  /** Sends a file through the media host. */
  sendsFile(to: string, file: SentFile): Promise<string> {
    return this.writes(to, this.#withFile(file));
  }

  #withFile({ kind, bytes, contentType: mimetype, caption, name, isVoice, isSpoilt }: SentFile): Message {
    const { sealed, keys } = sealFile(kind, bytes, this.exchange.random);
    const mediaKey = isSpoilt ? this.exchange.random.bytes(32) : keys.mediaKey;
    const facts = { ...keys, mediaKey, ...this.exchange.media.put(sealed), mimetype, mediaKeyTimestamp: seconds(this.exchange) };
    const extras = { ...(caption && { caption }), ...(name && { fileName: name }), ...(isVoice && { ptt: true }) };
    return { [`${kind}Message`]: { ...facts, ...extras } } as Message;
  }

  /** Downloads and decrypts the file of a shown message. Throws if it was removed or changed. */
  opens(id: string): Buffer {
    const { message } = this.shown(id);
    for (const kind of ['image', 'video', 'audio', 'document', 'sticker'] as const) {
      const file = message[`${kind}Message`];
      if (!file) continue;
      const sealed = this.exchange.media.get(new URL(file.url ?? '').pathname);
      if (!sealed) throw new Error(`the file of ${id} is gone`);
      return openFile(kind, sealed, file.mediaKey ?? Buffer.alloc(0));
    }
    throw new Error(`${id} has no file`);
  }

  /** Calls and lets it ring. Returns the call's id. `number`: caller's number as its client reports it. */
  calls(to: string, { number = null, ...how }: CallForm = {}): string {
    const id = this.exchange.random.messageId();
    this.#call(to, id, offerOf({ 'call-id': id, ...this.#caller(), ...(number !== null && { caller_pn: address(number) }) }, how));
    return id;
  }

  /** Notifies this account's computers that they missed changes of its groups. */
  missesGroups(): void {
    const dirty = el('dirty', { type: 'groups', timestamp: seconds(this.exchange) }, []);
    for (const { connection } of this.linked) connection?.send(el('ib', { from: THE_SERVER }, [dirty]));
  }

  /** Ends a call that was not answered in time (`timeout`), or hangs up. */
  hangsUp(to: string, id: string, reason: 'timeout' | null = 'timeout'): void {
    this.#call(to, id, el('terminate', { 'call-id': id, ...(reason !== null && { reason }), ...this.#caller() }));
  }

  /** Answers a person's call on the phone. The computers are notified that it no longer rings. */
  answersCall(from: string, id: string): void {
    for (const linked of this.linked) linked.deliver(acceptedElsewhere(address(from), id, seconds(this.exchange)));
  }

  /** Reads a chat. This person's own computers are notified which incoming messages were read. */
  looksAt(chat: string): void {
    const read = this.shows().filter((shown) => shown.chat === address(chat) && shown.from !== this.digits);
    const [newest, ...others] = read.map(({ netId }) => netId).toReversed();
    if (newest === undefined) return;
    const own = this.habits.isHidden ? this.lid : this.jid;
    const where = isGroup(chat) ? { from: chat, participant: own } : { from: own, recipient: address(chat) };
    const list =
      others.length > 0
        ? [
            el(
              'list',
              {},
              others.map((id) => el('item', { id })),
            ),
          ]
        : [];
    const type = this.habits.reads ? 'read' : 'read-self';
    for (const linked of this.linked) linked.deliver(el('receipt', { ...where, id: newest, type, t: seconds(this.exchange) }, list));
  }

  /** Sends presence to chat partners: `composing`, `recording`, `paused`, `available`, `unavailable`. */
  appears(to: string, what: string): void {
    const from = this.habits.isHidden ? this.lid : this.jid;
    const isState = what === 'available' || what === 'unavailable';
    const inside = what === 'recording' ? el('composing', { media: 'audio' }) : el(what, {});
    const stanza = isState ? el('presence', { from, type: what }) : el('chatstate', { from }, [inside]);
    for (const linked of this.exchange.directory.of(address(to))?.linked.values() ?? [])
      if (linked.isActive) linked.connection?.send(stanza);
  }

  /** Adds chat history from before any computer was linked; `lines` are oldest first, with own messages marked. */
  remembers(withWhom: string, lines: readonly Remembered[], { asFile = false } = {}): void {
    this.account.historyIsFile ||= asFile;
    const remoteJid = address(withWhom);
    const messages = lines.map(({ text, isOurs, at, file, id = this.exchange.random.messageId() }, msgOrderId) => {
      const key = { remoteJid, fromMe: isOurs, id };
      const message = file ? this.#withFile({ ...file, caption: text }) : { conversation: text };
      return { msgOrderId, message: { key, message, messageTimestamp: Math.floor(at / 1000) } };
    });
    this.account.history.push({ id: remoteJid, messages: messages.toReversed() });
  }

  /** The app's pages about its own account: what they show, and what the user can change there. */
  get app(): AccountApp {
    return new AccountApp(this.exchange, this.account);
  }

  /** Changes the name that others and this account's own computers see. */
  isCalled(name: string): void {
    this.account.name = name;
    this.account.settings.set('critical_block', ['setting_pushName'], { pushNameSetting: { name } }, 1);
    this.exchange.people.settingsChanged(this.account, 'critical_block', null);
  }

  /** Replaces the settings key before anything is set. The computers are notified. */
  async renewsSettingsKey(): Promise<void> {
    this.account.settings.renewKey();
    for (const linked of this.linked) await shareKey(this.exchange, linked);
  }

  /** Changes the about text; null hides it from others. */
  says(about: string | null): void {
    this.account.hidesAbout = about === null;
    this.account.about = about ?? this.account.about;
  }

  /** Leaves or rejoins the network. */
  isOnNetwork(isOn: boolean): void {
    this.account.onNetwork = isOn;
  }

  /** Adds a companion device. Everyone's computers are notified. Returns its number. */
  addsDevice(): number {
    this.account.devicesMade += 1;
    const device = this.account.devicesMade;
    this.account.handsets.set(device, this.account.phone.sibling(device));
    announceDevice(this.exchange, this.account, 'add', device);
    return device;
  }

  removesDevice(device: number): void {
    this.account.handsets.delete(device);
    announceDevice(this.exchange, this.account, 'remove', device);
  }

  /** Sets whether the server has keys of this device; `code`: error returned if it does not. */
  hasKeys(has: boolean, device = 0, code = 500): void {
    const handset = this.account.handsets.get(device);
    if (!handset) throw new Error(`${this.digits} has no device ${device}`);
    handset.keysError = has ? null : code;
  }

  /** Reinstalls the app, so the phone has new keys and no sessions. The network notifies all other people unless `isAnnounced` is false. */
  reinstalls({ isAnnounced = true } = {}): void {
    this.account.phone.reinstall();
    if (isAnnounced) announce(this.exchange, this.account, 'encrypt', [el('identity', {})]);
  }

  /** Deletes the session with a contact or own computers unannounced, so the next message cannot be decrypted. */
  async forgets(digits: string): Promise<void> {
    for (const linked of this.exchange.directory.account(digits).linked.values()) await this.account.phone.forget(linked);
    this.account.phone.forgetGroups();
  }

  /** Restricts this number from starting new chats, or lifts that (null). Its computers are notified. */
  isRestricted(restriction: Restriction | null): void {
    this.account.restriction = restriction;
    const lock = { is_active: restriction !== null, ...(restriction && lockFacts(restriction)) };
    this.#mex('NotificationUserReachoutTimelockUpdate', { xwa2_notify_account_reachout_timelock: lock });
    if (restriction?.quota)
      this.#mex('MessageCappingInfoNotification', { xwa2_notify_new_chat_messages_capping_info_update: capping(restriction) });
  }

  /** Everyone's phones tell their computers that the hidden address belongs to this number. */
  async tellsNumber(): Promise<void> {
    for (const account of this.exchange.directory.all) {
      if (account === this.account) continue;
      for (const linked of account.linked.values()) await tellOwn(this.exchange, linked, mappingSync([this.account]));
    }
  }

  /**
   * Sets whether its chats use hidden addresses; null: the server accepts both. `tells`: whether its computers are
   * notified. `devicesByNumber`: whether they may query devices by number nevertheless.
   */
  isMigrated(isMigrated: boolean | null, { tells = true, devicesByNumber = false } = {}): void {
    this.account.isMigrated = isMigrated;
    this.account.tellsMigration = tells;
    this.account.seesDevicesByNumber = devicesByNumber;
  }

  /** Sets a username, optionally protected by a key. */
  hasUsername(username: string, key: string | null = null): void {
    this.account.username = username;
    this.account.usernameKey = key;
  }

  /** Makes the account known only by its hidden address. */
  hidesNumber(): void {
    this.account.hasNumber = false;
    void this.is({ isHidden: true, tellsNumber: false });
  }

  /**
   * Makes this person reachable under unregistered digits, which the server translates in queries. `answers`: number
   * under which it returns the devices of these digits; null: it returns none.
   */
  isDialledAs(digits: string, answers: Served | null = null): void {
    this.exchange.directory.dials(digits, this.account, answers);
  }

  /** Requires a token for messages to this person. `giving`: accounts that get one now. */
  wantsTokens(giving: readonly string[] = []): void {
    this.account.wantsToken = true;
    for (const digits of giving) this.exchange.directory.account(digits).tokens.set(this.account, this.exchange.random.bytes(16));
  }

  /** Gives its computers what they need to prove to strangers that they may write to them. */
  provesToStrangers(): void {
    this.account.salt = this.exchange.random.bytes(32);
  }

  /** Stores the salt of its proofs for strangers only in the settings, not in a history; null removes it. */
  setsSalt(salt: Buffer | null): void {
    const { settings } = this.account;
    this.account.salt = salt;
    this.account.isSaltInHistory = false;
    // Field 1 within field 80 of a setting.
    const field = (number: number, bytes: Uint8Array): Uint8Array =>
      proto.SyncActionValue.encode({})
        .uint32((number << 3) | 2)
        .bytes(bytes)
        .finish();
    if (salt) settings.setEncoded('regular_high', SALT_SETTING, field(80, field(1, salt)), 1);
    else settings.remove('regular_high', SALT_SETTING, 1);
    this.exchange.people.settingsChanged(this.account, 'regular_high', null);
  }

  /** Gives a token to an account, whose computers receive it immediately. */
  givesToken(to: string): void {
    const account = this.exchange.directory.account(to);
    const bytes = this.exchange.random.bytes(16);
    account.tokens.set(this.account, bytes);
    const token = el('token', { jid: this.jid, t: seconds(this.exchange), type: 'trusted_contact' }, bytes);
    for (const linked of account.linked.values())
      notify(this.exchange, linked, this.lid, 'privacy_token', [el('tokens', {}, [token])], { sender_lid: this.lid });
  }

  /** Sends its computers a later history part whose chats pair numbers with hidden addresses, true or not. */
  async recalls(pairs: readonly { readonly jid: string; readonly lid: string }[]): Promise<void> {
    const chats = pairs.map(({ jid: id, lid: lidJid }) => ({ id, lidJid }));
    for (const linked of this.linked) await laterHistory(this.exchange, linked, chats);
  }

  /** Maps hidden addresses to numbers for its computers. `migratedAt`: start of their use in chats, epoch ms. */
  async listsPeople(digits: readonly string[], migratedAt: number | null = null): Promise<void> {
    const people = digits.map((each) => this.exchange.directory.account(each));
    for (const linked of this.linked) await tellOwn(this.exchange, linked, mappingSync(people, migratedAt));
  }

  /** Announces to everyone's computers that the profiles of these numbers (default: its own) are linked. */
  linksProfiles(...digits: readonly string[]): void {
    const profiles = { jid: this.lid, added_profiles: digits.length > 0 ? digits.map(address) : [this.jid] };
    for (const account of this.exchange.directory.all) {
      if (account === this.account) continue;
      for (const linked of account.linked.values())
        notify(this.exchange, linked, THE_SERVER, 'mex', [
          mex('NotificationLinkedProfilesUpdates', { xwa2_notify_linked_profiles: profiles }),
        ]);
    }
  }

  /** Notifies everyone's computers that this account has changed its number. */
  changesNumber(digits: string): void {
    const modify = el('modify', { old: this.jid, new: address(digits), old_lid: this.lid, new_lid: this.lid });
    for (const account of this.exchange.directory.all)
      for (const linked of account.linked.values()) notify(this.exchange, linked, this.jid, 'contacts', [modify]);
  }

  /** Sends its computers a notification of an unknown type. */
  isToldOf(name: string): void {
    this.#mex(name, {});
  }

  #mex(name: string, data: unknown): void {
    for (const linked of this.linked) notify(this.exchange, linked, THE_SERVER, 'mex', [mex(name, data)]);
  }

  #caller() {
    return { 'call-creator': this.habits.isHidden ? this.lid : this.jid, caller_pn: this.habits.tellsNumber ? this.jid : null };
  }

  #call(to: string, id: string, inside: ReturnType<typeof el>): void {
    noteCall(this.account, this.exchange.directory.of(address(to)), id, inside.tag);
    const from = this.habits.isHidden ? this.lid : this.jid;
    const stanza = el('call', { from, id: `${id}-${inside.tag}`, t: seconds(this.exchange), notify: this.account.name }, [inside]);
    for (const linked of this.exchange.directory.of(address(to))?.linked.values() ?? []) linked.deliver(stanza);
  }

  /** Returns this person's reference to a message in the chat with `to`. */
  #target(to: string, id: string): Target {
    const shown = this.shows().find(({ netId }) => netId === id);
    const fromMe = shown?.from === this.digits;
    const author = shown && this.exchange.directory.account(shown.from);
    const target: proto.IMessageKey = { remoteJid: address(to), fromMe, id };
    return isGroup(to) && author && !fromMe ? { ...target, participant: author.jid } : target;
  }
}

const address = (to: string): string => (to.includes('@') ? to : jidOf(to, SERVER));

const mex = (name: string, data: unknown) => el('update', { op_name: name }, Buffer.from(JSON.stringify({ data })));
