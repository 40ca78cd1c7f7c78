import { randomBytes } from 'node:crypto';
import type { GroupMetadata, PossiblyExtendedCacheStore } from '@whiskeysockets/baileys';
import { Recent } from '../../../runtime/recent.ts';
import type { Vault } from '../port.ts';
import { Keyring } from './keyring.ts';
import type { AuthenticationCreds } from './library.ts';
import { readCreds, writeCreds } from './signal-store.ts';

const KNOWN_PEOPLE = 2_000;
const KNOWN_GROUPS = 200;
const KNOWN_CALLS = 100;

/** The secrets of a login, ready for the library, which changes `creds` in place. */
export interface Login {
  readonly keyring: Keyring;
  readonly creds: AuthenticationCreds;
}

/** What a device keeps between its sockets. */
export interface Account {
  readonly devices: PossiblyExtendedCacheStore;
  readonly retries: PossiblyExtendedCacheStore;
  /** Calls that ring. */
  readonly calls: PossiblyExtendedCacheStore;
  /** Messages that the phone was asked for; each is forgotten when it answers, or does not. */
  readonly asked: PossiblyExtendedCacheStore;
  readonly groups: Recent<string, GroupMetadata>;
  /** Hidden addresses whose numbers the hearer knows by now. */
  readonly introduced: Recent<string, string>;
  /** What the owner of the number says about themselves, as far as it was asked for. */
  about: string | null;
}

/**
 * The library asks for a new Signal session with each person whose devices it looks up, so what it finds has to outlive the socket; the
 * network tells of each change of a device list while we are away too.
 */
export const newAccount = (): Account => ({
  devices: cache(KNOWN_PEOPLE),
  retries: cache(KNOWN_PEOPLE),
  calls: cache(KNOWN_CALLS),
  asked: cache(KNOWN_PEOPLE),
  groups: new Recent(KNOWN_GROUPS),
  introduced: new Recent(KNOWN_PEOPLE),
  about: null,
});

function cache(size: number): PossiblyExtendedCacheStore {
  let known = new Recent<string, unknown>(size);
  return {
    get: <T>(key: string) => known.get(key) as T | undefined,
    set: (key, value) => known.set(key, value),
    del: (key) => known.delete(key),
    flushAll() {
      known = new Recent(size);
    },
  };
}

/** The login that is stored. Null: there is none. Rejects when that cannot be said, or another owner has it. */
export async function storedLogin(vault: Vault, onFailure: (cause: unknown) => void): Promise<Login | null> {
  const taken = await vault.take();
  if (!taken) return null;
  const keyring = new Keyring(vault, taken, onFailure);
  const creds = await readCreds(keyring);
  return creds?.me && creds.account ? { keyring, creds } : null;
}

/** A phone linked this device: its login is stored, and nothing of an earlier one is left. */
export async function storeNewLogin(vault: Vault, creds: AuthenticationCreds): Promise<void> {
  const generation = randomBytes(9).toString('base64url');
  const keyring = new Keyring(vault, await vault.create(generation), () => {});
  writeCreds(keyring, creds);
  await keyring.durable();
}
