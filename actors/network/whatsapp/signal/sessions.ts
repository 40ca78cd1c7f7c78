import type { KeyPair, SessionCipher, SignalStorage } from 'whatsapp-rust-bridge';
import type { AuthenticationCreds, Library } from '../library.ts';
import { type EarlierRecord, fromEarlier } from './earlier.ts';
import { bytesOf, fieldsOf, numberOf, written } from './record.ts';
import type { Secrets } from './secrets.ts';

const KIND = 'session';
const PRE_KEY_MESSAGE = 3;
/** Of a record; and of a session. */
const FIELD = { current: 1, previous: 2, remoteRegistrationId: 10, baseKey: 13 } as const;

export type Bundle = Parameters<ReturnType<Library['DEFAULT_CONNECTION_CONFIG']['makeSignalRepository']>['injectE2ESession']>[0]['session'];

interface Sealed {
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Uint8Array;
}

/**
 * Signal sessions with the devices of people, by their addresses (`<user>.<device>`): sealed and opened in Rust, a fifth of the CPU of the
 * library's own code, which would also print their private keys. Whoever uses an address does so alone. Records that the library's own code
 * wrote are taken over when they are used.
 */
export class Sessions {
  readonly #library: Library;
  readonly #creds: AuthenticationCreds;
  readonly #secrets: Secrets;

  constructor(library: Library, creds: AuthenticationCreds, secrets: Secrets) {
    this.#library = library;
    this.#creds = creds;
    this.#secrets = secrets;
  }

  /** Rejects when there is none. */
  seal(address: string, plain: Uint8Array): Promise<Sealed> {
    return this.#using(address, async (cipher) => {
      const { type, body } = await cipher.encrypt(plain);
      return { type: type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
    });
  }

  /** Rejects when it cannot be opened; `DuplicatedMessage` in the reason: it was opened before. */
  open(address: string, { type, ciphertext }: Sealed): Promise<Uint8Array> {
    if (type === 'pkmsg') return this.#using(address, (cipher) => cipher.decryptPreKeyWhisperMessage(ciphertext));
    return this.#secrets.alone(lockOf(address), async () => {
      const { plain, record } = await this.#openWithAny(address, ciphertext, sessionsIn(await this.#record(address)));
      this.#secrets.set(KIND, { [address]: record });
      return plain;
    });
  }

  /** Tries one session after the other, each by itself: a try that fails spoils its session, and all that is with it in one record. */
  async #openWithAny(address: string, ciphertext: Uint8Array, sessions: readonly Uint8Array[]) {
    let reason: unknown = new Error('no session');
    for (const session of sessions) {
      const hand = new Hand(this.#creds, this.#secrets, written([FIELD.current, session]));
      try {
        const plain = await this.#cipher(address, hand, (cipher) => cipher.decryptWhisperMessage(ciphertext));
        const others = sessions.filter((other) => other !== session).map((other) => [FIELD.previous, other] as const);
        return { plain, record: Buffer.concat([hand.loadSession()!, written(...others)]) };
      } catch (cause) {
        if (wasOpened(cause)) throw cause;
        reason = cause;
      }
    }
    throw reason;
  }

  /** Starts a new one; the one before it can still open what comes late. */
  start(address: string, { registrationId, identityKey, signedPreKey, preKey }: Bundle): Promise<void> {
    return this.#inHand(address, async (hand) => {
      const [to, free] = this.#address(address);
      const builder = new this.#library.signal.SessionBuilder(hand, to);
      try {
        await builder.initOutgoing({ registrationId, identityKey, signedPreKey, ...(preKey && { preKey }) });
      } catch (cause) {
        throw asError(cause);
      } finally {
        builder.free();
        free();
      }
    });
  }

  async exists(address: string): Promise<boolean> {
    return (await this.#current(address)) !== null;
  }

  async info(address: string): Promise<{ readonly baseKey: Uint8Array; readonly registrationId: number } | null> {
    const current = await this.#current(address);
    const fields = current && fieldsOf(current);
    const baseKey = fields && bytesOf(fields, FIELD.baseKey);
    const registrationId = fields && numberOf(fields, FIELD.remoteRegistrationId);
    return baseKey && registrationId !== null ? { baseKey: Uint8Array.from(baseKey), registrationId } : null;
  }

  end(address: string): Promise<void> {
    return this.#secrets.alone(lockOf(address), async () => this.#secrets.set(KIND, { [address]: null }));
  }

  /** A device goes by another address. Answers whether there was a session with it. */
  move(from: string, to: string): Promise<boolean> {
    return this.#secrets.alone(lockOf(to), async () => {
      const record = await this.#record(from);
      if (record) this.#secrets.set(KIND, { [to]: record, [from]: null });
      return record !== null;
    });
  }

  #using<T>(address: string, work: (cipher: SessionCipher) => Promise<T>): Promise<T> {
    return this.#inHand(address, (hand) => this.#cipher(address, hand, work));
  }

  async #cipher<T>(address: string, hand: Hand, work: (cipher: SessionCipher) => Promise<T>): Promise<T> {
    const [to, free] = this.#address(address);
    const cipher = new this.#library.signal.SessionCipher(hand, to);
    try {
      return await work(cipher);
    } catch (cause) {
      throw asError(cause);
    } finally {
      cipher.free();
      free();
    }
  }

  /** Rust's own memory is not collected as ours is. */
  #address(address: string) {
    const dot = address.lastIndexOf('.');
    const made = new this.#library.signal.ProtocolAddress(address.slice(0, dot), Number(address.slice(dot + 1)));
    return [made, () => made.free()] as const;
  }

  #inHand<T>(address: string, work: (hand: Hand) => Promise<T>): Promise<T> {
    return this.#secrets.alone(lockOf(address), async () => {
      const hand = new Hand(this.#creds, this.#secrets, await this.#record(address));
      const result = await work(hand);
      hand.keep(address);
      return result;
    });
  }

  async #current(address: string): Promise<Uint8Array | null> {
    const record = await this.#record(address);
    return record && bytesOf(fieldsOf(record), FIELD.current);
  }

  async #record(address: string): Promise<Uint8Array | null> {
    const { [address]: kept } = await this.#secrets.get(KIND, [address]);
    if (kept === undefined || kept instanceof Uint8Array) return kept ?? null;
    const { signedIdentityKey, registrationId } = this.#creds;
    return fromEarlier(kept as EarlierRecord, { identity: typed(signedIdentityKey.public), registrationId });
  }
}

