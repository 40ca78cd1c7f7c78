import { before } from '../../../../runtime/invariant.ts';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import { SerialQueue } from '../../../../runtime/serial-queue.ts';
import { isLid, phoneOf, userJid, userOf } from '../../jid.ts';
import { withoutDevice } from '../../person.ts';
import type { IdentityFact, IdentitySource } from '../../port.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import type { BinaryNode } from '../library.ts';
import { typedIn } from '../outbound/contacts.ts';
import { moveTokens } from '../outbound/tokens.ts';
import { only } from '../repairs/stanzas.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';

/**
 * Decides which two addresses belong to one person; no other module does. It trusts only attributes
 * that the server adds to a stanza, the server's responses about people, and our own phone
 * (`repairs/believed.ts`). Mappings are stored with the secrets (`lid-mapping`). Mappings that have
 * not been reported to the receiver are also stored as `mapping`.
 */

export interface Mapping {
  readonly address: string;
  readonly pn: string;
  readonly isAsked?: true;
  readonly username?: string | null;
  readonly source: IdentitySource;
  readonly at: number;
}

interface NewMapping {
  readonly mapping: Mapping;
  readonly learnedAt: number;
}

const UNTOLD: SecretKind<Mapping> = 'mapping';
const BATCH = 100;
/** Maximum number of lookups per login. A number that makes many lookups in a row may be banned. */
const MAX_DOUBTED = 20;
/** Sources that may be out of date. Their mappings are added, but never replace others. */
const OBSERVED: ReadonlySet<IdentitySource> = new Set(['history']);
/** For this long after a mapping is learned, messages that are about to be sent are checked against it. */
const NEW_MS = 60_000;
const MAX_NEW = 5_000;

export class Mappings {
  readonly #context: ConnectionContext;
  readonly #untold: Mapping[] = [];
  readonly #new = new RecentCache<string, readonly NewMapping[]>(MAX_NEW);
  /** Until this time (monotonic clock), at least one mapping is new. */
  #newUntil = Number.NEGATIVE_INFINITY;
  #isTelling = false;
  /** Mappings that the receiver has not stored yet, by key. */
  readonly #unstored = new Map<string, Mapping>();
  readonly #resumed = Promise.withResolvers<void>();
  #hearStored = (_address: string): void => {};
  readonly #doubted = new Set<string>();
  readonly #questions = new SerialQueue();

