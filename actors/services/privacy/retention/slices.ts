import type { AuditLog } from '../../../../store/audit/audit-log.ts';
import type { MediaPlace, MediaRows } from '../../../../store/media/media.ts';
import { isFromNetwork } from '../../../../store/messaging/message-row.ts';
import type { Doc, Filter } from '../../../../store/port.ts';
import type { Retained, RetentionPart } from '../../../../store/privacy/retention.ts';
import { HOOKS_PER_MS, hooksOf } from '../../../../store/store-links/hooks.ts';
import { subjectOf } from '../../../network/subject.ts';
import { allForms, type FormsOf } from '../../identities/forms.ts';
import type { MediaLibrary } from '../../media/library.ts';
import { type Collections, opened } from '../person.ts';

export interface Context {
  readonly tenantId: string;
  readonly sessions: readonly string[];
  readonly removed: readonly string[];
  readonly linkIds: readonly string[];
  /** Returns the files that are still used. Call this late, because new messages may arrive during a run. */
  inUse(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Reads the current legal holds at each call, because one may be placed during a run. */
  held(): Promise<HeldPeople>;
  readonly mediaRows: Pick<MediaRows, 'oldest'>;
  readonly media: Pick<MediaLibrary, 'erase' | 'giveBack'>;
  readonly auditLog: Pick<AuditLog, 'after' | 'count' | 'cut'>;
  readonly collections: Collections;
}

export interface HeldPeople {
  readonly isEmpty: boolean;
  among(addresses: readonly string[]): Promise<ReadonlySet<string>>;
  named(texts: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface Slice {
  readonly collection: string;
  readonly ids: readonly string[];
  readonly isAside?: true;
  remove(): Promise<number>;
}

type Slices = (context: Context, cutoff: number) => AsyncGenerator<Slice, void>;

type Row = Doc & Readonly<Record<string, unknown>>;

const TOGETHER = 500;
const FILES_TOGETHER = 50;
const SUBJECTS = /(?<!\d)(?:\d{1,30}@lid|\d{7,15}(?!\d))/g;

export function heldPeople(
  { formsOf, hashOf }: { readonly formsOf: FormsOf; hashOf(tenantId: string, subject: string): string },
  tenantId: string,
  held: ReadonlySet<string>,
): HeldPeople {
  async function heldOf(subjects: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (held.size === 0) return new Set();
    const forms = await formsOf(tenantId, [...subjects]);
    return new Set([...subjects].filter((subject) => allForms(forms, subject).some((form) => held.has(hashOf(tenantId, form)))));
  }
  const subjectsIn = (text: string): readonly string[] => [...text.matchAll(SUBJECTS)].map(([subject]) => subject);
  return {
    isEmpty: held.size === 0,
    async among(addresses) {
      const found = await heldOf(new Set(addresses.flatMap((address) => subjectOf(address) ?? [])));
      return new Set(addresses.filter((address) => found.has(subjectOf(address) ?? '')));
    },
    async named(texts) {
      if (held.size === 0) return new Set();
      const found = await heldOf(new Set(texts.flatMap(subjectsIn)));
      return new Set(texts.filter((text) => subjectsIn(text).some((subject) => found.has(subject))));
    },
  };
}

export async function filesInUse(
  { collections, tenantId: tenant_id, sessions }: { collections: Collections; tenantId: string; sessions: readonly string[] },
  files: readonly string[],
): Promise<ReadonlySet<string>> {
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
    for await (const row of opened(collections, name).find({ ...filter, media_r2_key: { $in: files } }))
      if ('media_r2_key' in row && typeof row.media_r2_key === 'string') keys.add(row.media_r2_key);
  return new Set([...keys, ...(await filesOfRules(collections, sessions, files))]);
}

export async function filesOfRules(
  collections: Collections,
  sessions: readonly string[],
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const row of opened(collections, 'auto_replies').find({ _id: { $in: sessions } }))
    if ('rules' in row && Array.isArray(row.rules))
      for (const { reply_r2_key } of row.rules) if (files.includes(reply_r2_key)) keys.add(reply_r2_key);
  return keys;
}

const heldAmong = async ({ held }: Context, addresses: readonly string[]): Promise<ReadonlySet<string>> => (await held()).among(addresses);

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

const SETTLED: Filter = { outbox_pending: false, status: { $nin: ['queued', 'sending'] } };
const addressesOf = ({ chat_id, sender, sender_lid }: Row): readonly string[] =>
  [chat_id, sender, sender_lid].filter((address) => typeof address === 'string');

const idsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ _id }) => _id);

const goes = (context: Context, collection: string, rows: readonly Row[], still: Filter = {}): Slice => ({
  collection,
  ids: idsOf(rows),
  remove: async () => (await opened(context.collections, collection).deleteMany({ _id: { $in: idsOf(rows) }, ...still })).deletedCount,
});

async function* messages(context: Context, cutoff: number): AsyncGenerator<Slice, void> {
  for (const session_id of context.sessions)
    for await (const slice of oldRows(context, 'messages', { session_id, ...over(context, session_id) }, cutoff)) {
      const held = await heldAmong(context, [...new Set(slice.flatMap(addressesOf))]);
      const old = slice.filter((row) => !addressesOf(row).some((address) => held.has(address)));
      yield { collection: 'messages', ids: idsOf(old), remove: () => removeMessages(context, session_id, old) };
    }
  for (const session_id of context.sessions)
    for (const status of ['sent', 'failed'])
      for await (const slice of oldRows(context, 'scheduled', { session_id, status }, cutoff)) {
        const held = await heldAmong(context, [...new Set(slice.flatMap(addressesOf))]);
        const old = slice.filter((row) => !addressesOf(row).some((address) => held.has(address)));
        yield { ...goes(context, 'scheduled', old), isAside: true };
      }
}

