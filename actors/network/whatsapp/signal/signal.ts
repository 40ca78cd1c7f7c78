import type { SignalDataTypeMap, SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys';
import { before, present } from '../../../../runtime/invariant.ts';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import type { CredentialBuffer } from '../keys/credential-buffer.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import { storeAtOnce } from '../keys/signal-store.ts';
import type { AuthenticationCreds, Library } from '../library.ts';
import { type Author, Groups } from './groups.ts';
import { Draft, Locks, openSecrets, type Secrets } from './secrets.ts';
import { Sessions } from './sessions.ts';
import { WarmSeals } from './warm-seals.ts';

/**
 * Crash-safe Signal encryption for one login. Each change goes to the credential buffer
 * immediately, and the `DurableWriteGate` sends a frame only once the chain step for it is stored.
 * A crash may waste a step, but no key is ever used twice.
 */

type MakeRepository = Library['DEFAULT_CONNECTION_CONFIG']['makeSignalRepository'];
export type Repository = ReturnType<MakeRepository>;

const KNOWN_ADDRESSES = 2_000;
/** Mappings need no lock, because their values are only set, never read and then changed. */
const MAPPING = 'lid-mapping';
const MAPPINGS: SecretKind<string> = MAPPING;

export class Signal {
  readonly #library: Library;
  readonly #credentialBuffer: CredentialBuffer;
  readonly #locks = new Locks();
  /** Created for the first message. Most devices are silent for long periods. */
  #opener: Repository | null = null;
  #makeOpener: (() => Repository) | null = null;
  #seals: WarmSeals | null = null;
  #addresses: Addresses | null = null;
  /** The library waits for this to store mappings, although `inbound/mappings.ts` stores them instead. */
  #storing: Promise<unknown> = Promise.resolve();
  readonly #known = knownAddresses();
  #draft: Draft;

  constructor(library: Library, credentialBuffer: CredentialBuffer) {
    this.#library = library;
    this.#credentialBuffer = credentialBuffer;
    this.#draft = new Draft(credentialBuffer, this.#locks);
  }

  readonly make: MakeRepository = (auth, logger, pnToLid) => {
    const creds = auth.creds as AuthenticationCreds;
    if ('transaction' in auth.keys) storeAtOnce(auth.keys, this.#credentialBuffer, creds);
    const make = (secrets: Secrets) =>
      repositoryOf(
        { library: this.#library, creds, secrets, locks: this.#locks, known: this.#known, stored: () => this.#storing },
        (keys) => [{ creds, keys }, logger, pnToLid],
      );
    this.#opener = null;
    this.#makeOpener = () =>
      make({
        get: (kind, ids) => this.#draft.get(kind, ids),
        set: (kind, values) => this.#draft.set(kind, values),
        alone: (name, work) => this.#draft.alone(name, work),
      }).repository;
    const { repository, seals, addresses } = make(openSecrets(this.#credentialBuffer, this.#locks));
    this.#seals = seals;
    this.#addresses = addresses;
    return repository;
  };

  get seals(): WarmSeals {
    return present(this.#seals, 'a repository of the library');
  }

  storeMappings(pairs: readonly { readonly lid: string; readonly pn: string }[]): Promise<void> {
    const storing = present(this.#addresses, 'a repository of the library').store(pairs);
    const before = this.#storing;
    this.#storing = Promise.all([before, storing.catch(() => {})]);
    return storing;
  }

  /** Finds each address from the other one. Either argument may be ''; unknown addresses are null. */
  async knownMapping(pn: string, lid: string): Promise<{ readonly lid: string | null; readonly pn: string | null }> {
    const [number, hidden] = [before(pn, '@'), before(lid, '@')];
    const reverse = `${hidden}_reverse`;
    const inMemory = { [number]: this.#known.get(`pn:${number}`), [reverse]: this.#known.get(`lid:${hidden}`) };
    const missing = [pn && number, lid && reverse].filter((id) => id !== '' && inMemory[id] === undefined);
    const stored = missing.length > 0 ? await this.#credentialBuffer.get(MAPPINGS, missing) : {};
    const [knownLid, knownPn] = [inMemory[number] ?? stored[number], inMemory[reverse] ?? stored[reverse]];
    if (lid && stored[reverse]) this.#known.set(`lid:${hidden}`, stored[reverse]);
    return { lid: knownLid ? `${knownLid}@lid` : null, pn: knownPn ? `${knownPn}@s.whatsapp.net` : null };
  }

  async open<T>(work: (repository: Repository, draft: Secrets) => Promise<T>): Promise<T> {
    this.#opener ??= present(this.#makeOpener, 'a repository of the library')();
    const draft = new Draft(this.#credentialBuffer, this.#locks);
    this.#draft = draft;
    try {
      const result = await work(this.#opener, draft);
      draft.keep();
      return result;
    } finally {
      draft.release();
    }
  }
}

interface Addresses {
  store(pairs: readonly { readonly lid: string; readonly pn: string }[]): Promise<void>;
}

interface RepositoryParts {
  readonly library: Library;
  readonly creds: AuthenticationCreds;
  readonly secrets: Secrets;
  readonly locks: Locks;
  readonly known: ReturnType<typeof knownAddresses>;
  readonly stored: () => Promise<unknown>;
}

function repositoryOf(
  { library, creds, secrets, locks, known, stored }: RepositoryParts,
  given: (keys: SignalKeyStoreWithTransaction) => Parameters<MakeRepository>,
): { readonly repository: Repository; readonly seals: WarmSeals; readonly addresses: Addresses } {
  const made = library.DEFAULT_CONNECTION_CONFIG.makeSignalRepository(...given(keysOf(secrets)));
  const store = made.lidMapping.storeLIDPNMappings.bind(made.lidMapping);
  // The library need not store these pairs, because they are learned from the lookup's response.
  Object.assign(made.lidMapping, { mappingCache: known, storeLIDPNMappings: async () => void (await stored()) });
  const sessions = new Sessions(library, creds, secrets);
  const at = async (jid: string): Promise<string> => {
    const hidden = library.isPnUser(jid) || library.isHostedPnUser(jid) ? await made.lidMapping.getLIDForPN(jid) : null;
    return made.jidToSignalProtocolAddress(hidden ?? jid);
  };
  const groups = new Groups(library, secrets);
  const author = (group: string, jid: string): Author => ({ group, address: made.jidToSignalProtocolAddress(jid) });
  const hiddenOf = (user: string) => known.get(`pn:${user}`);
  const seals = new WarmSeals({ sessions, groups, locks, hiddenOf, nameOf: (jid) => made.jidToSignalProtocolAddress(jid) });
  const repository: Repository = {
    ...made,
    async encryptGroupMessage({ group, meId, data }) {
      const { ciphertext, distribution } = await groups.seal(author(group, meId), data);
      return { ciphertext, senderKeyDistributionMessage: distribution };
    },
    decryptGroupMessage: ({ group, authorJid, msg }) => groups.open(author(group, authorJid), msg),
    getSenderKeyDistributionMessage: ({ group, meId }) => groups.distribute(author(group, meId)),
    hasSenderKey: ({ group, meId }) => groups.has(author(group, meId)),
    async processSenderKeyDistributionMessage({ item: { groupId, axolotlSenderKeyDistributionMessage: distribution }, authorJid }) {
      if (!groupId || !distribution) throw new Error('a key for no group');
      await groups.learn(author(groupId, authorJid), distribution);
    },
    encryptMessage: async ({ jid, data }) => sessions.seal(await at(jid), data),
    decryptMessage: async ({ jid, type, ciphertext }) => sessions.open(await at(jid), { type, ciphertext }),
    injectE2ESession: async ({ jid, session }) => sessions.start(await at(jid), session),
    validateSession: async (jid) => ({ exists: await sessions.exists(await at(jid)) }),
    getSessionInfo: async (jid) => sessions.info(await at(jid)),
    async deleteSession(jids) {
      for (const jid of jids) await sessions.end(await at(jid));
    },
    migrateSession: (from, to) => migrate(library, made, secrets, sessions, from, to),
  };
  return { repository, seals, addresses: { store: (pairs) => store([...pairs]) } };
}

async function migrate(
  library: Library,
  { jidToSignalProtocolAddress: addressOf }: Repository,
  secrets: Secrets,
  sessions: Sessions,
  from: string,
  to: string,
): Promise<{ migrated: number; skipped: number; total: number }> {
  const isNumber = library.isPnUser(from) || library.isHostedPnUser(from);
  const isHidden = library.isLidUser(to) || library.isHostedLidUser(to);
  if (!isNumber || !isHidden) return { migrated: 0, skipped: 0, total: 0 };
  const { user, device = 0 } = library.jidDecode(from)!;
  const { [user]: listed } = await secrets.get(DEVICE_LIST, [user]);
  const devices = new Set([...(listed ?? []), String(device)]);
  let migrated = 0;
  for (const one of devices) {
    const jid = library.jidEncode(user, Number(one) === HOSTED ? 'hosted' : 's.whatsapp.net', Number(one));
    if (await sessions.move(addressOf(jid), addressOf(library.transferDevice(jid, to)))) migrated += 1;
  }
  return { migrated, skipped: devices.size - migrated, total: devices.size };
}

const HOSTED = 99;
const DEVICE_LIST: SecretKind<readonly string[]> = 'device-list';

function keysOf(secrets: Secrets): SignalKeyStoreWithTransaction {
  return {
    get: <T extends keyof SignalDataTypeMap>(kind: T & SecretKind<SignalDataTypeMap[T]>, ids: string[]) => secrets.get(kind, ids),
    set(data) {
      for (const [kind, values] of Object.entries(data)) secrets.set<unknown>(kind, values);
    },
    isInTransaction: () => false,
    transaction: (work, key) => (key === MAPPING ? work() : secrets.alone(key, work)),
  };
}

/** Replaces the library's cache, which has no size limit and sets a three-day timer for each entry. */
function knownAddresses(): { get(key: string): string | undefined; set(key: string, value: string): void; clear(): void } {
  const known = new RecentCache<string, string>(KNOWN_ADDRESSES);
  return { get: (key) => known.get(key), set: (key, value) => known.set(key, value), clear: () => {} };
}