  constructor(context: ConnectionContext) {
    this.#context = context;
    const { ws, ev } = context.socket;
    ws.on('frame', (stanza: BinaryNode | Uint8Array) => {
      if (stanza instanceof Uint8Array) return;
      this.#readAnswer(stanza);
      this.#readNotice(stanza);
    });
    ev.removeAllListeners('lid-mapping.update');
    ev.on('connection.update', ({ connection }) => {
      if (connection === 'open') attempt(context, 'storing our own addresses', () => this.#learnOurs());
    });
    ev.on('lid-mapping.update', ({ lid, pn }) => {
      const fact: Mapping = { address: lid, pn, source: 'own-phone', at: context.clock.now() };
      attempt(context, 'learning a mapping', () => this.learn([fact]));
    });
  }

  async resume(): Promise<void> {
    const untold = [...(await this.#context.credentialBuffer.all(UNTOLD)).values()];
    for (const mapping of untold) this.#unstored.set(keyOf(mapping), mapping);
    this.#resumed.resolve();
    // Store the mappings again, because the previous process may not have stored all of them.
    await this.#learnAll(untold);
  }

  whenStored(hear: (address: string) => void): void {
    this.#hearStored = hear;
  }

  async isUnstored(address: string): Promise<boolean> {
    await this.#resumed.promise;
    const { pn } = await this.#context.signal.knownMapping('', address);
    return pn === null || this.#unstored.has(keyOf({ address })) || this.#unstored.has(keyOf({ address, isAsked: true }));
  }

  async learn(facts: readonly Mapping[]): Promise<void> {
    const fresh = facts
      .flatMap((fact) => this.#checked(fact) ?? [])
      .filter((fact) => this.#context.account.introduced.get(keyOf(fact)) !== fact.pn);
    for (const fact of fresh) if (!OBSERVED.has(fact.source)) this.#noteNew(fact);
    await this.#learnAll(fresh);
  }

  async #learnAll(mappings: readonly Mapping[]): Promise<void> {
    for (let start = 0; start < mappings.length; start += BATCH) await this.#learnBatch(mappings.slice(start, start + BATCH));
  }

  newOf(addresses: readonly (string | null)[]): readonly IdentityFact[] {
    if (this.#context.clock.monotonic() > this.#newUntil) return [];
    const found = new Set<NewMapping>();
    for (const address of new Set(addresses)) if (address !== null) for (const one of this.#newAt(address)) found.add(one);
    return [...found].map(({ mapping }) => factOf(mapping));
  }

  #newAt(address: string): readonly NewMapping[] {
    const since = this.#context.clock.monotonic() - NEW_MS;
    return this.#new.get(address)?.filter(({ learnedAt }) => learnedAt >= since) ?? [];
  }

  #noteNew(mapping: Mapping): void {
    const noted: NewMapping = { mapping, learnedAt: this.#context.clock.monotonic() };
    this.#newUntil = noted.learnedAt + NEW_MS;
    for (const address of [mapping.address, mapping.pn]) {
      const others = this.#newAt(address).filter((other) => keyOf(other.mapping) !== keyOf(mapping));
      this.#new.set(address, [...others, noted]);
    }
  }

  async #learnBatch(mappings: readonly Mapping[]): Promise<void> {
    const { signal, credentialBuffer, socket } = this.#context;
    const { signalRepository } = socket;
    const believed: Mapping[] = [];
    for (const one of mappings) {
      if (!OBSERVED.has(one.source) || !(await this.#contradicts(one))) believed.push(one);
      else this.#doubt(one.pn);
    }
    for (const one of believed) this.#unstored.set(keyOf(one), one);
    // Note the mappings as unreported before storing them, so that a crash cannot lose the report.
    credentialBuffer.set(UNTOLD, Object.fromEntries(believed.map((one) => [keyOf(one), one])));
    const hidden = believed.filter(({ address }) => isLid(address)).map(({ address: lid, pn }) => ({ lid, pn }));
    await signal.storeMappings(hidden);
    for (const { lid, pn } of hidden) await signalRepository.migrateSession(pn, lid);
    await moveTokens(this.#context, hidden);
    // Report a stanza's mappings immediately, because the content of that stanza is reported next.
    for (const one of believed) if (one.source === 'stanza') this.#tell(one, () => {});
    for (const one of believed) if (one.source !== 'stanza') this.#tellLater(one);
  }

  #doubt(pn: string): void {
    if (this.#doubted.size >= MAX_DOUBTED || this.#doubted.has(pn)) return;
    this.#doubted.add(pn);
    attempt(this.#context, 'asking about a number', () => this.#questions.run(() => this.#context.addressing.refresh(pn)));
  }

  /** Stores our own mapping, because our other devices receive messages at the hidden address. */
  async #learnOurs(): Promise<void> {
    const { creds, signal } = this.#context;
    if (creds.me.lid) await signal.storeMappings([{ lid: creds.me.lid, pn: creds.me.id }]);
  }

  #checked(fact: Mapping): Mapping | null {
    const { me } = this.#context.creds;
    const [address, pn] = [withoutDevice(fact.address), withoutDevice(fact.pn)];
    const phone = phoneOf(pn);
    if (!(isLid(address) || phoneOf(address)) || !phone || phone === '0') return null;
    const ours = [userOf(me.lid), userOf(me.id)];
    return ours.includes(userOf(address)) || ours.includes(phone) ? null : { ...fact, address, pn };
  }

  async #contradicts({ address: lid, pn }: Mapping): Promise<boolean> {
    const { lid: knownLid, pn: knownPn } = await this.#context.signal.knownMapping(pn, lid);
    return (knownLid !== null && knownLid !== lid) || (knownPn !== null && knownPn !== pn);
  }

  /** Reports mappings one by one, so that thousands cannot delay the receiver's other writes. */
  #tellLater(mapping: Mapping): void {
    this.#untold.push(mapping);
    if (!this.#isTelling) void this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true;
    for (let next = this.#untold.shift(); next; next = this.#untold.shift()) {
      const mapping = next;
      await new Promise<void>((stored) => this.#tell(mapping, stored));
    }
    this.#isTelling = false;
  }

  #tell(mapping: Mapping, then: () => void): void {
    const { account, credentialBuffer, keep } = this.#context;
    const key = keyOf(mapping);
    const stored = (): void => {
      account.introduced.set(key, mapping.pn);
      // If a newer mapping of this address was learned meanwhile, it must still be reported.
      if (this.#unstored.get(key) === mapping) {
        this.#unstored.delete(key);
        credentialBuffer.set(UNTOLD, { [key]: null });
      }
      this.#hearStored(mapping.address);
      then();
    };
    if (account.introduced.get(key) === mapping.pn) return stored();
    keep({ type: 'identity', token: `identity ${key}`, ...factOf(mapping) }, stored);
  }

  #readAnswer(stanza: BinaryNode): void {
    if (stanza.tag !== 'iq' || stanza.attrs['type'] !== 'result') return;
    const list = only(only(stanza, 'usync'), 'list');
    const facts = Array.isArray(list?.content) ? list.content.flatMap((user) => this.#told(user)) : [];
    if (facts.length > 0) attempt(this.#context, 'learning mappings', () => this.learn(facts));
  }

  /** Reads a notice that a person has changed their number. Stored data still uses the former number. */
  #readNotice(stanza: BinaryNode): void {
    if (stanza.tag !== 'notification' || stanza.attrs['type'] !== 'contacts') return;
    const { old: former, new: pn, old_lid: formerLid, new_lid: lid } = only(stanza, 'modify')?.attrs ?? {};
    if (!former || !pn || !phoneOf(former)) return;
    const at = Number(stanza.attrs['t'] ?? 0) * 1_000 || this.#context.clock.now();
    const hidden = [...new Set([formerLid, lid])].flatMap((address) => address ?? []);
    const facts = [former, ...hidden].map((address) => ({ address, pn, source: 'notice', at }) as const);
    attempt(this.#context, 'learning a changed number', () => this.learn(facts));
  }

  /** Reads a response: the registered form of a typed number, or the number behind an address. */
  #told(user: BinaryNode): readonly Mapping[] {
    const { jid = '', pn_jid: registered, username } = user.attrs;
    const common = { username: username ?? null, source: 'usync', at: this.#context.clock.now() } as const;
    const contact = only(user, 'contact');
    const lid = isLid(jid) ? jid : only(user, 'lid')?.attrs['val'];
    const pn = isLid(jid) ? registered : jid;
    if (!pn) return [];
    const isAsked = !isLid(jid) && !contact ? { isAsked: true as const } : {};
    const dialled = contact?.attrs['type'] === 'in' ? userJid(typedIn(contact)) : pn;
    return [
      ...(lid ? [{ ...common, ...isAsked, address: lid, pn }] : []),
      ...(dialled === pn ? [] : [{ ...common, address: dialled, pn }]),
    ];
  }
}

const factOf = ({ address, pn, isAsked, username = null, source, at }: Mapping): IdentityFact => ({
  address,
  phone: before(pn, '@'),
  ...(isAsked && { isAsked }),
  username,
  source,
  at,
});

/** A looked-up number has its own key, so that it does not replace the address's other mapping. */
const keyOf = ({ address, isAsked }: Pick<Mapping, 'address' | 'isAsked'>): string => (isAsked ? `${address}?` : address);

export function bulkOf(
  { library, clock }: Pick<ConnectionContext, 'library' | 'clock'>,
  encoded: Uint8Array,
): { readonly mappings: readonly Mapping[]; readonly isMigrated: boolean } {
  const { pnToLidMappings, chatDbMigrationTimestamp } = library.proto.LIDMigrationMappingSyncPayload.decode(encoded);
  const mappings = (pnToLidMappings ?? []).map(({ pn, latestLid, assignedLid }): Mapping => {
    const lid = Number(latestLid ?? 0) > 0 ? latestLid : assignedLid;
    return { address: `${lid}@lid`, pn: `${pn}@s.whatsapp.net`, source: 'own-phone', at: clock.now() };
  });
  return { mappings, isMigrated: Number(chatDbMigrationTimestamp ?? 0) > 0 };
}
