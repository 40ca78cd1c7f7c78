import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore, SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys';
import { decode, encode } from './codec.ts';
import type { Keyring } from './keyring.ts';
import type { AuthenticationCreds } from './library.ts';

type Kind = keyof SignalDataTypeMap;

/** Kinds whose values the library never changes in place. */
const UNCHANGING: ReadonlySet<string> = new Set([
  'session',
  'pre-key',
  'sender-key',
  'identity-key',
  'lid-mapping',
  'tctoken',
  'app-state-sync-key',
]);
const CREDS = 'creds';

/** Never touched by anything: before a phone links this device there are no secrets but those of its login. */
export const noKeys: SignalKeyStore = { get: () => ({}), set: () => {} };

/** A device's secrets as the library reads and writes them; a write is over when it is stored. */
export function signalKeys(keyring: Keyring): SignalKeyStore {
  return {
    get: (kind, ids) => read(keyring, kind, ids),
    set(data) {
      write(keyring, data);
      return keyring.durable();
    },
  };
}

async function read<T extends Kind>(keyring: Keyring, kind: T, ids: string[]): Promise<{ [id: string]: SignalDataTypeMap[T] }> {
  const found = await keyring.get(kind, ids);
  const own = UNCHANGING.has(kind) ? found : Object.fromEntries(Object.entries(found).map(([id, value]) => [id, copy(kind, value)]));
  return own as { [id: string]: SignalDataTypeMap[T] };
}

const copy = (kind: string, value: unknown): unknown => decode(kind, encode(kind, value));

function write(keyring: Keyring, data: SignalDataSet): void {
  for (const [kind, values] of Object.entries(data)) keyring.set(kind, values);
}

export async function readCreds(keyring: Keyring): Promise<AuthenticationCreds | null> {
  const { [CREDS]: creds } = await keyring.get(CREDS, [CREDS]);
  return (creds as AuthenticationCreds | undefined) ?? null;
}

/** The next free pre-key number, which the library notes only after it used the numbers before it. */
const nextFree = new WeakMap<Keyring, number>();

export function writeCreds(keyring: Keyring, creds: AuthenticationCreds): void {
  const next = nextFree.get(keyring) ?? 0;
  const numbers = next > creds.nextPreKeyId ? { nextPreKeyId: next, firstUnuploadedPreKeyId: next } : {};
  keyring.set(CREDS, { [CREDS]: { ...creds, ...numbers } });
}

/**
 * What must not wait for the library's transaction. It sends a new pre-key inside the one that would store it: here it is stored before
 * anything else happens, and with it that its number is taken, so that a number that may have reached the network is never given to another
 * key. And that a contact got a privacy token from us is noted after its transaction is over, which would lose the note and issue another
 * token with each message.
 */
export function storeAtOnce(keys: SignalKeyStoreWithTransaction, keyring: Keyring, creds: AuthenticationCreds): void {
  const set = keys.set.bind(keys);
  keys.set = async (data) => {
    const { tctoken, ...others } = data;
    if (tctoken) keyring.set('tctoken', tctoken);
    const made = Object.entries(data['pre-key'] ?? {}).filter(([, key]) => key !== null);
    if (made.length > 0) await storePreKeys(keyring, creds, made);
    await set(others);
  };
}

function storePreKeys(keyring: Keyring, creds: AuthenticationCreds, made: readonly (readonly [string, unknown])[]): Promise<void> {
  keyring.set('pre-key', Object.fromEntries(made));
  nextFree.set(
    keyring,
    made.reduce((next, [id]) => Math.max(next, Number(id) + 1), nextFree.get(keyring) ?? 0),
  );
  writeCreds(keyring, creds);
  return keyring.durable();
}
