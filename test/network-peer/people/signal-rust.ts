import {
  GroupCipher,
  GroupSessionBuilder,
  ProtocolAddress,
  SenderKeyDistributionMessage,
  SenderKeyName,
  type SignalStorage,
} from 'whatsapp-rust-bridge';
import { RustSessions } from './rust-sessions.ts';
import type { DeviceKeys, OneTimeKeys, SignalAddress, SignalSide } from './signal.ts';

const addressOf = ({ user, device }: SignalAddress): ProtocolAddress => new ProtocolAddress(user, device);

/** Signal in Rust. Operations run one at a time, because each reads, changes and writes back the sessions. */
export function rustSide(keys: DeviceKeys, oneTime: OneTimeKeys): SignalSide {
  const sessions = new RustSessions(keys, oneTime);
  const groups = new Map<string, Uint8Array>();
  const storage = storageOf(groups);
  const inTurn = makeTurns();
  return {
    hasSession: async (with_) => sessions.has(addressOf(with_)),
    startSession: (with_, bundle) => inTurn(() => sessions.start(addressOf(with_), bundle)),
    endSession: async (with_) => sessions.end(addressOf(with_)),
    encrypt: (to, plain) => inTurn(() => sessions.seal(addressOf(to), plain)),
    decrypt: (from, sealed) => inTurn(() => sessions.open(addressOf(from), sealed)),
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

/** Storage for groups, which do not use sessions. */
function storageOf(groups: Map<string, Uint8Array>): SignalStorage {
  const nothing = (): never => {
    throw new Error('a group needs no such key');
  };
  return {
    loadSession: () => null,
    storeSession: nothing,
    getOurIdentity: nothing,
    getOurRegistrationId: nothing,
    isTrustedIdentity: () => true,
    loadPreKey: nothing,
    removePreKey: nothing,
    loadSignedPreKey: nothing,
    loadSenderKey: (name) => groups.get(name),
    storeSenderKey: (name, record) => void groups.set(name, record),
  };
}

function makeTurns(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  };
}