/** Only settled messages may be removed, except those of removed devices, which are never settled. */
const over = ({ removed }: Context, session_id: string): Filter => (removed.includes(session_id) ? {} : SETTLED);

async function removeMessages(context: Context, session_id: string, old: readonly Row[]): Promise<number> {
  const { collections, media, tenantId } = context;
  if (old.length === 0) return 0;
  for (const { media_r2_key } of old.filter(isFromNetwork))
    if (typeof media_r2_key === 'string') await media.giveBack(tenantId, media_r2_key);
  const ids = idsOf(old);
  const chats = [...new Set(old.map(({ chat_id }) => `${session_id}:${chat_id}`))];
  await opened(collections, 'chats').updateMany({ _id: { $in: chats }, last_message_id: { $in: ids } }, { $set: { last_message: null } });
  const polls = old.flatMap(({ message_type, net_id }) => (message_type === 'poll' ? [String(net_id)] : []));
  if (polls.length > 0) await opened(collections, 'poll_votes').deleteMany({ session_id, poll: { $in: polls } });
  await opened(collections, 'member_receipts').deleteMany({ _id: { $in: old.map(({ net_id }) => `${session_id}:${net_id}`) } });
  return (await opened(collections, 'messages').deleteMany({ _id: { $in: ids }, ...over(context, session_id) })).deletedCount;
}

async function* media(context: Context, cutoff: number): AsyncGenerator<Slice, void> {
  let after: MediaPlace | null = null;
  for (;;) {
    const slice = await context.mediaRows.oldest(context.tenantId, after, FILES_TOGETHER);
    const held = await heldAmong(
      context,
      slice.flatMap(({ chat_id }) => chat_id ?? []),
    );
    const old = slice.filter(({ created_at, chat_id }) => created_at < cutoff && !(chat_id !== null && held.has(chat_id)));
    const inUse = await context.inUse(old.map(({ _id }) => _id));
    const keys = old.map(({ _id }) => _id).filter((key) => !inUse.has(key));
    if (keys.length > 0) yield { collection: 'media', ids: keys, remove: () => eraseFiles(context, keys) };
    const last = slice.at(-1);
    if (!last || slice.length < FILES_TOGETHER || last.created_at >= cutoff) return;
    after = { _id: last._id, created_at: last.created_at };
  }
}

async function eraseFiles({ media: library, tenantId, inUse }: Context, keys: readonly string[]): Promise<number> {
  const needed = await inUse(keys);
  let erased = 0;
  for (const key of keys) if (!needed.has(key) && (await library.erase(tenantId, key))) erased += 1;
  return erased;
}

async function* webhooks(context: Context, cutoff: number): AsyncGenerator<Slice, void> {
  const { collections, tenantId: tenant_id } = context;
  for await (const slice of oldRows(context, 'deliveries', { tenant_id }, cutoff)) {
    const texts = slice.map((row) => JSON.stringify(row));
    const held = await (await context.held()).named(texts);
    yield goes(
      context,
      'deliveries',
      slice.filter((row, nth) => row['status'] !== 'pending' && !held.has(texts[nth] ?? '')),
      { status: { $ne: 'pending' } },
    );
  }
  const before = cutoff * HOOKS_PER_MS;
  for (const link_id of context.linkIds)
    for (let from = 0; from < before; ) {
      const found = await opened(collections, 'store_hooks')
        .find({ ...hooksOf(link_id, { from, before }), pending: false }, { sort: { _id: 1 }, limit: TOGETHER })
        .toArray();
      const slice = found.map((row): Row => ({ ...row }));
      if (slice.length > 0) yield goes(context, 'store_hooks', slice);
      from = slice.length < TOGETHER ? before : Number(slice.at(-1)?.['no']) + 1;
    }
}

/** Removes the oldest entries, and only without a legal hold, because an entry may name any person. */
async function* audit({ auditLog, held, tenantId }: Context, cutoff: number): AsyncGenerator<Slice, void> {
  for (let after = 0; (await held()).isEmpty; ) {
    const slice = await auditLog.after(tenantId, after, TOGETHER);
    const young = slice.findIndex(({ at }) => at >= cutoff);
    const old = young === -1 ? slice : slice.slice(0, young);
    const ids = old.map(({ _id }) => _id);
    if (ids.length > 0) yield { collection: 'audit', ids, remove: () => auditLog.cut(tenantId, cutoff, ids.length) };
    const last = old.at(-1);
    if (!last || old.length < TOGETHER) return;
    after = last.seq;
  }
}

export async function countLeft(
  { auditLog, collections }: Pick<Context, 'auditLog' | 'collections'>,
  part: RetentionPart,
): Promise<number> {
  if (part.collection === 'audit') return auditLog.count(part.ids);
  return opened(collections, part.collection).countDocuments({ _id: { $in: part.ids } });
}

export const SLICES: Readonly<Record<Retained, Slices>> = { messages, media, webhooks, audit };
