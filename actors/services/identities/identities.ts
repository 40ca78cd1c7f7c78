import type { Clock } from '../../../runtime/clock.ts';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import type { MessageAddress } from '../../domain/message-address.ts';
import { isLid, phoneOf, userJid } from '../../network/jid.ts';
import type { Whereabouts } from '../../network/port.ts';
import { type MergeDeps, mergeChat } from './merge-chats.ts';

/** One person is one chat and one contact, whichever of their addresses they write from: the number's, as soon as it is known. */
export interface IdentityResolver {
  /** Learns from the network that two addresses belong to the same person. */
  place(tenantId: string, where: Whereabouts): MessageAddress | Promise<MessageAddress>;
  /** The address that stands for this one. */
  resolve(tenantId: string, address: string): string | Promise<string>;
  /** Numbers by hidden address, of those that are known. */
  phonesOf(tenantId: string, lids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** These two are the same person: their chats on every device of the tenant become one before it resolves. */
  learn(tenantId: string, lid: string, phone: string): Promise<void>;
  /** Merges a device's records under a hidden address whose number is known by now; returns the addresses of these numbers. */
  settle(tenantId: string, sessionId: string, lids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface IdentityResolverDeps extends MergeDeps {
  readonly identities: Identities;
  readonly devices: Pick<Devices, 'ids'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The two addresses are the same person: merges other records that are kept by address, before their chats. Idempotent. */
  merged?(tenantId: string, lid: string, phone: string): Promise<void>;
}

/** Of each node; a miss costs a look-up. */
const REMEMBERED = 50_000;
/** Then it is looked up again: another node may have learned a new number, or an erasure removed the old one. */
const REMEMBERED_MS = 60_000;

export function createIdentityResolver(deps: IdentityResolverDeps): IdentityResolver {
  const { identities, devices, clock } = deps;
  const remembered = new RecentCache<string, string>(REMEMBERED);
  let since = clock.monotonic();

  function known(tenantId: string, lid: string): string | undefined {
    if (clock.monotonic() - since >= REMEMBERED_MS) {
      remembered.clear();
      since = clock.monotonic();
    }
    return remembered.get(`${tenantId}:${lid}`);
  }

  /** A customer is new to nearly all of a tenant's devices: only those that have something of the hidden address are gone through. */
  async function holding(tenantId: string, lid: string): Promise<ReadonlySet<string>> {
    const ids = await devices.ids(tenantId);
    const found = await Promise.all([deps.chats.devicesWith(tenantId, lid), deps.moves.devicesWith(ids, lid)]);
    return new Set(found.flat());
  }

  async function learn(tenantId: string, lid: string, phone: string): Promise<void> {
    if (known(tenantId, lid) === phone) return;
    if (await identities.learn(tenantId, lid, phone)) {
      await deps.merged?.(tenantId, lid, phone);
      for (const sessionId of await holding(tenantId, lid)) await mergeChat(deps, { tenantId, sessionId, lid, phone });
      await identities.merged(tenantId, lid, phone);
    }
    remembered.set(`${tenantId}:${lid}`, phone);
  }

  async function lookedUp(tenantId: string, lid: string): Promise<string> {
    const phone = known(tenantId, lid) ?? (await identities.phonesOf(tenantId, [lid])).get(lid);
    return phone === undefined ? lid : userJid(phone);
  }

  /** `alt` is the other address of the same person, if the network named it. */
  async function resolved(tenantId: string, address: string, alt: string | undefined): Promise<string> {
    const lid = [address, alt].find((one) => one !== undefined && isLid(one));
    const phone = phoneOf(address) ?? (alt === undefined ? null : phoneOf(alt));
    if (lid !== undefined && phone !== null) await learn(tenantId, lid, phone);
    if (phone !== null) return userJid(phone);
    return lid === undefined ? address : lookedUp(tenantId, lid);
  }

  async function placed(tenantId: string, { chat, chatAlt, from, fromAlt }: Whereabouts): Promise<MessageAddress> {
    const lid = [from, fromAlt].find((one) => one !== undefined && isLid(one)) ?? null;
    const writer = await resolved(tenantId, from, fromAlt);
    return { chat: chat === from ? writer : await resolved(tenantId, chat, chatAlt), from: writer, lid };
  }

  return {
    place: (tenantId, where) => (isPlain(where) ? { chat: where.chat, from: where.from, lid: null } : placed(tenantId, where)),
    resolve: (tenantId, address) => (isLid(address) ? lookedUp(tenantId, address) : address),
    phonesOf: (tenantId, lids) => identities.phonesOf(tenantId, lids),
    learn,

    async settle(tenantId, sessionId, lids) {
      const phones = await identities.phonesOf(tenantId, lids);
      for (const [lid, phone] of phones) await mergeChat(deps, { tenantId, sessionId, lid, phone });
      return new Map([...phones].map(([lid, phone]) => [lid, userJid(phone)]));
    },
  };
}

const isPlain = ({ chat, chatAlt, from, fromAlt }: Whereabouts): boolean =>
  chatAlt === undefined && fromAlt === undefined && !isLid(chat) && !isLid(from);
