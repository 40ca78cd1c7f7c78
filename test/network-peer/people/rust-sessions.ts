import { type ProtocolAddress, SessionBuilder, SessionCipher, type SignalStorage } from 'whatsapp-rust-bridge';
import { typed } from '../curve.ts';
import type { Bundle, DeviceKeys, OneTimeKeys, Sealed } from './signal.ts';

const PRE_KEY_MESSAGE = 3;
/** Sessions kept per address. Older ones cannot decrypt anything that is still in transit. */
const MAX_SESSIONS = 40;

/** The record of one session as Rust stores it; empty before the session exists. */
interface Leaf {
  record: Uint8Array | undefined;
}

/**
 * The sessions of one device with others, newest first, each in its own record. A failed decryption changes the
 * session that was tried and all others in the same record.
 */
export class RustSessions {
  readonly #keys: DeviceKeys;
  readonly #oneTime: OneTimeKeys;
  readonly #records = new Map<string, readonly Uint8Array[]>();

  constructor(keys: DeviceKeys, oneTime: OneTimeKeys) {
    this.#keys = keys;
    this.#oneTime = oneTime;
  }

  has(address: ProtocolAddress): boolean {
    return this.#records.has(address.toString());
  }

  end(address: ProtocolAddress): void {
    this.#records.delete(address.toString());
  }

  async start(address: ProtocolAddress, { registrationId, identity, signedPreKey, preKey }: Bundle): Promise<void> {
    const leaf: Leaf = { record: undefined };
    await new SessionBuilder(this.#storage(leaf), address).initOutgoing({
      registrationId,
      identityKey: typed(identity),
      signedPreKey: { keyId: signedPreKey.id, publicKey: typed(signedPreKey.public), signature: signedPreKey.signature },
      ...(preKey && { preKey: { keyId: preKey.id, publicKey: typed(preKey.public) } }),
    });
    this.#keep(address, leaf, null);
  }

  async seal(address: ProtocolAddress, plain: Uint8Array): Promise<Sealed> {
    const [current] = this.#of(address);
    const leaf: Leaf = { record: current };
    const { type, body } = await new SessionCipher(this.#storage(leaf), address).encrypt(plain);
    this.#keep(address, leaf, current ?? null);
    return { type: type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body) };
  }

  /**
   * Decrypts with the matching session, which then becomes the current one; the first message of a new session creates
   * it. Rejects if no session matches.
   */
  async open(address: ProtocolAddress, sealed: Sealed): Promise<Buffer> {
    const failures: unknown[] = [];
    for (const record of this.#of(address)) {
      // Without a one-time key, a message cannot start a session, so it either belongs to this session or not.
      const opened = await this.#try(address, sealed, record, { begins: false }).catch((cause) => void failures.push(cause));
      if (opened) return opened;
    }
    if (sealed.type === 'pkmsg') return this.#try(address, sealed, undefined, { begins: true });
    throw failures[0] ?? new Error('no session');
  }

  async #try(address: ProtocolAddress, sealed: Sealed, record: Uint8Array | undefined, { begins }: { begins: boolean }): Promise<Buffer> {
    const leaf: Leaf = { record };
    const cipher = new SessionCipher(this.#storage(leaf, begins), address);
    const { type, ciphertext } = sealed;
    const plain = await (type === 'pkmsg' ? cipher.decryptPreKeyWhisperMessage(ciphertext) : cipher.decryptWhisperMessage(ciphertext));
    this.#keep(address, leaf, record ?? null);
    return Buffer.from(plain);
  }

  #of(address: ProtocolAddress): readonly Uint8Array[] {
    return this.#records.get(address.toString()) ?? [];
  }

  /** Replaces the previous record. */
  #keep(address: ProtocolAddress, { record }: Leaf, before: Uint8Array | null): void {
    if (!record) return;
    const others = this.#of(address).filter((one) => one !== before);
    this.#records.set(address.toString(), [record, ...others].slice(0, MAX_SESSIONS));
  }

  #storage(leaf: Leaf, begins = true): SignalStorage {
    const { signedPreKey, identity, registrationId } = this.#keys;
    const none = (): never => {
      throw new Error('this message is of another session');
    };
    return {
      loadSession: () => leaf.record,
      storeSession: (_address, record) => {
        leaf.record = record.serialize();
      },
      getOurIdentity: () => ({ pubKey: typed(identity.public), privKey: identity.private }),
      getOurRegistrationId: () => registrationId,
      isTrustedIdentity: () => true,
      loadPreKey: (id) => {
        if (!begins) return none();
        const own = this.#oneTime.take(id);
        return own && { pubKey: typed(own.public), privKey: own.private };
      },
      removePreKey: (id) => this.#oneTime.drop(id),
      loadSignedPreKey: () => {
        if (!begins) return none();
        const keyPair = { pubKey: typed(signedPreKey.public), privKey: signedPreKey.private };
        return { keyId: signedPreKey.id, keyPair, signature: signedPreKey.signature };
      },
      loadSenderKey: () => null,
      storeSenderKey: () => {},
    };
  }
}
