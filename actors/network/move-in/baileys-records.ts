import { isRecord, memberOf } from '../../../runtime/shapes.ts';
import { bytesWithin, countOf, credsOf, keyPairOf, type MovedCreds } from './baileys-creds.ts';
import { bytesOf } from './revive.ts';

/**
 * Defines the valid ids for each kind of secret that Baileys stores with a login, and the parts of
 * each value that are kept.
 */

interface RecordKind {
  readonly id: RegExp;
  read(value: unknown): unknown;
}

/** How a format's records are checked and read. */
export interface LoginParts {
  readonly kinds: Readonly<Record<string, RecordKind>>;
  credsOf(value: unknown): MovedCreds | null;
}

const MAX_SESSIONS = 64;
const MAX_CHAINS = 64;
const MAX_STEPS = 4_096;
const MAX_STATES = 16;
/** A seed from which the cipher key, the authentication key and the IV are already derived. */
const EXPANDED_BYTES = 80;
const MAX_HOLDERS = 10_000;
const BASE64_KEY = /^[A-Za-z0-9+/]{42,44}={0,2}$/;
const JID = String.raw`[\w.:-]{1,64}@[a-z.]{1,24}`;

export const BAILEYS_KINDS: Readonly<Record<string, RecordKind>> = {
  session: { id: /^\d{1,20}(?:_\d{1,3})?\.\d{1,5}$/, read: sessionOf },
  'sender-key': { id: /^[\w.-]{1,64}@[a-z.]{1,24}::\d{1,20}(?:_\d{1,3})?::\d{1,5}$/, read: senderKeyOf },
  'sender-key-memory': { id: new RegExp(`^${JID}$`), read: holdersOf },
  'pre-key': { id: /^\d{1,8}$/, read: keyPairOf },
  'lid-mapping': { id: /^\d{5,20}(?:_reverse)?$/, read: digitsOf },
  tctoken: { id: new RegExp(`^${JID}$`), read: tokenOf },
  'app-state-sync-key': { id: /^[A-Za-z0-9+/=_-]{1,64}$/, read: syncKeyOf },
  'device-list': { id: /^\d{1,20}$/, read: devicesOf },
};

export const BAILEYS: LoginParts = { kinds: BAILEYS_KINDS, credsOf };

export const IGNORED_KINDS: ReadonlySet<string> = new Set([
  ...['app-state-sync-version', 'identity-key'],
  ...[
    'inbound',
    'own-phone',
    'history',
    'absent',
    'spread',
    'roster',
    'early-receipts',
    'mapping',
    'devices',
    'nct-salt',
    'person-form',
    'dialled',
  ],
  ...['labels', 'label-facts', 'chat-marks', 'chat-mark-events', 'address-book', 'address-book-events'],
]);

/** The library stores a session as JSON with base64 bytes (signal/earlier.ts converts it). */
function sessionOf(value: unknown): unknown {
  const sessions = memberOf(value, '_sessions');
  if (!isRecord(sessions)) return null;
  const entries = Object.entries(sessions);
  if (entries.length === 0 || entries.length > MAX_SESSIONS) return null;
  const read = entries.flatMap(([baseKey, one]) => {
    const session = oneSession(one);
    return session && BASE64_KEY.test(baseKey) ? [[baseKey, session] as const] : [];
  });
  return read.length === entries.length ? { _sessions: Object.fromEntries(read), version: 'v1' } : null;
}

