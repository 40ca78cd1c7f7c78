import {
  addTransactionCapability,
  DEFAULT_CONNECTION_CONFIG,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys';
import pino from 'pino';
import { typed } from '../curve.ts';
import type { DeviceKeys, OneTimeKeys, SignalAddress, SignalSide } from './signal.ts';

const SILENT = pino({ level: 'silent' });
const TRANSACTIONS = { maxCommitRetries: 1, delayBetweenTriesMs: 0 };

const jidOf = ({ user, device }: SignalAddress): string => `${user}:${device}@s.whatsapp.net`;

/** Signal from the client library, so both ends run the same code. */
export function librarySide(keys: DeviceKeys, oneTime: OneTimeKeys): SignalSide {
  const kept = new Map<string, unknown>();
  const store = addTransactionCapability(storeOf(kept, oneTime), SILENT, TRANSACTIONS);
  const signal = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: credsOf(keys), keys: store }, SILENT);
  return {
    hasSession: async (with_) => (await signal.validateSession(jidOf(with_))).exists,
    startSession: (with_, { registrationId, identity, signedPreKey, preKey }) =>
      signal.injectE2ESession({
        jid: jidOf(with_),
        session: {
          registrationId,
          identityKey: typed(identity),
          signedPreKey: { keyId: signedPreKey.id, publicKey: typed(signedPreKey.public), signature: signedPreKey.signature },
          ...(preKey && { preKey: { keyId: preKey.id, publicKey: typed(preKey.public) } }),
        },
      }),
    endSession: (with_) => signal.deleteSession([jidOf(with_)]),
    encrypt: async (to, data) => {
      const { type, ciphertext } = await signal.encryptMessage({ jid: jidOf(to), data });
      return { type, ciphertext: Buffer.from(ciphertext) };
    },
    decrypt: async (from, sealed) => Buffer.from(await signal.decryptMessage({ jid: jidOf(from), ...sealed })),
    encryptGroup: async (group, own, data) => {
      const { ciphertext, senderKeyDistributionMessage } = await signal.encryptGroupMessage({ group, data, meId: jidOf(own) });
      return { ciphertext: Buffer.from(ciphertext), distribution: Buffer.from(senderKeyDistributionMessage) };
    },
    learnGroup: (groupId, author, axolotlSenderKeyDistributionMessage) =>
      signal.processSenderKeyDistributionMessage({ authorJid: jidOf(author), item: { groupId, axolotlSenderKeyDistributionMessage } }),
    decryptGroup: async (group, author, msg) => Buffer.from(await signal.decryptGroupMessage({ group, authorJid: jidOf(author), msg })),
    forgetGroups: () => {
      for (const name of kept.keys()) if (name.startsWith('sender-key/')) kept.delete(name);
    },
  };
}

function credsOf({ identity, signedPreKey, registrationId }: DeviceKeys) {
  const { signature, id } = signedPreKey;
  const keyPair = { public: signedPreKey.public, private: signedPreKey.private };
  return { ...initAuthCreds(), signedIdentityKey: identity, signedPreKey: { keyPair, signature, keyId: id }, registrationId };
}

function storeOf(kept: Map<string, unknown>, oneTime: OneTimeKeys): SignalKeyStore {
  return {
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
      const value = (id: string): unknown => (type === 'pre-key' ? oneTime.take(Number(id)) : kept.get(`${type}/${id}`));
      const found = ids.map((id) => [id, value(id)] as const).filter(([, each]) => each !== undefined && each !== null);
      return Object.fromEntries(found) as Record<string, SignalDataTypeMap[T]>;
    },
    set: async (data: SignalDataSet) => {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) {
          if (value) kept.set(`${type}/${id}`, value);
          else if (type === 'pre-key') oneTime.drop(Number(id));
          else kept.delete(`${type}/${id}`);
        }
      }
    },
  };
}
