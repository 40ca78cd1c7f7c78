import type { AuditLog } from '../../../../store/audit/audit-log.ts';
import type { Identities } from '../../../../store/identities/identities.ts';
import type { MediaPlace, MediaRows } from '../../../../store/media/media.ts';
import type { Doc, Filter } from '../../../../store/port.ts';
import type { Retained } from '../../../../store/privacy/retention.ts';
import { HOOKS_PER_MS } from '../../../../store/store-links/hooks.ts';
import { isLid, phoneOf } from '../../../network/jid.ts';
import type { MediaLibrary } from '../../media/library.ts';
import { type Collections, opened } from '../person.ts';

/** What a run works with. */
export interface Context {
  readonly tenantId: string;
  /** Nothing is removed: it is only counted. */
  readonly isTrial: boolean;
  readonly sessions: readonly string[];
  readonly linkIds: readonly string[];
  /** Files that something still needs. */
  readonly inUse: ReadonlySet<string>;
  readonly held: HeldPeople;
  readonly mediaRows: Pick<MediaRows, 'oldest'>;
  readonly media: Pick<MediaLibrary, 'erase' | 'giveBack'>;
  readonly auditLog: Pick<AuditLog, 'cut' | 'countBefore'>;
  readonly collections: Collections;
}

/** Who is kept by a hold of their own. */
export interface HeldPeople {
  readonly isEmpty: boolean;
  /** Those of these addresses that are theirs. */
  among(addresses: readonly string[]): Promise<ReadonlySet<string>>;
  /** Does a number of theirs stand in it? */
  namedIn(text: string): boolean;
}

/** Goes through what is older than `cutoff` (epoch ms), oldest first, a part at each step: gives how many records went. */
type Slices = (context: Context, cutoff: number) => AsyncGenerator<number, void>;

type Row = Doc & Readonly<Record<string, unknown>>;

const TOGETHER = 500;
const FILES_TOGETHER = 50;
const NUMBERS = /(?<!\d)\d{7,15}(?!\d)/g;

/** `held`: the keyed hashes of their numbers. */
export function heldPeople(
  { identities, hashOf }: { readonly identities: Pick<Identities, 'phonesOf'>; hashOf(tenantId: string, phone: string): string },
  tenantId: string,
  held: ReadonlySet<string>,
): HeldPeople {
  const isHeld = (phone: string | null | undefined): boolean => phone != null && held.has(hashOf(tenantId, phone));
  return {
    isEmpty: held.size === 0,
    async among(addresses) {
      if (held.size === 0) return new Set();
      const phones = await identities.phonesOf(tenantId, addresses.filter(isLid));
      return new Set(addresses.filter((address) => isHeld(phoneOf(address) ?? phones.get(address))));
    },
    namedIn: (text) => held.size > 0 && [...text.matchAll(NUMBERS)].some(([digits]) => isHeld(digits)),
  };
}

/** Files that templates, waiting and repeated messages and campaigns that are not over name. */
export async function filesInUse(collections: Collections, tenant_id: string, sessions: readonly string[]): Promise<ReadonlySet<string>> {
  const filters: (readonly [string, Filter])[] = [
    ['templates', { tenant_id }],
    ['campaigns', { tenant_id, status: { $in: ['draft', 'running', 'paused'] } }],
    ...sessions.flatMap((session_id): (readonly [string, Filter])[] => [
      ['scheduled', { session_id, status: 'pending' }],
      ['recurring', { session_id }],
      ['messages', { session_id, status: 'queued' }],
      ['messages', { session_id, status: 'sending' }],
    ]),
  ];
  const keys = new Set<string>();
  for (const [name, filter] of filters)
    for await (const row of opened(collections, name).find(filter))
      if ('media_r2_key' in row && typeof row.media_r2_key === 'string') keys.add(row.media_r2_key);
  return keys;
}

async function* oldRows(context: Context, name: string, filter: Filter, cutoff: number): AsyncGenerator<readonly Row[]> {
  const rows = opened(context.collections, name);
  let behind: Filter = {};
  for (;;) {
    const found = await rows
      .find({ ...filter, ...behind, $and: [{ created_at: { $lt: cutoff } }] }, { sort: { created_at: 1, _id: 1 }, limit: TOGETHER })
      .toArray();
    const slice = found.map((row): Row => ({ ...row }));
    if (slice.length > 0) yield slice;
    const last = slice.at(-1);
    if (!last || slice.length < TOGETHER) return;
    const at = Number(last['created_at']);
    behind = { created_at: { $gte: at }, $or: [{ created_at: { $gt: at } }, { _id: { $gt: last._id } }] };
  }
}