function oneSession(value: unknown) {
  const [ratchet, info] = [memberOf(value, 'currentRatchet'), memberOf(value, 'indexInfo')];
  const pair = memberOf(ratchet, 'ephemeralKeyPair');
  const [pubKey, privKey, rootKey] = [
    keyText(memberOf(pair, 'pubKey')),
    keyText(memberOf(pair, 'privKey')),
    keyText(memberOf(ratchet, 'rootKey')),
  ];
  const [baseKey, remoteIdentityKey] = [keyText(memberOf(info, 'baseKey')), keyText(memberOf(info, 'remoteIdentityKey'))];
  const registrationId = countOf(memberOf(value, 'registrationId') ?? 0);
  const closed = memberOf(info, 'closed');
  const chains = chainsOf(memberOf(value, '_chains'));
  const pending = pendingOf(memberOf(value, 'pendingPreKey'));
  if (!pubKey || !privKey || !rootKey || !baseKey || !remoteIdentityKey || registrationId === null || !chains || pending === null)
    return null;
  if (typeof closed !== 'number' || !Number.isSafeInteger(closed)) return null;
  const previousCounter = countOf(memberOf(ratchet, 'previousCounter')) ?? 0;
  return {
    registrationId,
    currentRatchet: { ephemeralKeyPair: { pubKey, privKey }, previousCounter, rootKey },
    indexInfo: { baseKey, closed, remoteIdentityKey },
    _chains: chains,
    ...(pending && { pendingPreKey: pending }),
  };
}

function keyText(value: unknown): string | null {
  const bytes = bytesOf(value);
  return bytes && (bytes.length === 32 || bytes.length === 33) ? Buffer.from(bytes).toString('base64') : null;
}

function seedText(value: unknown): string | null {
  const bytes = bytesOf(value);
  return bytes?.length === EXPANDED_BYTES ? Buffer.from(bytes).toString('base64') : keyText(value);
}

function chainsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (!isRecord(value)) return null;
  const entries = Object.entries(value);
  if (entries.length > MAX_CHAINS) return null;
  const read = entries.flatMap(([key, chain]) => {
    const one = chainOf(chain);
    return one && BASE64_KEY.test(key) ? [[key, one] as const] : [];
  });
  return read.length === entries.length ? Object.fromEntries(read) : null;
}

function chainOf(value: unknown) {
  const chainKey = memberOf(value, 'chainKey');
  const counter = memberOf(chainKey, 'counter');
  if (typeof counter !== 'number' || !Number.isInteger(counter) || counter < -1 || counter > 2 ** 32) return null;
  const given = memberOf(chainKey, 'key');
  const key = given === undefined || given === null ? undefined : keyText(given);
  if (key === null) return null;
  const steps = Object.entries(memberOf(value, 'messageKeys') ?? {});
  if (steps.length > MAX_STEPS) return null;
  const seeds = steps.flatMap(([step, seed]) => {
    const text = seedText(seed);
    return /^\d{1,10}$/.test(step) && text ? [[step, text] as const] : [];
  });
  return seeds.length === steps.length ? { chainKey: { counter, ...(key && { key }) }, messageKeys: Object.fromEntries(seeds) } : null;
}

/** Returns undefined if the value is missing, and null if it is invalid. */
function pendingOf(value: unknown) {
  if (value === undefined || value === null) return undefined;
  const [baseKey, signedKeyId] = [keyText(memberOf(value, 'baseKey')), countOf(memberOf(value, 'signedKeyId'))];
  const preKeyId = countOf(memberOf(value, 'preKeyId'));
  return baseKey && signedKeyId !== null ? { baseKey, signedKeyId, ...(preKeyId !== null && { preKeyId }) } : null;
}

function senderKeyOf(value: unknown): Uint8Array | null {
  const states = value instanceof Uint8Array ? listIn(value) : value;
  if (!Array.isArray(states) || states.length === 0 || states.length > MAX_STATES) return null;
  const read = states.flatMap((state) => stateOf(state) ?? []);
  return read.length === states.length ? Buffer.from(JSON.stringify(read)) : null;
}

function listIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return null;
  }
}

const inside = (bytes: Uint8Array) => ({ type: 'Buffer', data: Buffer.from(bytes).toString('base64') });

