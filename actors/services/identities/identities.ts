import type { Clock } from '../../../runtime/clock.ts';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { Identities, KnownIdentity } from '../../../store/identities/identities.ts';
import type { MessageAddress } from '../../domain/message-address.ts';
import { twinsOf } from '../../domain/numbers/twins.ts';
import { isLid, type LookedUp, phoneOf, userJid } from '../../network/jid.ts';
import type { IdentityFact, Whereabouts } from '../../network/port.ts';
import { createFormsOf, type FormsOf } from './forms.ts';
import { type MergeDeps, mergeChat } from './merge-chats.ts';

export interface Joining {
  readonly tenantId: string;
  readonly address: string;
  readonly phone: string;
  readonly knownSince: number;
}

export interface Split {
  readonly from: string;
  readonly to: string;
}

/**
 * Decides which addresses belong to one person. Two are merged only if the network says so, or if
 * they are two forms of a number in a country's plan. `learn` resolves once all records have moved.
 */
export interface IdentityResolver {
  /** Returns the address under which a chat is stored. Learns if `where` has two addresses of a person. */
  place(tenantId: string, where: Whereabouts): MessageAddress | Promise<MessageAddress>;
  /** Returns the canonical address. Changes made by other nodes take effect within a minute. */
  resolve(tenantId: string, address: string): string | Promise<string>;
  /** Resolves many addresses with a few queries, in the given order. */
  resolveAll(tenantId: string, addresses: readonly string[]): Promise<readonly string[]>;
  phonesOf(tenantId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, string>>;
  readonly formsOf: FormsOf;
  find(tenantId: string, address: string): Promise<KnownIdentity | null>;
  /** Whether the address may have been merged into another one, answered without a query. */
  mayBeOther(tenantId: string, address: string): boolean;
  /** Queries the store, because another node may have just learned of a merge. */
  isOther(tenantId: string, address: string): Promise<boolean>;
  learn(tenantId: string, fact: IdentityFact): Promise<void>;
  /** Moves the addresses to `people.to`, until the network again reports them as one person. Idempotent. */
  split(tenantId: string, addresses: readonly string[], people: Split): Promise<void>;
  settle(tenantId: string, sessionId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface IdentityResolverDeps extends MergeDeps {
  readonly identities: Identities;
  readonly devices: Pick<Devices, 'ids'>;
  readonly clock: Pick<Clock, 'monotonic' | 'now'>;
  /**
   * Merges everything else that is stored under the addresses. Called before the chats are merged.
   * Idempotent.
   */
  merged?(joining: Joining): Promise<void>;
  /** When a number moves to another person, applies an opt-out to both people. Idempotent. */
  parted?(tenantId: string, other: string, phone: string): Promise<void>;
  ask?(tenantId: string, phones: readonly string[]): Promise<readonly LookedUp[]>;
}

type Joined = Omit<IdentityFact, 'isAsked'> & { readonly isAsked?: boolean };

const REMEMBERED = 50_000;
/** Cached briefly, because another node may learn a new number, or an erasure may remove the old one. */
const REMEMBERED_MS = 60_000;
const FOLLOWED = 3;

export function createIdentityResolver(deps: IdentityResolverDeps): IdentityResolver {
  const { identities, devices, clock } = deps;
  /** Cached lookups. An address that has not been merged maps to itself. */
  const remembered = new RecentCache<string, string>(REMEMBERED);
  const underWay = new Map<string, Promise<void>>();
  let since = clock.monotonic();

  function known(tenantId: string, address: string): string | undefined {
    if (clock.monotonic() - since >= REMEMBERED_MS) {
      remembered.clear();
      since = clock.monotonic();
    }
    return remembered.get(`${tenantId}:${address}`);
  }

  const remember = (tenantId: string, address: string, by: string): void => void remembered.set(`${tenantId}:${address}`, by);

  async function holding(tenantId: string, address: string): Promise<ReadonlySet<string>> {
    const ids = await devices.ids(tenantId);
    const found = await Promise.all([deps.chats.devicesWith(tenantId, address), deps.moves.devicesWith(ids, address)]);
    return new Set(found.flat());
  }

  async function mergeAll(joining: Joining): Promise<void> {
    await deps.merged?.(joining);
    for (const sessionId of await holding(joining.tenantId, joining.address)) await mergeChat(deps, { ...joining, sessionId });
  }

  async function join(tenantId: string, { address, isAsked = false, source, at, username }: Joined, phone: string): Promise<void> {
    const learned = await identities.learn(tenantId, address, { phone, isAsked, source, at, username });
    if (learned === null) return;
    if (learned) {
      const joining = { tenantId, address, phone, knownSince: clock.now() };
      await mergeAll(joining);
      const former = phoneOf(address);
      if (former !== null) {
        await identities.handOver(tenantId, former, phone);
        // Clear the cache, because other addresses may still be cached as belonging to the former number.
        remembered.clear();
        remember(tenantId, address, userJid(phone));
        // Merge again, because records may have been stored under the former number in the meantime.
        await mergeAll(joining);
      }
      await identities.merged(tenantId, address, phone);
    }
    remember(tenantId, address, userJid(phone));
  }

  async function registered(tenantId: string, { phone, ...fact }: IdentityFact): Promise<string> {
    const twins = twinsOf(phone).map(userJid);
    const rows = await identities.phonesOf(tenantId, [userJid(phone), ...twins]);
    const own = rows.get(userJid(phone));
    if (own !== undefined) return own;
    if (fact.isAsked || twins.every((twin) => rows.has(twin))) return phone;
    const split = await splitFrom(tenantId, phone);
    for (const twin of twins)
      if (!rows.has(twin) && !split.has(twin)) await join(tenantId, { ...fact, phone, username: null, address: twin }, phone);
    return phone;
  }

  async function splitFrom(tenantId: string, phone: string): Promise<ReadonlySet<string>> {
    const by = userJid(phone);
    const apart = await identities.apartOf(tenantId, [by], [phone]);
    return new Set([...(apart.get(by) ?? []).map(userJid), ...(apart.get(phone) ?? [])]);
  }

  /** Concurrent calls share one run, because sending to a person reports the same fact twice. */
  async function learn(tenantId: string, fact: IdentityFact): Promise<void> {
    // Always process the network's response (`usync`), because it is rare and may resolve a contradiction.
    if (fact.source !== 'usync' && known(tenantId, fact.address) === userJid(fact.phone)) return;
    const key = [tenantId, fact.address, fact.phone, fact.source, fact.isAsked, fact.at].join();
    const learning = underWay.get(key) ?? learnNew(tenantId, fact).finally(() => underWay.delete(key));
    underWay.set(key, learning);
    await learning;
  }

  async function learnNew(tenantId: string, fact: IdentityFact): Promise<void> {
    const { address } = fact;
    const former = phoneOf(address);
    if (fact.source === 'notice' && former !== null) return changed(tenantId, fact, former);
    const phone = await registered(tenantId, fact);
    if (address === userJid(phone)) return;
    return isLid(address) ? learnHidden(tenantId, fact, phone) : join(tenantId, fact, phone);
  }

  /** If another person has the new number, the two stay separate but share any opt-out. */
  async function changed(tenantId: string, fact: IdentityFact, former: string): Promise<void> {
    const [before, rows, owners] = await Promise.all([
      identities.find(tenantId, fact.address),
      identities.phonesOf(tenantId, [userJid(fact.phone)]),
      identities.addressesOf(tenantId, [former, fact.phone]),
    ]);
    if (before !== null && before.at > fact.at) return;
    const other = rows.get(userJid(fact.phone)) ?? fact.phone;
    const phone = other === former ? fact.phone : other;
    const [own = [], theirs = []] = [owners.get(former), owners.get(fact.phone)].map((all) => all?.filter(isLid));
    if (phone === fact.phone && theirs.some((lid) => !own.includes(lid))) {
      await deps.parted?.(tenantId, phone, former);
      return deps.parted?.(tenantId, former, phone);
    }
    await join(tenantId, { ...fact, username: null }, phone);
  }

  async function learnHidden(tenantId: string, fact: IdentityFact, phone: string): Promise<void> {
    const { address } = fact;
    const before = await identities.find(tenantId, address);
    if (before?.phone === phone) return before.isApart ? undefined : join(tenantId, fact, phone);
    const owners = (await identities.addressesOf(tenantId, [phone])).get(phone) ?? [];
    if (owners.some((other) => isLid(other) && other !== address)) return part(tenantId, fact, phone);
    if (before === null || before.isApart) return join(tenantId, fact, phone);
    return learnOther(tenantId, fact, phone, before);
  }

  async function learnOther(tenantId: string, fact: IdentityFact, phone: string, before: KnownIdentity): Promise<void> {
    const { address } = fact;
    if (before.splitAt >= fact.at) return;
    const isRelated = before.isAsked || fact.isAsked || twinsOf(before.phone).includes(phone);
    if (!isRelated && fact.source !== 'usync') return contradict(tenantId, fact, before.phone);
    const joined: Joined = { ...fact, username: null, isAsked: false };
    if (!before.isAsked && twinsOf(before.phone).includes(phone)) {
      await join(tenantId, { ...joined, address: userJid(phone) }, before.phone);
      return remember(tenantId, address, userJid(before.phone));
    }
    // If one of the numbers is known only from a query, both numbers belong to the same person.
    const isSplit = (await splitFrom(tenantId, phone)).has(userJid(before.phone));
    if (!isSplit && (before.isAsked || fact.isAsked || fact.source === 'usync'))
      await join(tenantId, { ...joined, address: userJid(before.phone) }, phone);
    await join(tenantId, fact, phone);
  }

  async function part(tenantId: string, { address, isAsked = false, source, at, username }: Joined, phone: string): Promise<void> {
    await deps.parted?.(tenantId, address, phone);
    await identities.keepApart(tenantId, address, { phone, isAsked, source, at, username });
  }

  /** Two numbers for one address are not merged. Both are looked up on the network once. */
  async function contradict(tenantId: string, { address, phone, at }: IdentityFact, known: string): Promise<void> {
    if (!(await identities.contradict(tenantId, address, phone, at))) return;
    void deps.ask?.(tenantId, [phone, known]).then(async (answers) => {
      const named = new Set(answers.flatMap(({ lid, jid }) => (lid === address ? (phoneOf(jid ?? '') ?? []) : [])));
      const [registered, ...others] = named;
      if (registered !== undefined && others.length === 0)
        await learn(tenantId, { address, phone: registered, username: null, source: 'usync', at: clock.now() });
    }, ignored);
  }

  async function allLookedUp(tenantId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map(addresses.map((address) => [address, address]));
    const unfinished = new Set(found.keys());
    for (let steps = 0; steps < FOLLOWED && unfinished.size > 0; steps += 1) {
      const phones = await identities.phonesOf(tenantId, [...new Set(Array.from(unfinished, (address) => found.get(address) ?? address))]);
      for (const address of unfinished) {
        const by = found.get(address) ?? address;
        const phone = phones.get(by);
        if (phone === undefined || userJid(phone) === by) unfinished.delete(address);
        else found.set(address, userJid(phone));
      }
    }
    // Hidden addresses without a number are not cached, because another node may learn the number.
    for (const [address, by] of found) if (by !== address || !isLid(address)) remember(tenantId, address, by);
    return found;
  }

  const lookedUp = async (tenantId: string, address: string): Promise<string> =>
    (await allLookedUp(tenantId, [address])).get(address) ?? address;

  /** `alt`: another address of the person. `isChat`: a one-to-one chat, so the number is registered. */
  async function resolved(tenantId: string, address: string, alt: string | undefined, isChat: boolean): Promise<string> {
    const lid = [address, alt].find((one) => one !== undefined && isLid(one));
    const phone = phoneOf(address) ?? (alt === undefined ? null : phoneOf(alt));
    if (phone === null) return known(tenantId, address) ?? lookedUp(tenantId, address);
    const said = { phone, username: null, source: 'stanza', at: clock.now() } as const;
    if (lid !== undefined) {
      await learn(tenantId, { ...said, address: lid });
      return known(tenantId, lid) ?? lookedUp(tenantId, lid);
    }
    const by = userJid(phone);
    const own = known(tenantId, by);
    if (own !== undefined) return own;
    if (isChat && twinsOf(phone).length > 0) await registered(tenantId, { ...said, address: by });
    return lookedUp(tenantId, by);
  }

  async function placed(tenantId: string, { chat, chatAlt, from, fromAlt }: Whereabouts): Promise<MessageAddress> {
    const lid = [from, fromAlt].find((one) => one !== undefined && isLid(one)) ?? null;
    const writer = await resolved(tenantId, from, fromAlt, chat === from);
    if (chat === from) return { chat: writer, from: writer, lid };
    return { chat: isPerson(chat) ? await resolved(tenantId, chat, chatAlt, true) : chat, from: writer, lid };
  }

  function mayBeOther(tenantId: string, address: string): boolean {
    const phone = phoneOf(address);
    if (phone === null) return isLid(address);
    return (known(tenantId, address) ?? address) !== address || twinsOf(phone).length > 0;
  }

  function plainly(tenantId: string, { chat, chatAlt, from, fromAlt }: Whereabouts): MessageAddress | null {
    if (chatAlt !== undefined || fromAlt !== undefined || isLid(chat) || isLid(from)) return null;
    const [where, who] = [chat, from].map((one) => (phoneOf(one) === null ? one : known(tenantId, one)));
    return where === undefined || who === undefined ? null : { chat: where, from: who, lid: null };
  }

  return {
    place: (tenantId, where) => plainly(tenantId, where) ?? placed(tenantId, where),
    resolve: (tenantId, address) => (isPerson(address) ? (known(tenantId, address) ?? lookedUp(tenantId, address)) : address),
    async resolveAll(tenantId, addresses) {
      const cached = addresses.map((address) => (isPerson(address) ? known(tenantId, address) : address));
      const unknown = addresses.filter((_address, nth) => cached[nth] === undefined);
      const found = unknown.length > 0 ? await allLookedUp(tenantId, unknown) : null;
      return addresses.map((address, nth) => cached[nth] ?? found?.get(address) ?? address);
    },
    phonesOf: (tenantId, addresses) => identities.phonesOf(tenantId, addresses),
    learn,
    formsOf: createFormsOf(identities),

    find: (tenantId, address) => identities.find(tenantId, address),
    mayBeOther,
    isOther: async (tenantId, address) => isPerson(address) && (await lookedUp(tenantId, address)) !== address,

    async split(tenantId, addresses, people) {
      const own = userJid(people.to);
      const at = clock.now();
      // Split the person's own address last, because all steps can be repeated until then.
      for (const address of addresses.toSorted((one, other) => Number(one === own) - Number(other === own)))
        await identities.split(tenantId, address, { from: people.from, to: address === own ? null : people.to }, at);
      remembered.clear();
    },

    async settle(tenantId, sessionId, addresses) {
      const asked = addresses.filter((address) => mayBeOther(tenantId, address));
      const phones = asked.length > 0 ? await identities.phonesOf(tenantId, asked) : new Map<string, string>();
      for (const [address, phone] of phones) await mergeChat(deps, { tenantId, sessionId, address, phone });
      return new Map([...phones].map(([address, phone]) => [address, userJid(phone)]));
    },
  };
}

const ignored = (): void => undefined;

const isPerson = (address: string): boolean => isLid(address) || phoneOf(address) !== null;
