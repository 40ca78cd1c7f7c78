import { createCipheriv, createDecipheriv } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import {
  expandAppStateKeys,
  generateContentMac,
  generateIndexMac,
  generatePatchMac,
  generateSnapshotMac,
  LTHashAntiTampering,
} from 'whatsapp-rust-bridge';
import type { SeededRandom } from '../random.ts';

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation;
/** Tag of field 2, a message. */
const VALUE_TAG = (2 << 3) | 2;
/** Operation codes in the signed data, which differ from the numbers in the message. */
const [SET_BYTE, REMOVE_BYTE] = [1, 2];
const HASH_BYTES = 128;
const MAC_BYTES = 32;
const IV_BYTES = 16;

export type CollectionName = 'critical_block' | 'critical_unblock_low' | 'regular_high' | 'regular_low' | 'regular';

interface Collection {
  version: number;
  hash: Uint8Array;
  /** MAC of each index's value. */
  readonly macs: Map<string, Uint8Array>;
  /** Decrypted value of each index, which the phone shows. */
  readonly shown: Map<string, proto.ISyncActionValue>;
  /** Encoded patches, oldest first. The first one makes version 1. */
  readonly patches: Buffer[];
}

/**
 * State shared by all devices of an account: names, mutes, archived chats, …. It is encrypted, so the server cannot
 * read it.
 */
export class Settings {
  key: { readonly id: Buffer; readonly data: Buffer };
  /** Whether the phone signs new changes with a key that its computers do not know. */
  forges = false;
  readonly #random: SeededRandom;
  readonly #collections = new Map<string, Collection>();

  constructor(random: SeededRandom) {
    this.#random = random;
    this.key = newKey(random);
  }

  /** Uses a new key for all collections that are still empty. */
  renewKey(): void {
    this.key = newKey(this.#random);
  }

  /** Returns the phone's current entries, as parsed index and value. */
  shows(name: CollectionName): readonly (readonly [readonly string[], proto.ISyncActionValue])[] {
    return [...this.#collection(name).shown].map(([index, value]) => [JSON.parse(index), value] as const);
  }

  version(name: string): number {
    return this.#collection(name).version;
  }

  /** Returns the patches after `version`, oldest first. */
  since(name: string, version: number): readonly Buffer[] {
    return this.#collection(name).patches.slice(version);
  }

  /**
   * Accepts a client's patch, unless it is based on another version or would be rejected by the account's other
   * devices.
   */
  push(name: string, onVersion: number, patch: Buffer): 'taken' | 'conflict' | 'forged' {
    const collection = this.#collection(name);
    if (collection.version !== onVersion) return 'conflict';
    const decoded = proto.SyncdPatch.decode(patch);
    const next: Collection = {
      ...collection,
      version: collection.version + 1,
      macs: new Map(collection.macs),
      shown: new Map(collection.shown),
    };
    for (const { operation, record } of decoded.mutations) this.#enter(next, operation === SET, record);
    if (!this.#isBelieved(name, next, decoded)) return 'forged';
    next.patches.push(encoded({ ...decoded, version: { version: next.version } }));
    this.#collections.set(name, next);
    return 'taken';
  }

  /** Checks a patch as each device of the account does: every value, the patch, and the resulting hash. */
  #isBelieved(name: string, { version, hash }: Collection, { mutations, snapshotMac, patchMac }: proto.ISyncdPatch): boolean {
    const keys = expandAppStateKeys(this.key.data);
    const values = (mutations ?? []).map(({ operation, record }) => {
      const blob = Buffer.from(record?.value?.blob ?? []);
      const [sealed, mac] = [blob.subarray(0, -MAC_BYTES), blob.subarray(-MAC_BYTES)];
      const expected = generateContentMac(
        operation === SET ? SET_BYTE : REMOVE_BYTE,
        sealed,
        record?.keyId?.id ?? Buffer.alloc(0),
        keys.valueMacKey,
      );
      return { mac, isGenuine: mac.equals(expected) };
    });
    const whole = generateSnapshotMac(hash, BigInt(version), name, keys.snapshotMacKey);
    const macs = values.map(({ mac }) => mac);
    const ofPatch = generatePatchMac(whole, macs, BigInt(version), name, keys.patchMacKey);
    return (
      values.every(({ isGenuine }) => isGenuine) &&
      Buffer.from(whole).equals(snapshotMac ?? Buffer.alloc(0)) &&
      Buffer.from(ofPatch).equals(patchMac ?? Buffer.alloc(0))
    );
  }

  /** Sets one entry from the phone, such as `['setting_pushName']`. `apiVersion`: version of this kind of setting. */
  set(name: CollectionName, index: readonly string[], value: proto.ISyncActionValue, apiVersion: number): void {
    this.#change(name, SET, index, proto.SyncActionValue.encode(value).finish(), apiVersion);
  }

  /** Like `set`, for a value that the library's definition does not cover. */
  setEncoded(name: CollectionName, index: readonly string[], value: Uint8Array, apiVersion: number): void {
    this.#change(name, SET, index, value, apiVersion);
  }

  /** Removes one entry from the phone. */
  remove(name: CollectionName, index: readonly string[], apiVersion: number): void {
    this.#change(name, REMOVE, index, Buffer.alloc(0), apiVersion);
  }

  #change(
    name: CollectionName,
    operation: proto.SyncdMutation.SyncdOperation,
    index: readonly string[],
    value: Uint8Array,
    apiVersion: number,
  ): void {
    const collection = this.#collection(name);
    const isSet = operation === SET;
    const keys = expandAppStateKeys(this.key.data);
    const indexBytes = Buffer.from(JSON.stringify(index));
    const named = proto.SyncActionData.encode({ index: indexBytes, padding: Buffer.alloc(0), version: apiVersion });
    const plain = named.uint32(VALUE_TAG).bytes(value).finish();
    const sealed = seal(plain, keys.valueEncryptionKey, this.#random.bytes(16));
    const signing = this.forges ? this.#random.bytes(32) : keys.valueMacKey;
    const valueMac = generateContentMac(isSet ? SET_BYTE : REMOVE_BYTE, sealed, this.key.id, signing);
    const keyId = { id: this.key.id };
    const record = {
      index: { blob: generateIndexMac(indexBytes, keys.indexKey) },
      value: { blob: Buffer.concat([sealed, valueMac]) },
      keyId,
    };
    this.#enter(collection, isSet, record);
    collection.version += 1;
    const version = BigInt(collection.version);
    const snapshotMac = generateSnapshotMac(collection.hash, version, name, keys.snapshotMacKey);
    const patchMac = generatePatchMac(snapshotMac, [valueMac], version, name, keys.patchMacKey);
    collection.patches.push(
      encoded({ version: { version: collection.version }, mutations: [{ operation, record }], snapshotMac, patchMac, keyId }),
    );
  }

  #collection(name: string): Collection {
    const known = this.#collections.get(name) ?? {
      version: 0,
      hash: Buffer.alloc(HASH_BYTES),
      macs: new Map(),
      shown: new Map(),
      patches: [],
    };
    this.#collections.set(name, known);
    return known;
  }