function innerBytes(value: unknown, most: number): Uint8Array | null {
  if (value instanceof Uint8Array || typeof value === 'string') return bytesWithin(value, most);
  const data = memberOf(value, 'data') ?? (isRecord(value) ? Object.values(value) : null);
  if (typeof data === 'string') return bytesWithin(data, most);
  const isBytes = Array.isArray(data) && data.length <= most && data.every((one) => countOf(one, 255) !== null);
  return isBytes && data.length > 0 ? Uint8Array.from(data) : null;
}

function stateOf(value: unknown) {
  const senderKeyId = countOf(memberOf(value, 'senderKeyId'));
  const [chain, signing] = [memberOf(value, 'senderChainKey'), memberOf(value, 'senderSigningKey')];
  const [iteration, seed] = [countOf(memberOf(chain, 'iteration')), innerBytes(memberOf(chain, 'seed'), 32)];
  const open = innerBytes(memberOf(signing, 'public'), 33);
  const own = innerBytes(memberOf(signing, 'private'), 64);
  const passed = memberOf(value, 'senderMessageKeys') ?? [];
  if (senderKeyId === null || iteration === null || seed?.length !== 32 || !open || open.length < 32 || !Array.isArray(passed)) return null;
  if (passed.length > MAX_STEPS) return null;
  const steps = passed.flatMap((step) => {
    const [at, one] = [countOf(memberOf(step, 'iteration')), innerBytes(memberOf(step, 'seed'), 32)];
    return at !== null && one ? [{ iteration: at, seed: inside(one) }] : [];
  });
  if (steps.length !== passed.length) return null;
  return {
    senderKeyId,
    senderChainKey: { iteration, seed: inside(seed) },
    senderSigningKey: { public: inside(open), ...(own ? { private: inside(own) } : {}) },
    senderMessageKeys: steps,
  };
}

function holdersOf(value: unknown): Readonly<Record<string, boolean>> | null {
  if (!isRecord(value) || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  const isSound =
    entries.length <= MAX_HOLDERS && entries.every(([jid, has]) => /^[\w.:-]{1,64}@[a-z.]{1,24}$/.test(jid) && typeof has === 'boolean');
  return isSound ? Object.fromEntries(entries.map(([jid, has]) => [jid, has === true])) : null;
}

function digitsOf(value: unknown): string | null {
  return typeof value === 'string' && /^\d{5,20}$/.test(value) ? value : null;
}

function tokenOf(value: unknown) {
  const token = bytesWithin(memberOf(value, 'token'), 1_024);
  const [timestamp, senderTimestamp] = [secondsOf(memberOf(value, 'timestamp')), secondsOf(memberOf(value, 'senderTimestamp'))];
  if (!token) return null;
  return { token, ...(timestamp && { timestamp }), ...(senderTimestamp && { senderTimestamp: Number(senderTimestamp) }) };
}

const secondsOf = (value: unknown): string | null => (/^\d{1,13}$/.test(String(value)) ? String(value) : null);

function syncKeyOf(value: unknown) {
  const keyData = bytesWithin(memberOf(value, 'keyData'), 64);
  const fingerprint = memberOf(value, 'fingerprint');
  const timestamp = secondsOf(memberOf(value, 'timestamp'));
  const [rawId, currentIndex] = [countOf(memberOf(fingerprint, 'rawId')), countOf(memberOf(fingerprint, 'currentIndex'))];
  const indexes = memberOf(fingerprint, 'deviceIndexes');
  const deviceIndexes = Array.isArray(indexes) ? indexes.slice(0, 64).flatMap((one) => countOf(one) ?? []) : [];
  if (!keyData) return null;
  return {
    keyData,
    fingerprint: { ...(rawId !== null && { rawId }), ...(currentIndex !== null && { currentIndex }), deviceIndexes },
    ...(timestamp && { timestamp }),
  };
}

function devicesOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length > 100) return null;
  const devices = value.map(String);
  return devices.every((one) => /^\d{1,5}$/.test(one)) ? devices : null;
}
