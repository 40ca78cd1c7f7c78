import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore, SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys';
import type { AuthenticationCreds } from '../library.ts';
import { decode, encode } from './codec.ts';
import type { CredentialBuffer } from './credential-buffer.ts';
import { KEY_HOLDERS, type KeyHolders } from './key-holders.ts';
import type { SecretKind, SecretsById } from './secret-kind.ts';

type Kind = keyof SignalDataTypeMap;

/** Kinds of values that the library never modifies in place. */
const UNCHANGING: ReadonlySet<string> = new Set([
  'session',
  'pre-key',
  'sender-key',
  'identity-key',
  'lid-mapping',
  'tctoken',
  'app-state-sync-key',
]);
const TOKENS: SecretKind<unknown> = 'tctoken';
/** A list of all tokens. The library cleans it up only on devices that appear online, which ours do not. */
const ALL_WITH_TOKENS = '__index';
const CREDS: SecretKind<AuthenticationCreds> = 'creds';

export const noKeys: SignalKeyStore = { get: () => ({}), set: () => {} };

export function signalKeys(credentialBuffer: CredentialBuffer, keyHolders: KeyHolders): SignalKeyStore {
  return {
    get(kind, ids) {
      if (kind === TOKENS && ids.includes(ALL_WITH_TOKENS)) void forgetList(credentialBuffer);
      return read(credentialBuffer, keyHolders, kind, kind === TOKENS ? ids.filter((id) => id !== ALL_WITH_TOKENS) : ids);
    },
    set({ 'sender-key-memory': holders, ...others }) {
      for (const [group, devices] of Object.entries(holders ?? {})) if (devices) keyHolders.note(group, devices);
      write(credentialBuffer, others);
      return credentialBuffer.durable();
    },
  };
}

async function forgetList(credentialBuffer: CredentialBuffer): Promise<void> {
  const stored = await credentialBuffer.get(TOKENS, [ALL_WITH_TOKENS]).catch(() => ({}));
  if (ALL_WITH_TOKENS in stored) credentialBuffer.set(TOKENS, { [ALL_WITH_TOKENS]: null });
}

async function read<T extends Kind>(
  credentialBuffer: CredentialBuffer,
  keyHolders: KeyHolders,
  kind: T,
  ids: string[],
): Promise<{ [id: string]: SignalDataTypeMap[T] }> {
  const found: SecretsById<unknown> = kind === KEY_HOLDERS ? await keyHolders.ofAll(ids) : await credentialBuffer.get(kind, ids);
  const own = UNCHANGING.has(kind) ? found : Object.fromEntries(Object.entries(found).map(([id, value]) => [id, copy(kind, value)]));
  return own as { [id: string]: SignalDataTypeMap[T] };
}

const copy = (kind: string, value: unknown): unknown => decode(kind, encode(kind, value));

function write(credentialBuffer: CredentialBuffer, data: SignalDataSet): void {
  for (const [kind, values] of Object.entries(data)) credentialBuffer.set<unknown>(kind, values);
}

export async function readCreds(credentialBuffer: CredentialBuffer): Promise<AuthenticationCreds | null> {
  const { [CREDS]: creds } = await credentialBuffer.get(CREDS, [CREDS]);
  return creds ?? null;
}

/** Next free pre-key number. The library's number advances only once all earlier pre-keys are used. */
const nextFree = new WeakMap<CredentialBuffer, number>();

export function writeCreds(credentialBuffer: CredentialBuffer, creds: AuthenticationCreds): void {
  const next = nextFree.get(credentialBuffer) ?? 0;
  const numbers = next > creds.nextPreKeyId ? { nextPreKeyId: next, firstUnuploadedPreKeyId: next } : {};
  credentialBuffer.set(CREDS, { [CREDS]: { ...creds, ...numbers } });
}

/** Stores a pre-key and its number before the key is sent, so that two keys never share a number. */
export function storeAtOnce(keys: SignalKeyStoreWithTransaction, credentialBuffer: CredentialBuffer, creds: AuthenticationCreds): void {
  const set = keys.set.bind(keys);
  keys.set = async (data) => {
    const { tctoken, 'pre-key': preKeys = {}, ...others } = data;
    if (tctoken) {
      const { [ALL_WITH_TOKENS]: _, ...each } = tctoken;
      credentialBuffer.set<unknown>(TOKENS, each);
    }
    const made = Object.entries(preKeys).filter(([, key]) => key !== null);
    if (made.length > 0) await storePreKeys(credentialBuffer, creds, made);
    // Leave out new pre-keys, which are already stored. The transaction would store all of them again.
    const used = Object.entries(preKeys).filter(([, key]) => key === null);
    await set(used.length > 0 ? { ...others, 'pre-key': Object.fromEntries(used) } : others);
  };
}

function storePreKeys(
  credentialBuffer: CredentialBuffer,
  creds: AuthenticationCreds,
  made: readonly (readonly [string, unknown])[],
): Promise<void> {
  credentialBuffer.set('pre-key', Object.fromEntries(made));
  nextFree.set(
    credentialBuffer,
    made.reduce((next, [id]) => Math.max(next, Number(id) + 1), nextFree.get(credentialBuffer) ?? 0),
  );
  writeCreds(credentialBuffer, creds);
  return credentialBuffer.durable();
}
