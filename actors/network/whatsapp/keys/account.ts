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
/** Lifetime of device lists. The network announces changes, but an announcement can be missed. */
const DEVICES_GOOD_FOR_MS = 7 * 86_400_000;
const KNOWN_GROUPS = 200;
const KNOWN_CALLS = 100;
const KNOWN_UPLOADS = 100;

export type LinkedCreds = AuthenticationCreds &
  Required<Pick<AuthenticationCreds, 'me' | 'account'>> & {
    /** Set after the first login. Absent if only older versions of this gateway have logged in. */
    isUsed?: true;
    chats?: { form: 'lid' | 'pn'; isTold: boolean };
    props?: { cstoken: boolean };
  };

export const isLinked = (creds: AuthenticationCreds): creds is LinkedCreds => Boolean(creds.me && creds.account);

export const phoneOf = ({ me }: LinkedCreds): string => me.id.replace(/[:@].*/s, '');

export interface Login {
  readonly credentialBuffer: CredentialBuffer;
  readonly creds: LinkedCreds;
}

interface SyncCache extends PossiblyExtendedCacheStore {
  get<T>(key: string): T | undefined;
}

export interface KeptUpload {
  readonly uploaded: Promise<Uploaded>;
  readonly at: number;
}

export interface Account {
  readonly devices: ExpiringCache;
  readonly retries: PossiblyExtendedCacheStore;
  readonly calls: PossiblyExtendedCacheStore;
  readonly asked: PossiblyExtendedCacheStore;
  readonly groups: RecentCache<string, GroupMetadata>;
  readonly introduced: RecentCache<string, string>;
  readonly unresolved: RecentCache<string, true>;
  readonly opened: RecentCache<string, true>;
  readonly uploads: RecentCache<string, KeptUpload>;
  about: string | null;
}

/** Caches that outlive connections, because each device lookup makes the library start a new session. */
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

  override set(key: string, value: unknown, at: number = this.#clock.now()): void {
    super.set(key, { at, value } satisfies Dated<unknown>);
  }
}

/** Rejects if the login is unreadable or if another owner holds it. */
export async function storedLogin(credentialStore: CredentialStore, onFailure: (cause: unknown) => void): Promise<Login | null> {
  const taken = await credentialStore.take();
  if (!taken) return null;
  const credentialBuffer = new CredentialBuffer(credentialStore, taken, onFailure);
  const creds = await readCreds(credentialBuffer);
  return creds && isLinked(creds) ? { credentialBuffer, creds } : null;
}

/** Whether the login was ever used. Pre-keys prove this, because they are created only after a login. */
export const wasUsed = ({ isUsed, nextPreKeyId }: LinkedCreds): boolean => isUsed === true || nextPreKeyId > 1;

/** Records that the login is used. Call this before each login, which waits until the record is stored. */
export function noteUse({ credentialBuffer, creds }: Login): void {
  if (creds.isUsed) return;
  creds.isUsed = true;
  writeCreds(credentialBuffer, creds);
}

export async function storeNewLogin(credentialStore: CredentialStore, creds: LinkedCreds): Promise<void> {
  const generation = randomBytes(9).toString('base64url');
  const credentialBuffer = new CredentialBuffer(credentialStore, await credentialStore.create(generation), () => {});
  writeCreds(credentialBuffer, creds);
  await credentialBuffer.durable();
}