/** What one use of a session needs, and what it changes: nothing of it is kept when it fails. */
class Hand implements SignalStorage {
  readonly #creds: AuthenticationCreds;
  readonly #secrets: Secrets;
  #record: Uint8Array | null;
  readonly #used: number[] = [];

  constructor(creds: AuthenticationCreds, secrets: Secrets, record: Uint8Array | null) {
    this.#creds = creds;
    this.#secrets = secrets;
    this.#record = record;
  }

  keep(address: string): void {
    this.#secrets.set(KIND, { [address]: this.#record });
    if (this.#used.length > 0) this.#secrets.set('pre-key', Object.fromEntries(this.#used.map((id) => [id, null])));
  }

  loadSession(): Uint8Array | null {
    return this.#record;
  }

  storeSession(_address: string, record: { serialize(): Uint8Array }): void {
    this.#record = Buffer.from(record.serialize());
  }

  getOurIdentity(): KeyPair {
    return pairOf(this.#creds.signedIdentityKey);
  }

  getOurRegistrationId(): number {
    return this.#creds.registrationId;
  }

  /** As the network's own clients do: a new key is believed, and its owner is not asked. */
  isTrustedIdentity(): boolean {
    return true;
  }

  async loadPreKey(id: number): Promise<KeyPair | null> {
    const { [id]: kept } = await this.#secrets.get('pre-key', [String(id)]);
    return kept ? pairOf(kept as { readonly public: Uint8Array; readonly private: Uint8Array }) : null;
  }

  removePreKey(id: number): void {
    this.#used.push(id);
  }

  loadSignedPreKey() {
    const { keyId, keyPair, signature } = this.#creds.signedPreKey;
    return { keyId, keyPair: pairOf(keyPair), signature };
  }

  /** Sessions with one device at a time have none. */
  loadSenderKey(): null {
    return null;
  }

  storeSenderKey(): void {}
}

/** The current one first. */
function sessionsIn(record: Uint8Array | null): readonly Uint8Array[] {
  const fields = record && fieldsOf(record);
  const all = [...(fields?.get(FIELD.current) ?? []), ...(fields?.get(FIELD.previous) ?? [])];
  return all.filter((session): session is Uint8Array => session instanceof Uint8Array);
}

const wasOpened = (cause: unknown): boolean => cause instanceof Error && cause.message.includes('DuplicatedMessage');

/** Rust throws strings; the library looks at the message of an error. */
const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

const lockOf = (address: string): string => `session ${address}`;

const CURVE = 5;
const typed = (key: Uint8Array): Uint8Array => (key.length === 33 ? key : Buffer.concat([Uint8Array.of(CURVE), key]));

const pairOf = (pair: { readonly public: Uint8Array; readonly private: Uint8Array }): KeyPair => ({
  pubKey: typed(pair.public),
  privKey: pair.private,
});
