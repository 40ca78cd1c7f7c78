import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore, SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys';
import { Recent } from '../../../runtime/recent.ts';
import { decode, encode } from './codec.ts';
import type { Keyring } from './keyring.ts';
import type { AuthenticationCreds, Library } from './library.ts';

type Kind = keyof SignalDataTypeMap;
type MakeRepository = Library['DEFAULT_CONNECTION_CONFIG']['makeSignalRepository'];

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
/** Each person has two. */
const KNOWN_ADDRESSES = 2_000;

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
 * The library's Signal repository, made safe against dying at any point. Its sessions and sender keys do not go through the library's
 * transaction around a whole send, which is written only after the ciphertext left: they are seen by the keyring as they change, and the
 * `Outlet` lets no frame leave before the chain step that sealed it is stored. A crash after that burns the step; no key is ever used twice.
 */
export function durableRepository(library: Library, keyring: Keyring): MakeRepository {
  return (auth, logger, pnToLid) => {
    if ('transaction' in auth.keys) storeAtOnce(auth.keys, keyring, auth.creds as AuthenticationCreds);
    const creds = auth.creds;
    const made = library.DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys: oneAtATime(keyring) }, logger, pnToLid);
    Object.assign(made.lidMapping, { mappingCache: knownAddresses() });
    return made;
  };
}

/** The library's own memory of addresses has no bound, and sets a timer of three days for each, which what ends late leaves behind. */
function knownAddresses(): { get(key: string): string | undefined; set(key: string, value: string): void; clear(): void } {
  const known = new Recent<string, string>(KNOWN_ADDRESSES);
  return { get: (key) => known.get(key), set: (key, value) => known.set(key, value), clear: () => {} };
}

/** Sees each change at once; what is done under one key is done one after the other. */
function oneAtATime(keyring: Keyring): SignalKeyStoreWithTransaction {
  const tails = new Map<string, Promise<unknown>>();
  return {
    get: (kind, ids) => read(keyring, kind, ids),
    set: (data) => write(keyring, data),
    isInTransaction: () => false,
    async transaction(work, key) {
      const before = tails.get(key);
      const mine = before ? before.then(work, work) : work();
      tails.set(key, mine);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === mine) tails.delete(key);
      }
    },
  };
}

/**
 * What must not wait for the library's transaction. It sends a new pre-key inside the one that would store it: here it is stored before
 * anything else happens, and with it that its number is taken, so that a number that may have reached the network is never given to another
 * key. And that a contact got a privacy token from us is noted after its transaction is over, which would lose the note and issue another
 * token with each message.
 */
function storeAtOnce(keys: SignalKeyStoreWithTransaction, keyring: Keyring, creds: AuthenticationCreds): void {
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
