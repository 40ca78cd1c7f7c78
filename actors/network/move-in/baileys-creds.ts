import { isRecord, memberOf } from '../../../runtime/shapes.ts';
import { bytesOf } from './revive.ts';

/** The login itself (`creds`) as Baileys stores it. Keeps only the fields that a driver reads. */

export interface SignedAccount {
  readonly details: Uint8Array;
  readonly accountSignatureKey?: Uint8Array;
  readonly accountSignature?: Uint8Array;
  readonly deviceSignature?: Uint8Array;
}

export interface KeyPair {
  readonly public: Uint8Array;
  readonly private: Uint8Array;
}

export interface MovedCreds {
  readonly noiseKey: KeyPair;
  readonly signedIdentityKey: KeyPair;
  readonly me: { readonly id: string; readonly lid?: string; readonly name?: string };
  readonly account: SignedAccount;
  readonly [field: string]: unknown;
}

const KEY_BYTES = 32;
const TYPED_BYTES = 33;
const SIGNATURE_BYTES = 64;
const MAX_TEXT = 256;
const MAX_BYTES = 4_096;
const ME = /^[1-9]\d{4,19}(?::\d{1,5})?@s\.whatsapp\.net$/;
const LID = /^\d{5,20}(?::\d{1,5})?@lid$/;

export const bytesWithin = (value: unknown, most: number): Uint8Array | null => {
  const bytes = bytesOf(value);
  return bytes && bytes.length > 0 && bytes.length <= most ? bytes : null;
};

const exactly = (value: unknown, length: number): Uint8Array | null => {
  const bytes = bytesOf(value);
  return bytes?.length === length ? bytes : null;
};

function publicKey(value: unknown): Uint8Array | null {
  const typed = exactly(value, TYPED_BYTES);
  return typed ? typed.subarray(1) : exactly(value, KEY_BYTES);
}

export function keyPairOf(value: unknown): KeyPair | null {
  const [open, secret] = [publicKey(memberOf(value, 'public')), exactly(memberOf(value, 'private'), KEY_BYTES)];
  return open && secret ? { public: open, private: secret } : null;
}

export const countOf = (value: unknown, most = 2 ** 32 - 1): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most ? value : null;

const textOf = (value: unknown, most = MAX_TEXT): string | null =>
  typeof value === 'string' && value.length > 0 && value.length <= most ? value : null;

export function meOf(value: unknown): MovedCreds['me'] | null {
  const [id, lid, name] = [textOf(memberOf(value, 'id')), textOf(memberOf(value, 'lid')), textOf(memberOf(value, 'name'))];
  if (id === null || !ME.test(id)) return null;
  if (lid !== null && !LID.test(lid)) return null;
  return { id, ...(lid !== null && { lid }), ...(name !== null && { name }) };
}

export function accountOf(value: unknown): SignedAccount | null {
  const within = (name: keyof SignedAccount): Uint8Array | null => bytesWithin(memberOf(value, name), MAX_BYTES);
  const [details, accountSignatureKey, accountSignature, deviceSignature] = [
    within('details'),
    within('accountSignatureKey'),
    within('accountSignature'),
    within('deviceSignature'),
  ];
  if (!details) return null;
  return {
    details,
    ...(accountSignatureKey && { accountSignatureKey }),
    ...(accountSignature && { accountSignature }),
    ...(deviceSignature && { deviceSignature }),
  };
}

function signedPreKeyOf(value: unknown) {
  const keyPair = keyPairOf(memberOf(value, 'keyPair'));
  const signature = exactly(memberOf(value, 'signature'), SIGNATURE_BYTES);
  const keyId = countOf(memberOf(value, 'keyId'));
  return keyPair && signature && keyId !== null ? { keyPair, signature, keyId } : null;
}

export function credsOf(value: unknown): MovedCreds | null {
  if (!isRecord(value)) return null;
  const [me, account] = [meOf(value['me']), accountOf(value['account'])];
  const [noiseKey, signedIdentityKey] = [keyPairOf(value['noiseKey']), keyPairOf(value['signedIdentityKey'])];
  const signedPreKey = signedPreKeyOf(value['signedPreKey']);
  const registrationId = countOf(value['registrationId']);
  const advSecretKey = textOf(value['advSecretKey']);
  if (!me || !account || !noiseKey || !signedIdentityKey || !signedPreKey || registrationId === null || advSecretKey === null) return null;
  const next = countOf(value['nextPreKeyId']) ?? 1;
  const myAppStateKeyId = textOf(value['myAppStateKeyId']);
  const routingInfo = bytesWithin(value['routingInfo'], MAX_BYTES);
  return {
    ...{ noiseKey, signedIdentityKey, signedPreKey, registrationId, advSecretKey, me, account },
    pairingEphemeralKeyPair: keyPairOf(value['pairingEphemeralKeyPair']) ?? noiseKey,
    signalIdentities: identitiesOf(value['signalIdentities']),
    nextPreKeyId: next,
    firstUnuploadedPreKeyId: Math.min(countOf(value['firstUnuploadedPreKeyId']) ?? next, next),
    accountSyncCounter: countOf(value['accountSyncCounter']) ?? 0,
    accountSettings: { unarchiveChats: memberOf(value['accountSettings'], 'unarchiveChats') === true },
    processedHistoryMessages: [],
    // Some versions store false after linking by QR, which would make the library try to link again.
    registered: true,
    platform: textOf(value['platform']) ?? 'unknown',
    // Without this flag, the secrets would be treated as leftovers of an interrupted link.
    isUsed: true,
    ...(myAppStateKeyId !== null && { myAppStateKeyId }),
    ...(routingInfo && { routingInfo }),
  };
}

function identitiesOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 8).flatMap((one) => {
    const [name, deviceId] = [
      textOf(memberOf(memberOf(one, 'identifier'), 'name')),
      countOf(memberOf(memberOf(one, 'identifier'), 'deviceId')),
    ];
    const identifierKey = bytesWithin(memberOf(one, 'identifierKey'), TYPED_BYTES);
    return name !== null && deviceId !== null && identifierKey ? [{ identifier: { name, deviceId }, identifierKey }] : [];
  });
}

const TIMESTAMP_FIELD = 0x10;

/** Returns when the phone was linked (field 2 of `account.details`). Null if missing or in the future. */
export function linkedAtIn(details: Uint8Array, now: number): number | null {
  for (let at = 0; at < details.length; ) {
    const tag = details[at];
    const [value, after] = varint(details, at + 1);
    if (tag === TIMESTAMP_FIELD) return value > 1_300_000_000 && value * 1_000 <= now ? value * 1_000 : null;
    if (tag === undefined || (tag & 7) > 2 || (tag & 7) === 1 || after < 0) return null;
    at = (tag & 7) === 2 ? after + value : after;
  }
  return null;
}

function varint(bytes: Uint8Array, from: number): readonly [value: number, after: number] {
  let value = 0;
  for (let place = 0; place < 8; place += 1) {
    const byte = bytes[from + place];
    if (byte === undefined) return [0, -1];
    value += (byte & 127) * 128 ** place;
    if (byte < 128) return [value, from + place + 1];
  }
  return [0, -1];
}
