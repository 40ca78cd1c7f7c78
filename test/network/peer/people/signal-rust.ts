import {
  GroupCipher,
  GroupSessionBuilder,
  ProtocolAddress,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SessionBuilder,
  SessionCipher,
  type SignalStorage,
} from 'whatsapp-rust-bridge';
import { typed } from '../curve.ts';
import type { Bundle, DeviceKeys, OneTimeKeys, Sealed, SignalAddress, SignalSide } from './signal.ts';

const PRE_KEY_MESSAGE = 3;

const addressOf = ({ user, device }: SignalAddress): ProtocolAddress => new ProtocolAddress(user, device);

/** Signal in Rust. One thing at a time: its sessions are read, changed and written back. */
export function rustSide(keys: DeviceKeys, oneTime: OneTimeKeys): SignalSide {
  const sessions = new Map<string, Uint8Array>();
  const groups = new Map<string, Uint8Array>();
  const storage = storageOf(keys, oneTime, sessions, groups);
  const inTurn = makeTurns();
  const cipher = (with_: SignalAddress): SessionCipher => new SessionCipher(storage, addressOf(with_));
  return {
    hasSession: async (with_) => sessions.has(addressOf(with_).toString()),
    startSession: (with_, bundle) => inTurn(() => new SessionBuilder(storage, addressOf(with_)).initOutgoing(inputOf(bundle))),
    endSession: async (with_) => void sessions.delete(addressOf(with_).toString()),
    encrypt: (to, plain) => inTurn(async () => sealedOf(await cipher(to).encrypt(plain))),
    decrypt: (from, sealed) => inTurn(async () => Buffer.from(await opened(cipher(from), sealed))),
    encryptGroup: (group, own, plain) =>
      inTurn(async () => {
        const distribution = (await new GroupSessionBuilder(storage).create(new SenderKeyName(group, addressOf(own)))).serialize();
        const ciphertext = await new GroupCipher(storage, group, addressOf(own)).encrypt(plain);
        return { ciphertext: Buffer.from(ciphertext), distribution: Buffer.from(distribution) };
      }),
    learnGroup: (group, author, distribution) =>
      inTurn(() => {
        const message = SenderKeyDistributionMessage.deserialize(distribution);
        return new GroupSessionBuilder(storage).process(new SenderKeyName(group, addressOf(author)), message);
      }),
    decryptGroup: (group, author, ciphertext) =>
      inTurn(async () => Buffer.from(await new GroupCipher(storage, group, addressOf(author)).decrypt(ciphertext))),
    forgetGroups: () => groups.clear(),
  };
}

function storageOf(
  keys: DeviceKeys,
  oneTime: OneTimeKeys,
  sessions: Map<string, Uint8Array>,
  groups: Map<string, Uint8Array>,
): SignalStorage {
  const { signedPreKey, identity } = keys;
  const pair = { pubKey: typed(signedPreKey.public), privKey: signedPreKey.private };
  return {
    loadSession: (address) => sessions.get(address),
    storeSession: (address, record) => void sessions.set(address, record.serialize()),
    getOurIdentity: () => ({ pubKey: typed(identity.public), privKey: identity.private }),
    getOurRegistrationId: () => keys.registrationId,
    isTrustedIdentity: () => true,
    loadPreKey: (id) => {
      const own = oneTime.take(id);
      return own && { pubKey: typed(own.public), privKey: own.private };
    },
    removePreKey: (id) => oneTime.drop(id),
    loadSignedPreKey: () => ({ keyId: signedPreKey.id, keyPair: pair, signature: signedPreKey.signature }),
    loadSenderKey: (name) => groups.get(name),
    storeSenderKey: (name, record) => void groups.set(name, record),
  };
}

const inputOf = ({ registrationId, identity, signedPreKey, preKey }: Bundle) => ({
  registrationId,
  identityKey: typed(identity),
  signedPreKey: { keyId: signedPreKey.id, publicKey: typed(signedPreKey.public), signature: signedPreKey.signature },
  ...(preKey && { preKey: { keyId: preKey.id, publicKey: typed(preKey.public) } }),
});

const sealedOf = ({ type, body }: { type: number; body: Uint8Array }): Sealed => ({
  type: type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg',
  ciphertext: Buffer.from(body),
});

const opened = (cipher: SessionCipher, { type, ciphertext }: Sealed): Promise<Uint8Array> =>
  type === 'pkmsg' ? cipher.decryptPreKeyWhisperMessage(ciphertext) : cipher.decryptWhisperMessage(ciphertext);

function makeTurns(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  };
}
