import { hkdfSync } from 'node:crypto';
import { type Part, written } from '../libsignal/record.ts';

/** A session in the format of the library's own Signal code: JSON, with bytes as base64. */
interface EarlierSession {
  readonly registrationId: number;
  readonly currentRatchet: {
    readonly ephemeralKeyPair: { readonly pubKey: string; readonly privKey: string };
    readonly previousCounter: number;
    readonly rootKey: string;
  };
  readonly indexInfo: { readonly baseKey: string; readonly closed: number; readonly remoteIdentityKey: string };
  readonly _chains: Readonly<Record<string, EarlierChain>>;
  readonly pendingPreKey?: { readonly baseKey: string; readonly signedKeyId: number; readonly preKeyId?: number };
}

interface EarlierChain {
  /** `counter` is -1 before the first step. */
  readonly chainKey: { readonly counter: number; readonly key?: string };
  readonly messageKeys: Readonly<Record<string, string>>;
}

export interface EarlierRecord {
  readonly _sessions: Readonly<Record<string, EarlierSession>>;
}

export interface Own {
  readonly identity: Uint8Array;
  readonly registrationId: number;
}

const OPEN = -1;
const VERSION = 3;

export function fromEarlier({ _sessions }: EarlierRecord, own: Own): Uint8Array {
  const sessions = Object.values(_sessions).toSorted((a, b) => age(a) - age(b));
  return written(...sessions.map((session): Part => [session.indexInfo.closed === OPEN ? 1 : 2, sessionOf(session, own)]));
}

const age = ({ indexInfo: { closed } }: EarlierSession): number => (closed === OPEN ? Number.NEGATIVE_INFINITY : -closed);

function sessionOf({ registrationId, currentRatchet, indexInfo, _chains, pendingPreKey }: EarlierSession, own: Own): Uint8Array {
  const { pubKey, privKey } = currentRatchet.ephemeralKeyPair;
  const receiving = Object.entries(_chains).filter(([key]) => key !== pubKey);
  const sending = _chains[pubKey];
  return written(
    [1, VERSION],
    [2, own.identity],
    [3, bytes(indexInfo.remoteIdentityKey)],
    [4, bytes(currentRatchet.rootKey)],
    [5, Math.max(0, currentRatchet.previousCounter)],
    ...(sending ? [[6, chainOf(pubKey, bytes(privKey), sending)] as const] : []),
    // Closed chains are dropped. A late message for such a chain is requested again from its author.
    ...receiving.filter(([, { chainKey }]) => chainKey.key).map(([key, chain]): Part => [7, chainOf(key, NONE, chain)]),
    ...(pendingPreKey ? [[9, pendingOf(pendingPreKey)] as const] : []),
    [10, registrationId],
    [11, own.registrationId],
    [13, bytes(indexInfo.baseKey)],
  );
}

const NONE = new Uint8Array();

function chainOf(ratchetKey: string, privateKey: Uint8Array, { chainKey, messageKeys }: EarlierChain): Uint8Array {
  const passed = Object.entries(messageKeys).map(([index, seed]): Part => [4, messageKeyOf(Number(index), bytes(seed))]);
  return written(
    [1, bytes(ratchetKey)],
    [2, privateKey],
    [3, written([1, chainKey.counter + 1], [2, bytes(chainKey.key ?? '')])],
    ...passed,
  );
}

function messageKeyOf(index: number, seed: Uint8Array): Uint8Array {
  const keys = seed.length === EXPANDED_BYTES ? seed : expanded(seed);
  return written([1, index], [2, keys.subarray(0, 32)], [3, keys.subarray(32, 64)], [4, keys.subarray(64)]);
}

/** The keys of a session that came from another program are already derived. */
const EXPANDED_BYTES = 80;

const expanded = (seed: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', seed, new Uint8Array(32), 'WhisperMessageKeys', EXPANDED_BYTES));

function pendingOf({ preKeyId, baseKey, signedKeyId }: NonNullable<EarlierSession['pendingPreKey']>): Uint8Array {
  return written(...(preKeyId ? [[1, preKeyId] as const] : []), [2, bytes(baseKey)], [3, signedKeyId]);
}

const bytes = (base64: string): Uint8Array => Buffer.from(base64, 'base64');
