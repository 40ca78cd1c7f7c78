import { inChunks } from '../../runtime/in-chunks.ts';
import { present } from '../../runtime/invariant.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import { upsertWhere } from '../patterns/upsert-where.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import type { Owner } from './owner.ts';

/** `rev` increases with each change and owner; `value` is null if the secret was removed. */
export interface KeyEntry {
  readonly name: string;
  readonly rev: number;
  readonly value: string | null;
}

export interface StoredCredentials {
  /** New each time the device is linked, so that secrets of an earlier link are never read again. */
  readonly generation: string;
  /** Incremented each time an owner takes over the secrets. Only the latest owner may write them. */
  readonly term: number;
  /** The latest changes to keys whose own documents are outdated or do not exist yet. */
  readonly fresh: readonly KeyEntry[];
}

/** Number of revisions per term. Revisions of a later term are always greater. */
export const REVS_PER_TERM = 2 ** 30;

/**
 * A device's latest secret changes. They are in one document, so that related changes are a single
 * compare-and-set.
 */
export interface CredentialHeadRow extends StoredCredentials {
  readonly _id: string;
  readonly tenant_id: string;
  readonly epoch: number;
  /** Number of changes to `fresh`, so that an outdated writer's commit fails. */
  readonly commits?: number;
}

export interface KeyRow {
  readonly _id: string;
  readonly session_id: string;
  readonly generation: string;
  readonly kind: string;
  readonly rev: number;
  readonly value: string | null;
}

/** Thrown if another owner has taken the device. The caller must stop immediately. */
export class Fenced extends Error {
  override readonly name = 'Fenced';

  constructor() {
    super('another owner has taken this device');
  }
}

/** Rejects if the store is unavailable, instead of returning no secrets. */
export interface CredentialRows {
  create(owner: Owner, generation: string): Promise<StoredCredentials>;
  /**
   * After this call, only this owner and term may commit. Rejects with Fenced if another owner took
   * over.
   */
  take(owner: Owner): Promise<StoredCredentials | null>;
  commit(owner: Owner, storedCredentials: StoredCredentials): Promise<void>;
  /** Moves committed entries to their own documents, but never replaces a newer entry. */
  keep(owner: Owner, generation: string, entries: readonly KeyEntry[]): Promise<void>;
  read(generation: string, names: readonly string[]): Promise<readonly KeyEntry[]>;
  list(generation: string, kind: string): Promise<readonly KeyEntry[]>;
  /** With `generation`, deletes only that link's secrets. Rejects with Fenced. */
  destroy(owner: Owner, generation?: string): Promise<void>;
}

export const headSpec: CollectionSpec = { name: 'credentials', indexes: [] };
export const keySpec: CollectionSpec = {
  name: 'keys',
  indexes: [
    { name: 'by_kind', keys: { generation: 1, kind: 1, rev: 1 } },
    { name: 'by_device', keys: { session_id: 1, generation: 1 } },
  ],
};

/** Kinds removed without a marker. For others, a marker stops a late write from restoring the secret. */
const LEAVE_NO_MARK: ReadonlySet<string> = new Set([
  'pre-key',
  'inbound',
  'own-phone',
  'spread',
  'history',
  'absent',
  'label-facts',
  'early-receipts',
]);

const PRE_KEY = 'pre-key';
const TOGETHER = 500;
const AT_ONCE = 16;

export const kindOf = (name: string): string => name.slice(0, name.indexOf('/'));

