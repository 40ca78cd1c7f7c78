import { createCipheriv } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import {
  expandAppStateKeys,
  generateContentMac,
  generateIndexMac,
  generatePatchMac,
  generateSnapshotMac,
  LTHashAntiTampering,
} from 'whatsapp-rust-bridge';
import type { Luck } from '../luck.ts';

const { SET } = proto.SyncdMutation.SyncdOperation;
const HASH_BYTES = 128;

export type CollectionName = 'critical_block' | 'critical_unblock_low' | 'regular_high' | 'regular_low' | 'regular';

interface Collection {
  version: number;
  hash: Uint8Array;
  /** Value of each index, as its MAC. */
  readonly macs: Map<string, Uint8Array>;
  /** Encoded, oldest first; the first makes version 1. */
  readonly patches: Buffer[];
}

/** What all devices of one account agree on: names, mutes, archived chats, …; encrypted, so that the server cannot read it. */
export class Settings {
  readonly key: { readonly id: Buffer; readonly data: Buffer };
  readonly #luck: Luck;
  readonly #collections = new Map<string, Collection>();

  constructor(luck: Luck) {
    this.#luck = luck;
    this.key = { id: luck.bytes(6), data: luck.bytes(32) };
  }

  version(name: string): number {
    return this.#collection(name).version;
  }

  /** The patches behind `version`, oldest first. */
  since(name: string, version: number): readonly Buffer[] {
    return this.#collection(name).patches.slice(version);
  }

  /** Takes a client's patch: not one made on another version, nor one that this account's other devices would not believe. */
  push(name: string, onVersion: number, patch: Buffer): 'taken' | 'conflict' | 'forged' {
    const collection = this.#collection(name);
    if (collection.version !== onVersion) return 'conflict';
    const { mutations, ...rest } = proto.SyncdPatch.decode(patch);
    for (const { operation, record } of mutations) this.#enter(collection, operation === SET, record);
    collection.version += 1;
    collection.patches.push(encoded({ ...rest, mutations, version: { version: collection.version } }));
    const { snapshotMacKey } = expandAppStateKeys(this.key.data);
    const mac = generateSnapshotMac(collection.hash, BigInt(collection.version), name, snapshotMacKey);
    return Buffer.from(mac).equals(rest.snapshotMac ?? Buffer.alloc(0)) ? 'taken' : 'forged';
  }

  /** The phone sets one thing, such as `['setting_pushName']`. `apiVersion`: of this kind of setting. */
  set(name: CollectionName, index: readonly string[], value: proto.ISyncActionValue, apiVersion: number): void {
    const collection = this.#collection(name);
    const keys = expandAppStateKeys(this.key.data);
    const indexBytes = Buffer.from(JSON.stringify(index));
    const plain = proto.SyncActionData.encode({ index: indexBytes, value, padding: Buffer.alloc(0), version: apiVersion }).finish();
    const sealed = seal(plain, keys.valueEncryptionKey, this.#luck.bytes(16));
    const valueMac = generateContentMac(SET, sealed, this.key.id, keys.valueMacKey);
    const keyId = { id: this.key.id };
    const record = {
      index: { blob: generateIndexMac(indexBytes, keys.indexKey) },
      value: { blob: Buffer.concat([sealed, valueMac]) },
      keyId,
    };
    this.#enter(collection, true, record);
    collection.version += 1;
    const version = BigInt(collection.version);
    const snapshotMac = generateSnapshotMac(collection.hash, version, name, keys.snapshotMacKey);
    const patchMac = generatePatchMac(snapshotMac, [valueMac], version, name, keys.patchMacKey);
    collection.patches.push(
      encoded({ version: { version: collection.version }, mutations: [{ operation: SET, record }], snapshotMac, patchMac, keyId }),
    );
  }

  #collection(name: string): Collection {
    const known = this.#collections.get(name) ?? { version: 0, hash: Buffer.alloc(HASH_BYTES), macs: new Map(), patches: [] };
    this.#collections.set(name, known);
    return known;
  }

  #enter(collection: Collection, isSet: boolean, record: proto.ISyncdRecord | null | undefined): void {
    const index = Buffer.from(record?.index?.blob ?? []).toString('base64');
    const mac = Buffer.from(record?.value?.blob ?? []).subarray(-32);
    const before = collection.macs.get(index);
    collection.hash = new LTHashAntiTampering().subtractThenAdd(collection.hash, before ? [before] : [], isSet ? [mac] : []);
    if (isSet) collection.macs.set(index, mac);
    else collection.macs.delete(index);
  }
}

const encoded = (patch: proto.ISyncdPatch): Buffer => Buffer.from(proto.SyncdPatch.encode(patch).finish());

function seal(plain: Uint8Array, key: Uint8Array, iv: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
}
