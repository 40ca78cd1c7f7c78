import type { KeyPair } from 'whatsapp-rust-bridge';
import { at } from '../../../../runtime/invariant.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import type { AuthenticationCreds, Library } from '../library.ts';
import type { Between, Owner, Sealed } from '../libsignal/session.ts';
import { type EarlierRecord, fromEarlier } from './earlier.ts';
import type { Locks, Secrets } from './secrets.ts';

const KIND: SecretKind<Uint8Array | EarlierRecord> = 'session';

const PRE_KEY: SecretKind<{ readonly public: Uint8Array; readonly private: Uint8Array }> = 'pre-key';

export type Bundle = Parameters<ReturnType<Library['DEFAULT_CONNECTION_CONFIG']['makeSignalRepository']>['injectE2ESession']>[0]['session'];

export interface Letter {
  readonly address: string;
  readonly plain: Uint8Array;
}

interface Change<T> {
  readonly result: T;
  readonly record: Uint8Array;
  readonly used?: readonly number[];
}

/** A failed operation changes nothing. Records in the library's own format are converted when used. */
export class Sessions {
  readonly #library: Library;
  readonly #creds: AuthenticationCreds;
  readonly #secrets: Secrets;
  readonly #owner: Owner;

  constructor(library: Library, creds: AuthenticationCreds, secrets: Secrets) {
    this.#library = library;
    this.#creds = creds;
    this.#secrets = secrets;
    this.#owner = ownerOf(creds, secrets);
  }

  seal(address: string, plain: Uint8Array): Promise<Sealed> {
    return this.#change(address, async (between) => {
      const { sealed, record } = await this.#library.signal.seal(between, plain);
      return { result: sealed, record };
    });
  }

  /** Returns null if a session is missing, and then changes nothing. */
  async sealAll(letters: readonly Letter[], locks: Locks): Promise<readonly Sealed[] | null> {
    const addresses = letters.map(({ address }) => address);
    const release = await locks.takeAll(addresses.map(lockOf));
    try {
      const kept = await this.#secrets.get(KIND, addresses);
      const records = addresses.map((address) => this.#asInRust(kept[address]));
      if (!records.every((record) => this.#library.signal.hasCurrent(record))) return null;
      const all = await Promise.all(
        letters.map(({ address, plain }, nth) =>
          this.#library.signal.seal({ owner: this.#owner, address, record: records[nth] ?? null }, plain),
        ),
      );
      this.#secrets.set(KIND, Object.fromEntries(all.map(({ record }, nth) => [at(addresses, nth), record])));
      return all.map(({ sealed }) => sealed);
    } finally {
      release();
    }
  }

  /** Rejects with `DuplicatedMessage` if the message was decrypted before. */
  open(address: string, sealed: Sealed): Promise<Uint8Array> {
    return this.#change(address, async (between) => {
      const { plain, ...change } = await this.#library.signal.open(between, sealed);
      return { result: plain, ...change };
    });
  }

  start(address: string, bundle: Bundle): Promise<void> {
    if (!isOfKeys(bundle)) return Promise.reject(new Error(`the network returned invalid keys for ${address}`));
    return this.#change(address, async (between) => ({ result: undefined, record: await this.#library.signal.start(between, bundle) }));
  }

  async exists(address: string): Promise<boolean> {
    return this.#library.signal.hasCurrent(await this.#record(address));
  }

  async info(address: string): Promise<{ readonly baseKey: Uint8Array; readonly registrationId: number } | null> {
    return this.#library.signal.infoOf(await this.#record(address));
  }

  end(address: string): Promise<void> {
    return this.#secrets.alone(lockOf(address), async () => this.#secrets.set(KIND, { [address]: null }));
  }

  move(from: string, to: string): Promise<boolean> {
    return this.#secrets.alone(lockOf(to), async () => {
      const record = await this.#record(from);
      if (record) this.#secrets.set(KIND, { [to]: record, [from]: null });
      return record !== null;
    });
  }

  #change<T>(address: string, work: (between: Between) => Promise<Change<T>>): Promise<T> {
    return this.#secrets.alone(lockOf(address), async () => {
      const { result, record, used = [] } = await work({ owner: this.#owner, address, record: await this.#record(address) });
      this.#secrets.set(KIND, { [address]: record });
      if (used.length > 0) this.#secrets.set(PRE_KEY, Object.fromEntries(used.map((id) => [id, null])));
      return result;
    });
  }

  async #record(address: string): Promise<Uint8Array | null> {
    const { [address]: kept } = await this.#secrets.get(KIND, [address]);
    return this.#asInRust(kept);
  }

  #asInRust(kept: Uint8Array | EarlierRecord | undefined): Uint8Array | null {
    if (kept === undefined || kept instanceof Uint8Array) return kept ?? null;
    return fromEarlier(kept, { identity: this.#owner.identity.pubKey, registrationId: this.#creds.registrationId });
  }
}

/** Reads keys when they are needed, because the signed key changes from time to time. */
function ownerOf(creds: AuthenticationCreds, secrets: Secrets): Owner {
  return {
    identity: pairOf(creds.signedIdentityKey),
    registrationId: creds.registrationId,
    async preKey(id) {
      const { [id]: kept } = await secrets.get(PRE_KEY, [String(id)]);
      return kept ? pairOf(kept) : null;
    },
    signedPreKey() {
      const { keyId, keyPair, signature } = creds.signedPreKey;
      return { keyId, keyPair: pairOf(keyPair), signature };
    },
  };
}

const [KEY_BYTES, SIGNATURE_BYTES] = [33, 64];

/** Rejects long keys, because creating a session reads a key byte by byte (70 ms for 100 KB). */
function isOfKeys({ identityKey, signedPreKey, preKey }: Bundle): boolean {
  const keys = [identityKey, signedPreKey.publicKey, preKey?.publicKey];
  return keys.every((key) => (key?.length ?? 0) <= KEY_BYTES) && signedPreKey.signature.length <= SIGNATURE_BYTES;
}

const lockOf = (address: string): string => `session ${address}`;

const CURVE = 5;
const typed = (key: Uint8Array): Uint8Array => (key.length === 33 ? key : Buffer.concat([Uint8Array.of(CURVE), key]));

const pairOf = (pair: { readonly public: Uint8Array; readonly private: Uint8Array }): KeyPair => ({
  pubKey: typed(pair.public),
  privKey: pair.private,
});