export function credentialRowsIn(store: Store): CredentialRows {
  const heads: Collection<CredentialHeadRow> = store.collection<CredentialHeadRow>(headSpec);
  const keys: Collection<KeyRow> = store.collection<KeyRow>(keySpec);

  return {
    async create({ tenantId, sessionId, epoch }, generation) {
      const mine = { _id: sessionId, tenant_id: tenantId, epoch: { $lte: epoch } };
      const update = { $set: { epoch, generation, fresh: [] }, $inc: { term: 1, commits: 1 } };
      const head = await unlessFenced(() => heads.findOneAndUpdate(mine, update, { upsert: true, returnDocument: 'after' }));
      await keys.deleteMany({ session_id: sessionId, generation: { $ne: generation } });
      return takenOf(present(head, 'the head just written'));
    },

    async take({ tenantId, sessionId, epoch }) {
      const filter = { _id: sessionId, tenant_id: tenantId };
      const update = { $set: { epoch }, $inc: { term: 1 } };
      const head = await heads.findOneAndUpdate({ ...filter, epoch: { $lte: epoch } }, update, { returnDocument: 'after' });
      if (head) return takenOf(head);
      if (await heads.findOne(filter, { projection: { epoch: 1 } })) throw new Fenced();
      return null;
    },

    async commit({ tenantId, sessionId, epoch }, { generation, term, fresh }) {
      const mine = { _id: sessionId, tenant_id: tenantId, epoch, generation, term };
      const { matchedCount } = await heads.updateOne(mine, { $set: { fresh }, $inc: { commits: 1 } });
      if (matchedCount === 0) throw new Fenced();
    },

    async keep({ sessionId }, generation, entries) {
      const { gone = [], made = [], kept = [] } = Object.groupBy(entries, groupOf);
      const rows = [...made, ...kept].map((entry): KeyRow => rowOf(sessionId, generation, entry));
      await Promise.all([
        forget(keys, generation, gone),
        keepNew(keys, rows.slice(0, made.length)),
        keepEach(keys, rows.slice(made.length)),
      ]);
    },

    async read(generation, names) {
      const rows = await keys.find({ _id: { $in: names.map((name) => `${generation}/${name}`) } }).toArray();
      return rows.map((row) => entryOf(generation, row));
    },

    async list(generation, kind) {
      const rows = await keys.find({ generation, kind }, { sort: { rev: 1 } }).toArray();
      return rows.map((row) => entryOf(generation, row));
    },

    async destroy({ tenantId, sessionId, epoch }, generation) {
      const ofLink = generation === undefined ? {} : { generation };
      const filter = { _id: sessionId, tenant_id: tenantId, ...ofLink };
      await heads.deleteOne({ ...filter, epoch: { $lte: epoch } });
      if (await heads.findOne(filter, { projection: { epoch: 1 } })) throw new Fenced();
      await keys.deleteMany({ session_id: sessionId, ...ofLink });
    },
  };
}

const takenOf = ({ generation, term, fresh }: CredentialHeadRow): StoredCredentials => ({ generation, term, fresh });

const entryOf = (generation: string, { _id, rev, value }: KeyRow): KeyEntry => ({ name: _id.slice(generation.length + 1), rev, value });

async function unlessFenced<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw isDuplicateKey(cause) ? new Fenced() : cause;
  }
}

function groupOf({ name, value }: KeyEntry): 'gone' | 'made' | 'kept' {
  const kind = kindOf(name);
  if (value === null) return LEAVE_NO_MARK.has(kind) ? 'gone' : 'kept';
  return kind === PRE_KEY ? 'made' : 'kept';
}

/** Deletes old entries but keeps newer ones with the same name, whose `rev` is greater. */
async function forget(keys: Collection<KeyRow>, generation: string, gone: readonly KeyEntry[]): Promise<void> {
  if (gone.length === 0) return;
  const newest = Math.max(...gone.map(({ rev }) => rev));
  await keys.deleteMany({ _id: { $in: gone.map(({ name }) => `${generation}/${name}`) }, rev: { $lte: newest } });
}

/**
 * Writes in batches, because linking creates hundreds of keys and writing them one by one would
 * occupy every connection.
 */
async function keepNew(keys: Collection<KeyRow>, rows: readonly KeyRow[]): Promise<void> {
  for (const some of inChunks(rows, TOGETHER)) {
    if ((await insertedOf(keys, some)) === some.length) continue;
    const there = await keys.find({ _id: { $in: some.map(({ _id }) => _id) } }, { projection: { rev: 1 } }).toArray();
    const revs = new Map(there.map(({ _id, rev }) => [_id, rev]));
    await keepEach(
      keys,
      some.filter(({ _id, rev }) => (revs.get(_id) ?? -1) < rev),
    );
  }
}

async function keepEach(keys: Collection<KeyRow>, rows: readonly KeyRow[]): Promise<void> {
  for (const some of inChunks(rows, AT_ONCE))
    await Promise.all(some.map(({ _id, rev, ...rest }) => upsertWhere(keys, { _id, rev: { $lt: rev } }, { $set: { ...rest, rev } })));
}

const rowOf = (session_id: string, generation: string, { name, rev, value }: KeyEntry): KeyRow => ({
  _id: `${generation}/${name}`,
  session_id,
  generation,
  kind: kindOf(name),
  rev,
  value,
});