  #enter(collection: Collection, isSet: boolean, record: proto.ISyncdRecord | null | undefined): void {
    const index = Buffer.from(record?.index?.blob ?? []).toString('base64');
    const mac = Buffer.from(record?.value?.blob ?? []).subarray(-MAC_BYTES);
    const before = collection.macs.get(index);
    collection.hash = new LTHashAntiTampering().subtractThenAdd(collection.hash, before ? [before] : [], isSet ? [mac] : []);
    if (isSet) collection.macs.set(index, mac);
    else collection.macs.delete(index);
    this.#show(collection, isSet, record);
  }

  #show({ shown }: Collection, isSet: boolean, record: proto.ISyncdRecord | null | undefined): void {
    const opened = this.#opened(Buffer.from(record?.value?.blob ?? []).subarray(0, -MAC_BYTES));
    if (!opened) return;
    const index = Buffer.from(opened.index ?? []).toString();
    if (isSet && opened.value) shown.set(index, opened.value);
    else shown.delete(index);
  }

  /** Returns null if it was not encrypted with the account's keys. */
  #opened(sealed: Buffer): proto.SyncActionData | null {
    const decipher = createDecipheriv('aes-256-cbc', expandAppStateKeys(this.key.data).valueEncryptionKey, sealed.subarray(0, IV_BYTES));
    try {
      return proto.SyncActionData.decode(Buffer.concat([decipher.update(sealed.subarray(IV_BYTES)), decipher.final()]));
    } catch {
      return null;
    }
  }
}

const encoded = (patch: proto.ISyncdPatch): Buffer => Buffer.from(proto.SyncdPatch.encode(patch).finish());

function seal(plain: Uint8Array, key: Uint8Array, iv: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
}

const newKey = (random: SeededRandom) => ({ id: random.bytes(6), data: random.bytes(32) });