const WAITING = new Set(['queued', 'sending']);
const addressesOf = ({ chat_id, sender, sender_lid }: Row): readonly string[] =>
  [chat_id, sender, sender_lid].filter((address) => typeof address === 'string');

/** Messages, what was said of them, and what was scheduled and is over. */
async function* messages(context: Context, cutoff: number): AsyncGenerator<number, void> {
  for (const session_id of context.sessions)
    for await (const slice of oldRows(context, 'messages', { session_id }, cutoff)) {
      const held = await context.held.among([...new Set(slice.flatMap(addressesOf))]);
      const old = slice.filter(
        (row) =>
          !WAITING.has(String(row['status'])) && row['outbox_pending'] !== true && !addressesOf(row).some((address) => held.has(address)),
      );
      if (!context.isTrial) await removeMessages(context, session_id, old);
      yield old.length;
    }
  if (context.isTrial) return;
  for (const session_id of context.sessions)
    for (const status of ['sent', 'failed'])
      for await (const slice of oldRows(context, 'scheduled', { session_id, status }, cutoff)) {
        const held = await context.held.among([...new Set(slice.flatMap(addressesOf))]);
        const old = slice.filter((row) => !addressesOf(row).some((address) => held.has(address)));
        await opened(context.collections, 'scheduled').deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
        yield 0;
      }
}

async function removeMessages({ collections, media, tenantId }: Context, session_id: string, old: readonly Row[]): Promise<void> {
  if (old.length === 0) return;
  for (const { direction, media_r2_key } of old)
    if (direction === 'inbound' && typeof media_r2_key === 'string') await media.giveBack(tenantId, media_r2_key);
  const ids = old.map(({ _id }) => _id);
  const chats = [...new Set(old.map(({ chat_id }) => `${session_id}:${chat_id}`))];
  await opened(collections, 'chats').updateMany({ _id: { $in: chats }, last_message_id: { $in: ids } }, { $set: { last_message: null } });
  const polls = old.flatMap(({ message_type, net_id }) => (message_type === 'poll' ? [String(net_id)] : []));
  if (polls.length > 0) await opened(collections, 'poll_votes').deleteMany({ session_id, poll: { $in: polls } });
  await opened(collections, 'messages').deleteMany({ _id: { $in: ids }, outbox_pending: false, status: { $nin: [...WAITING] } });
}

async function* media(context: Context, cutoff: number): AsyncGenerator<number, void> {
  let after: MediaPlace | null = null;
  for (;;) {
    const slice = await context.mediaRows.oldest(context.tenantId, after, FILES_TOGETHER);
    const held = await context.held.among(slice.flatMap(({ chat_id }) => chat_id ?? []));
    const old = slice.filter(
      ({ _id, created_at, chat_id }) => created_at < cutoff && !context.inUse.has(_id) && !(chat_id !== null && held.has(chat_id)),
    );
    if (!context.isTrial) for (const { _id } of old) await context.media.erase(context.tenantId, _id);
    if (old.length > 0) yield old.length;
    const last = slice.at(-1);
    if (!last || slice.length < FILES_TOGETHER || last.created_at >= cutoff) return;
    after = { _id: last._id, created_at: last.created_at };
  }
}

/** What was delivered, and what online stores delivered to us. */
async function* webhooks(context: Context, cutoff: number): AsyncGenerator<number, void> {
  const { collections, held, isTrial, tenantId: tenant_id } = context;
  for await (const slice of oldRows(context, 'deliveries', { tenant_id }, cutoff)) {
    const old = slice.filter((row) => row['status'] !== 'pending' && !held.namedIn(JSON.stringify(row)));
    if (!isTrial) await opened(collections, 'deliveries').deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
    yield old.length;
  }
  for (const link_id of context.linkIds) {
    const filter = { link_id, no: { $lt: cutoff * HOOKS_PER_MS }, pending: false };
    const hooks = opened(collections, 'store_hooks');
    yield isTrial ? await hooks.countDocuments(filter) : (await hooks.deleteMany(filter)).deletedCount;
  }
}

/** Only from the old end: while somebody is held, whose name may stand in it, nothing goes. */
async function* audit({ auditLog, held, isTrial, tenantId }: Context, cutoff: number): AsyncGenerator<number, void> {
  if (!held.isEmpty) return;
  if (isTrial) {
    yield await auditLog.countBefore(tenantId, cutoff);
    return;
  }
  for (let removed = await auditLog.cut(tenantId, cutoff, TOGETHER); removed > 0; removed = await auditLog.cut(tenantId, cutoff, TOGETHER))
    yield removed;
}

export const SLICES: Readonly<Record<Retained, Slices>> = { messages, media, webhooks, audit };
