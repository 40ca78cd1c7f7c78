import {
  type KeyPair,
  type PreKeyBundleInput,
  ProtocolAddress,
  SessionBuilder as RustBuilder,
  SessionCipher as RustCipher,
  type SignalStorage,
  type SignedPreKey,
} from 'whatsapp-rust-bridge';
import { present } from '../../../../runtime/invariant.ts';
import { bytesOf, fieldsOf, numberOf, written } from './record.ts';

const PRE_KEY_MESSAGE = 3;
const FIELD = { current: 1, previous: 2, remoteRegistrationId: 10, baseKey: 13 } as const;

export interface Sealed {
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Uint8Array;
}

/** Public keys include their type byte. */
export interface Owner {
  readonly identity: KeyPair;
  readonly registrationId: number;
  preKey(id: number): Promise<KeyPair | null>;
  signedPreKey(id: number): SignedPreKey | Promise<SignedPreKey>;
}

export interface Between {
  readonly owner: Owner;
  readonly address: string;
  readonly record: Uint8Array | null;
}

/** Store the returned record before sending. It no longer contains the used key. */
export async function seal({ owner, address, record }: Between, plain: Uint8Array): Promise<{ sealed: Sealed; record: Uint8Array }> {
  const use = new SessionUse(owner, record);
  const { type, body } = await ciphered(address, use, (cipher) => cipher.encrypt(plain));
  const ciphertext = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return { sealed: { type: type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg', ciphertext }, record: use.changed() };
}

/** Rejects with `DuplicatedMessage` for a repeated message. `used` lists the spent one-time keys. */
export async function open(
  { owner, address, record }: Between,
  { type, ciphertext }: Sealed,
): Promise<{ plain: Uint8Array; record: Uint8Array; used: readonly number[] }> {
  if (type === 'msg') return openWithAny({ owner, address, record }, ciphertext);
  const use = new SessionUse(owner, record);
  const plain = await ciphered(address, use, (cipher) => cipher.decryptPreKeyWhisperMessage(ciphertext));
  return { plain, record: use.changed(), used: use.used };
}

/** A failed attempt corrupts all sessions of a record, so each session is tried separately. */
async function openWithAny({ owner, address, record }: Between, ciphertext: Uint8Array) {
  const sessions = sessionsIn(record);
  let reason: unknown = new Error('no session');
  for (const session of sessions) {
    const use = new SessionUse(owner, written([FIELD.current, session]));
    try {
      const plain = await ciphered(address, use, (cipher) => cipher.decryptWhisperMessage(ciphertext));
      const others = sessions.filter((other) => other !== session).map((other) => [FIELD.previous, other] as const);
      return { plain, record: Buffer.concat([use.changed(), written(...others)]), used: [] };
    } catch (cause) {
      if (wasOpened(cause)) throw cause;
      reason = cause;
    }
  }
  throw reason;
}

/** Starts a session. The previous one can still decrypt late messages. Rejects wrong signatures. */
export async function start({ owner, address, record }: Between, bundle: PreKeyBundleInput): Promise<Uint8Array> {
  const use = new SessionUse(owner, record);
  const { registrationId, identityKey, signedPreKey, preKey } = bundle;
  const to = addressOf(address);
  const builder = new RustBuilder(use, to);
  try {
    await builder.initOutgoing({ registrationId, identityKey, signedPreKey, ...(preKey && { preKey }) });
    return use.changed();
  } catch (cause) {
    throw asError(cause);
  } finally {
    builder.free();
    to.free();
  }
}

export function infoOf(record: Uint8Array | null): { readonly baseKey: Uint8Array; readonly registrationId: number } | null {
  const current = currentOf(record);
  const fields = current && fieldsOf(current);
  const baseKey = fields && bytesOf(fields, FIELD.baseKey);
  const registrationId = fields && numberOf(fields, FIELD.remoteRegistrationId);
  return baseKey && registrationId !== null ? { baseKey: Uint8Array.from(baseKey), registrationId } : null;
}

export const hasCurrent = (record: Uint8Array | null): boolean => currentOf(record) !== null;

const currentOf = (record: Uint8Array | null): Uint8Array | null => record && bytesOf(fieldsOf(record), FIELD.current);

async function ciphered<T>(address: string, use: SessionUse, work: (cipher: RustCipher) => Promise<T>): Promise<T> {
  const to = addressOf(address);
  const cipher = new RustCipher(use, to);
  try {
    return await work(cipher);
  } catch (cause) {
    throw asError(cause);
  } finally {
    cipher.free();
    to.free();
  }
}

function addressOf(address: string): ProtocolAddress {
  const dot = address.lastIndexOf('.');
  return new ProtocolAddress(address.slice(0, dot), Number(address.slice(dot + 1)));
}

class SessionUse implements SignalStorage {
  readonly #owner: Owner;
  #record: Uint8Array | null;
  readonly used: number[] = [];

  constructor(owner: Owner, record: Uint8Array | null) {
    this.#owner = owner;
    this.#record = record;
  }

  changed(): Uint8Array {
    return present(this.#record, 'the record of a session');
  }

  loadSession(): Uint8Array | null {
    return this.#record;
  }

  storeSession(_address: string, record: { serialize(): Uint8Array }): void {
    this.#record = Buffer.from(record.serialize());
  }

  getOurIdentity(): KeyPair {
    return this.#owner.identity;
  }

  getOurRegistrationId(): number {
    return this.#owner.registrationId;
  }

  /** Accepts new identity keys, as the network's own clients do. */
  isTrustedIdentity(): boolean {
    return true;
  }

  loadPreKey(id: number): Promise<KeyPair | null> {
    return this.#owner.preKey(id);
  }

  removePreKey(id: number): void {
    this.used.push(id);
  }

  loadSignedPreKey(id: number): SignedPreKey | Promise<SignedPreKey> {
    return this.#owner.signedPreKey(id);
  }

  loadSenderKey(): null {
    return null;
  }

  storeSenderKey(): void {}
}

function sessionsIn(record: Uint8Array | null): readonly Uint8Array[] {
  const fields = record && fieldsOf(record);
  const all = [...(fields?.get(FIELD.current) ?? []), ...(fields?.get(FIELD.previous) ?? [])];
  return all.filter((session): session is Uint8Array => session instanceof Uint8Array);
}

const wasOpened = (cause: unknown): boolean => cause instanceof Error && cause.message.includes('DuplicatedMessage');

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
