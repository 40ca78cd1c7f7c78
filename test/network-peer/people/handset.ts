import { proto } from '@whiskeysockets/baileys';
import type { SeededRandom } from '../random.ts';
import type { Account } from '../server/account.ts';
import type { Linked } from '../server/linked.ts';
import { el, jidOf, SERVER, type Stanza } from '../stanza.ts';
import { makeDeviceKeys } from './device-keys.ts';
import type { Bundle, DeviceKeys, MakeSignalSide, SealedType, SignalAddress, SignalSide } from './signal.ts';

const LONGEST_PADDING = 16;

export type Message = proto.IMessage;

export type SealType = SealedType | 'skmsg';

/** A ciphertext part of a message as one device received it. */
export interface Seal {
  readonly type: SealType;
  readonly ciphertext: Buffer;
}

/** A simulated device of a person: the phone itself, or a companion device. */
export class Handset {
  readonly account: Account;
  readonly device: number;
  readonly #random: SeededRandom;
  readonly #make: MakeSignalSide;
  keys!: DeviceKeys;
  /** Error code with which the server answers requests for this device's keys; null to return keys. */
  keysError: number | null = null;
  #side!: SignalSide;
  /** Devices that already have this device's sender key, by group. */
  readonly #told = new Set<string>();

  constructor(account: Account, device: number, random: SeededRandom, make: MakeSignalSide) {
    this.account = account;
    this.device = device;
    this.#random = random;
    this.#make = make;
    this.reinstall();
  }

  get jid(): string {
    return jidOf(this.account.digits, SERVER, this.device);
  }

  get lid(): string {
    return jidOf(this.account.lid, 'lid', this.device);
  }

  get signal(): SignalAddress {
    return { user: this.account.digits, device: this.device };
  }

  /** Creates another device of the same person. */
  sibling(device: number): Handset {
    return new Handset(this.account, device, this.#random, this.#make);
  }

  /** Makes new keys and forgets all sessions, as a reinstalled app does. */
  reinstall(): void {
    const { keys, oneTime } = makeDeviceKeys(this.#random);
    this.keys = keys;
    this.#side = this.#make(keys, oneTime);
    this.#told.clear();
  }

  bundle(): Bundle {
    const { registrationId, identity, signedPreKey } = this.keys;
    return { registrationId, identity: identity.public, signedPreKey, preKey: this.keys.makePreKey() };
  }

  /** Deletes the session with this computer. The next message to it starts a new session. */
  async forget(linked: Linked): Promise<void> {
    await this.#side.endSession(linked.signal);
    for (const told of this.#told) if (told.endsWith(linked.line)) this.#told.delete(told);
  }

  forgetGroups(): void {
    this.#side.forgetGroups();
  }

  async startSession(linked: Linked, bundle: Bundle): Promise<void> {
    await this.#side.startSession(linked.signal, bundle);
  }

  /**
   * Encrypts a message for one computer as an `<enc>`. `count`: times that the computer has requested it again.
   * `wire`: raw bytes to send instead, for unknown message types.
   */
  async seal(to: Linked, message: Message, count?: number, wire?: Uint8Array): Promise<Stanza> {
    if (!(await this.#side.hasSession(to.signal))) await this.#side.startSession(to.signal, to.takeBundle());
    const { type, ciphertext } = await this.#side.encrypt(to.signal, padded(message, this.#random, wire));
    return el('enc', { v: 2, type, count }, ciphertext);
  }

  /** Encrypts a group message. Returns the parts for each computer. */
  async sealForGroup(group: string, to: readonly Linked[], message: Message): Promise<ReadonlyMap<Linked, readonly Stanza[]>> {
    const { ciphertext, distribution } = await this.#side.encryptGroup(group, this.signal, padded(message, this.#random));
    const key: Message = { senderKeyDistributionMessage: { groupId: group, axolotlSenderKeyDistributionMessage: distribution } };
    const parts = new Map<Linked, readonly Stanza[]>();
    for (const each of to) {
      const known = `${group} ${each.line}`;
      const first = this.#told.has(known) ? [] : [await this.seal(each, key)];
      this.#told.add(known);
      parts.set(each, [...first, el('enc', { v: 2, type: 'skmsg' }, ciphertext)]);
    }
    return parts;
  }

  /** Decrypts a message from a computer. Rejects if this is not possible. */
  async open(from: Linked, group: string | null, seals: readonly Seal[]): Promise<Message> {
    let message: Message = {};
    for (const seal of seals) {
      const part = proto.Message.decode(unpadded(await this.#unseal(from, group, seal)));
      const key = part.senderKeyDistributionMessage;
      if (key?.axolotlSenderKeyDistributionMessage && key.groupId)
        await this.#side.learnGroup(key.groupId, from.signal, key.axolotlSenderKeyDistributionMessage);
      message = { ...message, ...part };
    }
    return message;
  }

  #unseal(from: Linked, group: string | null, { type, ciphertext }: Seal): Promise<Buffer> {
    if (type === 'skmsg') return this.#side.decryptGroup(group ?? '', from.signal, ciphertext);
    return this.#side.decrypt(from.signal, { type, ciphertext });
  }
}

function padded(message: Message, random: SeededRandom, wire: Uint8Array = proto.Message.encode(message).finish()): Buffer {
  const length = 1 + random.number(4);
  return Buffer.concat([wire, Buffer.alloc(length, length)]);
}

function unpadded(bytes: Buffer): Buffer {
  const length = bytes.at(-1) ?? 0;
  if (length === 0 || length > LONGEST_PADDING || length > bytes.length) throw new Error(`padding of ${length}`);
  return bytes.subarray(0, -length);
}
