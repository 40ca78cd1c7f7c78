import type { KeyPair, PreKeyBundleInput } from 'whatsapp-rust-bridge';
import { hasCurrent, infoOf, type Owner, open, seal, start } from './session.ts';

interface Storage {
  loadSession(address: string): Promise<SessionRecord | null>;
  storeSession(address: string, record: SessionRecord): Promise<void>;
  loadPreKey(id: number): Promise<KeyPair | undefined>;
  removePreKey(id: number): Promise<void> | void;
  loadSignedPreKey(id: number): KeyPair | Promise<KeyPair>;
  getOurRegistrationId(): number | Promise<number>;
  getOurIdentity(): KeyPair | Promise<KeyPair>;
}

export class ProtocolAddress {
  readonly id: string;
  readonly deviceId: number;

  constructor(id: string, deviceId: number) {
    this.id = id;
    this.deviceId = deviceId;
  }

  toString(): string {
    return `${this.id}.${this.deviceId}`;
  }
}

export class SessionRecord {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  static deserialize(bytes: unknown): SessionRecord {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('a session of another kind');
    return new SessionRecord(bytes);
  }

  serialize(): Uint8Array {
    return this.#bytes;
  }

  haveOpenSession(): boolean {
    return hasCurrent(this.#bytes);
  }

  getOpenSession(): { readonly registrationId: number; readonly indexInfo: { readonly baseKey: Uint8Array } } | undefined {
    const info = infoOf(this.#bytes);
    return info ? { registrationId: info.registrationId, indexInfo: { baseKey: info.baseKey } } : undefined;
  }
}

const MESSAGE_TYPE = { pkmsg: 3, msg: 1 } as const;

export class SessionCipher {
  readonly #storage: Storage;
  readonly #address: string;

  constructor(storage: Storage, address: ProtocolAddress) {
    this.#storage = storage;
    this.#address = address.toString();
  }

  /** A message of `type` 3 starts a session, and one of type 1 continues it. */
  encrypt(plain: Uint8Array): Promise<{ type: 1 | 3; body: Uint8Array }> {
    return changed(this.#storage, this.#address, async (between) => {
      const { sealed, record } = await seal(between, plain);
      return { result: { type: MESSAGE_TYPE[sealed.type], body: sealed.ciphertext }, record };
    });
  }

  decryptPreKeyWhisperMessage(ciphertext: Uint8Array): Promise<Uint8Array> {
    return this.#open({ type: 'pkmsg', ciphertext });
  }

  decryptWhisperMessage(ciphertext: Uint8Array): Promise<Uint8Array> {
    return this.#open({ type: 'msg', ciphertext });
  }

  #open(sealed: Parameters<typeof open>[1]): Promise<Uint8Array> {
    return changed(this.#storage, this.#address, async (between) => {
      const { plain, record, used } = await open(between, sealed);
      return { result: plain, record, used };
    });
  }
}

export class SessionBuilder {
  readonly #storage: Storage;
  readonly #address: string;

  constructor(storage: Storage, address: ProtocolAddress) {
    this.#storage = storage;
    this.#address = address.toString();
  }

  initOutgoing(bundle: PreKeyBundleInput): Promise<void> {
    return changed(this.#storage, this.#address, async (between) => ({ result: undefined, record: await start(between, bundle) }));
  }
}

interface Changed<T> {
  readonly result: T;
  readonly record: Uint8Array;
  readonly used?: readonly number[];
}

const tails = new WeakMap<Storage, Map<string, Promise<unknown>>>();

/** Runs changes one by one, because two tasks that read the same record would use the same key. */
function changed<T>(storage: Storage, address: string, work: (between: Parameters<typeof seal>[0]) => Promise<Changed<T>>): Promise<T> {
  const known = tails.get(storage) ?? new Map<string, Promise<unknown>>();
  tails.set(storage, known);
  const turn = (known.get(address) ?? Promise.resolve()).then(async () => {
    const before = await storage.loadSession(address);
    const { result, record, used = [] } = await work({ owner: await ownerOf(storage), address, record: before?.serialize() ?? null });
    await storage.storeSession(address, new SessionRecord(record));
    for (const id of used) await storage.removePreKey(id);
    return result;
  });
  const tail: Promise<unknown> = turn.catch(() => undefined).finally(() => known.get(address) === tail && known.delete(address));
  known.set(address, tail);
  return turn;
}

/** A placeholder, because the signature of our own signed key is never checked. */
const SIGNATURE = new Uint8Array(64);

async function ownerOf(storage: Storage): Promise<Owner> {
  return {
    identity: typedPair(await storage.getOurIdentity()),
    registrationId: await storage.getOurRegistrationId(),
    async preKey(id) {
      const kept = await storage.loadPreKey(id);
      return kept ? typedPair(kept) : null;
    },
    signedPreKey: async (keyId) => ({ keyId, keyPair: typedPair(await storage.loadSignedPreKey(keyId)), signature: SIGNATURE }),
  };
}

const typedPair = ({ pubKey, privKey }: KeyPair): KeyPair => ({ pubKey: typed(pubKey), privKey });
const typed = (key: Uint8Array): Uint8Array => (key.length === 33 ? key : Buffer.concat([Uint8Array.of(5), key]));
