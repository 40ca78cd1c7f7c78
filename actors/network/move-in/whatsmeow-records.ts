import { createPrivateKey, createPublicKey } from 'node:crypto';
import { memberOf } from '../../../runtime/shapes.ts';
import { credsOf, type KeyPair, type MovedCreds } from './baileys-creds.ts';
import { BAILEYS_KINDS, type LoginParts } from './baileys-records.ts';
import { bytesOf, parsed } from './revive.ts';

/**
 * Translates the rows of whatsmeow's tables into the values that Baileys stores, which then pass the same checks.
 * whatsmeow stores private keys only, and its sessions and group keys as JSON with base64 bytes.
 */

const PKCS8_X25519 = Buffer.from('302e020100300506032b656e04220420', 'hex');
const KEY_BYTES = 32;
const TYPE = 5;
const OPEN = -1;
/** whatsmeow writes a counter below zero as this number. */
const BELOW_ZERO = 2 ** 32 - 1;

/** The ids are those of Baileys. Mappings, tokens and keys of settings have the same values, too. */
export const WHATSMEOW: LoginParts = {
  kinds: {
    ...BAILEYS_KINDS,
    session: translated('session', (value) => sessionOf(structOf(value))),
    'sender-key': translated('sender-key', (value) => statesOf(structOf(value))),
    'pre-key': translated('pre-key', pairOf),
  },
  credsOf: (row) => (numberAt(row, 'next_pre_key_id') > 0 ? credsOf(deviceOf(row)) : null),
};

function translated(kind: string, translate: (value: unknown) => unknown) {
  const known = BAILEYS_KINDS[kind];
  if (!known) throw new Error(`no kind ${kind}`);
  return { id: known.id, read: (value: unknown) => known.read(translate(value)) };
}

function structOf(value: unknown): unknown {
  return value instanceof Uint8Array ? parsed(Buffer.from(value).toString()) : value;
}

function deviceOf(row: unknown): Readonly<Record<keyof MovedCreds, unknown>> {
  const own = bytesOf(memberOf(row, 'adv_account_sig_key'));
  const id = memberOf(row, 'jid');
  return {
    noiseKey: pairOf(memberOf(row, 'noise_key')),
    signedIdentityKey: pairOf(memberOf(row, 'identity_key')),
    signedPreKey: {
      keyPair: pairOf(memberOf(row, 'signed_pre_key')),
      signature: memberOf(row, 'signed_pre_key_sig'),
      keyId: memberOf(row, 'signed_pre_key_id'),
    },
    registrationId: memberOf(row, 'registration_id'),
    advSecretKey: textOf(memberOf(row, 'adv_key')),
    me: { id, lid: memberOf(row, 'lid') || undefined, name: memberOf(row, 'push_name') || undefined },
    account: {
      details: memberOf(row, 'adv_details'),
      accountSignatureKey: own,
      accountSignature: memberOf(row, 'adv_account_sig'),
      deviceSignature: memberOf(row, 'adv_device_sig'),
    },
    signalIdentities: own ? [{ identifier: { name: id, deviceId: 0 }, identifierKey: Buffer.from([TYPE, ...own]) }] : [],
    nextPreKeyId: memberOf(row, 'next_pre_key_id'),
    firstUnuploadedPreKeyId: memberOf(row, 'first_unuploaded_pre_key_id'),
    myAppStateKeyId: memberOf(row, 'app_state_key_id'),
    platform: memberOf(row, 'platform'),
  };
}

function pairOf(value: unknown): KeyPair | null {
  const secret = bytesOf(value);
  if (secret?.length !== KEY_BYTES) return null;
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_X25519, secret]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { public: Buffer.from(x, 'base64url'), private: secret };
}

/** The open session is the newest. Former ones follow, the newest first. */
function sessionOf(record: unknown) {
  const former = listAt(record, 'PreviousStates');
  const states = [
    { state: memberOf(record, 'SessionState'), closed: OPEN },
    ...former.map((state, nth) => ({ state, closed: former.length - nth })),
  ];
  const complete = states.filter(({ state }) => textAt(state, 'RootKey') !== '');
  return {
    _sessions: Object.fromEntries(complete.map(({ state, closed }) => [textAt(state, 'SenderBaseKey'), stateOf(state, closed)])),
  };
}

function stateOf(state: unknown, closed: number) {
  const sender = memberOf(state, 'SenderChain');
  const previous = numberAt(state, 'PreviousCounter');
  const pending = memberOf(state, 'PendingPreKey');
  const preKey = memberOf(pending, 'PreKeyID');
  return {
    registrationId: memberOf(state, 'RemoteRegistrationID'),
    currentRatchet: {
      ephemeralKeyPair: { pubKey: memberOf(sender, 'SenderRatchetKeyPublic'), privKey: memberOf(sender, 'SenderRatchetKeyPrivate') },
      previousCounter: previous === BELOW_ZERO ? 0 : previous,
      rootKey: memberOf(state, 'RootKey'),
    },
    indexInfo: { baseKey: memberOf(state, 'SenderBaseKey'), closed, remoteIdentityKey: memberOf(state, 'RemoteIdentityPublic') },
    _chains: Object.fromEntries([sender, ...listAt(state, 'ReceiverChains')].map(chainOf)),
    ...(pending !== null && {
      pendingPreKey: {
        baseKey: memberOf(pending, 'BaseKey'),
        signedKeyId: memberOf(pending, 'SignedPreKeyID'),
        ...(memberOf(preKey, 'IsEmpty') === false && { preKeyId: memberOf(preKey, 'Value') }),
      },
    }),
  };
}

function chainOf(chain: unknown) {
  const next = memberOf(chain, 'ChainKey');
  const passed = listAt(chain, 'MessageKeys').map((keys) => {
    const parts = ['CipherKey', 'MacKey', 'IV'].map((name) => bytesOf(memberOf(keys, name)) ?? new Uint8Array());
    return [numberAt(keys, 'Index'), textOf(Buffer.concat(parts))] as const;
  });
  const chainKey = { counter: numberAt(next, 'Index') - 1, key: memberOf(next, 'Key') };
  return [textAt(chain, 'SenderRatchetKeyPublic'), { chainKey, messageKeys: Object.fromEntries(passed) }] as const;
}

/** Baileys stores the newest state last, whatsmeow first. Private keys of other people are zeros. */
function statesOf(record: unknown) {
  return listAt(record, 'SenderKeyStates')
    .toReversed()
    .map((state) => {
      const [chain, secret] = [memberOf(state, 'SenderChainKey'), bytesOf(memberOf(state, 'SigningKeyPrivate'))];
      return {
        senderKeyId: memberOf(state, 'KeyID'),
        senderChainKey: { iteration: memberOf(chain, 'Iteration'), seed: memberOf(chain, 'ChainKey') },
        senderSigningKey: { public: memberOf(state, 'SigningKeyPublic'), ...(secret?.some((byte) => byte !== 0) && { private: secret }) },
        senderMessageKeys: listAt(state, 'Keys').map((key) => ({
          iteration: memberOf(key, 'Iteration'),
          seed: memberOf(key, 'Seed'),
        })),
      };
    });
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

function textAt(value: unknown, name: string): string {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
}

function numberAt(value: unknown, name: string): number {
  const number = memberOf(value, name);
  return typeof number === 'number' ? number : Number.NaN;
}

const textOf = (value: unknown): string | undefined => {
  const bytes = bytesOf(value);
  return bytes === null ? undefined : Buffer.from(bytes).toString('base64');
};
