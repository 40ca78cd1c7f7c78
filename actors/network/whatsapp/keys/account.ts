import { randomBytes } from 'node:crypto';
import type { GroupMetadata, PossiblyExtendedCacheStore } from '@whiskeysockets/baileys';
import type { Clock } from '../../../../runtime/clock.ts';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import type { CredentialStore } from '../../port.ts';
import type { AuthenticationCreds } from '../library.ts';
import type { Uploaded } from '../outbound/uploaded.ts';
import { CredentialBuffer } from './credential-buffer.ts';
import { readCreds, writeCreds } from './signal-store.ts';

const KNOWN_PEOPLE = 2_000;
/** The network announces changes; this covers a missed announcement. With each look-up the library makes a new session with everybody. */
const DEVICES_GOOD_FOR_MS = 7 * 86_400_000;
const KNOWN_GROUPS = 200;
const KNOWN_CALLS = 100;
const KNOWN_UPLOADS = 100;

/** The secrets of a device that a phone has linked: they name its number, and the account that signed them. */
export type LinkedCreds = AuthenticationCreds &
  Required<Pick<AuthenticationCreds, 'me' | 'account'>> & {
    /** Absent: no connection has logged in with them yet, or only ones of earlier versions. */
    isUsed?: true;
    /** How this account's chats of two are addressed, and whether that was told or only worked; absent: not known. */
    chats?: { form: 'lid' | 'pn'; isTold: boolean };
    /** What the server set for this account, of what the library does not read; absent: it was not asked. */
    props?: { cstoken: boolean };
  };

export const isLinked = (creds: AuthenticationCreds): creds is LinkedCreds => Boolean(creds.me && creds.account);

/** The digits of a linked number. */
export const phoneOf = ({ me }: LinkedCreds): string => me.id.replace(/[:@].*/s, '');

/** The secrets of a login, ready for the library, which changes `creds` in place. */
export interface Login {
  readonly credentialBuffer: CredentialBuffer;
  readonly creds: LinkedCreds;
}

/** One that answers at once. */
interface SyncCache extends PossiblyExtendedCacheStore {
  get<T>(key: string): T | undefined;
}

/** A file on the network, which many messages may name. */
export interface KeptUpload {
  readonly uploaded: Promise<Uploaded>;
  /** Epoch ms. */
  readonly at: number;
}

/** The data that a device keeps between its sockets. */
export interface Account {
  readonly devices: ExpiringCache;
  readonly retries: PossiblyExtendedCacheStore;
  /** Calls that ring. */
  readonly calls: PossiblyExtendedCacheStore;
  /** Messages that the phone was asked for; each is forgotten when it answers, or does not. */
  readonly asked: PossiblyExtendedCacheStore;
  readonly groups: RecentCache<string, GroupMetadata>;
  /** Hidden addresses whose numbers the receiver knows by now. */
  readonly introduced: RecentCache<string, string>;
  /** Users whose devices the network could not tell when it was asked. */
  readonly unresolved: RecentCache<string, true>;
  /** Messages that were opened lately, by network id. */
  readonly opened: RecentCache<string, true>;
  /** What was uploaded lately, by our key of the file and the kind that it was uploaded as. */
  readonly uploads: RecentCache<string, KeptUpload>;
  /** The profile of the number's owner, as far as it was requested. */
  about: string | null;
}

/**
 * The library asks for a new Signal session with each person whose devices it looks up, so what it finds has to outlive the socket; the
 * network tells of each change of a device list while we are away too.
 */
export const newAccount = (clock: Clock): Account => ({
  devices: new ExpiringCache(KNOWN_PEOPLE, DEVICES_GOOD_FOR_MS, clock),
  retries: new Cache(KNOWN_PEOPLE),
  calls: new Cache(KNOWN_CALLS),
  asked: new Cache(KNOWN_PEOPLE),
  groups: new RecentCache(KNOWN_GROUPS),
  introduced: new RecentCache(KNOWN_PEOPLE),
  unresolved: new RecentCache(KNOWN_PEOPLE),
  opened: new RecentCache(KNOWN_PEOPLE),
  uploads: new RecentCache(KNOWN_UPLOADS),
  about: null,
});

/** As the library asks for one. */
class Cache implements SyncCache {
  readonly #known: RecentCache<string, unknown>;

  constructor(size: number) {
    this.#known = new RecentCache(size);
  }

  get<T>(key: string): T | undefined {
    return this.#known.get(key) as T | undefined;
  }

  set(key: string, value: unknown): void {
    this.#known.set(key, value);
  }

  del(key: string): void {
    this.#known.delete(key);
  }

  flushAll(): void {
    this.#known.clear();
  }
}

interface Dated<T> {
  readonly at: number;
  readonly value: T;
}

/** One whose values are good for `forMs`. */
export class ExpiringCache extends Cache {
  readonly #forMs: number;
  readonly #clock: Clock;

  constructor(size: number, forMs: number, clock: Clock) {
    super(size);
    this.#forMs = forMs;
    this.#clock = clock;
  }

  override get<T>(key: string): T | undefined {
    const known = super.get<Dated<T>>(key);
    return known && this.#clock.now() - known.at <= this.#forMs ? known.value : undefined;
  }

  /** `at`: since when it is known, epoch ms. */
  override set(key: string, value: unknown, at: number = this.#clock.now()): void {
    super.set(key, { at, value } satisfies Dated<unknown>);
  }
}

/** The login that is stored. Null: there is none. Rejects when that cannot be said, or another owner has it. */
export async function storedLogin(credentialStore: CredentialStore, onFailure: (cause: unknown) => void): Promise<Login | null> {
  const taken = await credentialStore.take();
  if (!taken) return null;
  const credentialBuffer = new CredentialBuffer(credentialStore, taken, onFailure);
  const creds = await readCreds(credentialBuffer);
  return creds && isLinked(creds) ? { credentialBuffer, creds } : null;
}

/** Whether a connection ever logged in with them: then they were known beyond this store. Pre-keys are only made after a login. */
export const wasUsed = ({ isUsed, nextPreKeyId }: LinkedCreds): boolean => isUsed === true || nextPreKeyId > 1;

/** To be called before a connection logs in: nothing leaves it before this is stored. */
export function noteUse({ credentialBuffer, creds }: Login): void {
  if (creds.isUsed) return;
  creds.isUsed = true;
  writeCreds(credentialBuffer, creds);
}

/** A phone linked this device: its login is stored, and nothing of an earlier one is left. */
export async function storeNewLogin(credentialStore: CredentialStore, creds: LinkedCreds): Promise<void> {
  const generation = randomBytes(9).toString('base64url');
  const credentialBuffer = new CredentialBuffer(credentialStore, await credentialStore.create(generation), () => {});
  writeCreds(credentialBuffer, creds);
  await credentialBuffer.durable();
}
