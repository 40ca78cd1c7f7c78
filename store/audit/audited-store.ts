/**
 * A store whose writes carry the audit entry of the action that makes them (see act-scope.ts). A
 * write stores the entry in the row that it changes, and the entry is then moved to the log. After
 * a crash in between, `processAll` finds it in the row. A row to be removed is marked first, so
 * that another process can finish the removal. Every audited action therefore has exactly one
 * entry.
 */

import { entry } from '../../runtime/invariant.ts';
import { memberOf } from '../../runtime/shapes.ts';
import {
  type Collection,
  type CollectionSpec,
  type Cursor,
  type Doc,
  type Filter,
  isDuplicateKey,
  type Sort,
  type Store,
  type Update,
} from '../port.ts';
import { type Act, actFor, type WriteKind } from './act-scope.ts';
import type { AuditDraft } from './entry.ts';
import { changesOf } from './shown-fields.ts';

const AUDITED_COLLECTIONS = [
  'account_deletions',
  'agents',
  'ai_answers',
  'ai_documents',
  'ai_settings',
  'ai_unanswered',
  'api_keys',
  'assignments',
  'attributes',
  'auto_replies',
  'campaigns',
  'consent_configs',
  'consents',
  'contact_groups',
  'contacts',
  'devices',
  'jobs',
  'logins',
  'media',
  'move_ins',
  'passkeys',
  'privacy_erasures',
  'privacy_exports',
  'privacy_holds',
  'privacy_retention',
  'push_subscriptions',
  'recurring',
  'rotators',
  'second_factors',
  'segments',
  'store_links',
  'tags',
  'templates',
  'tenants',
  'webhooks',
] as const;
export type AuditedCollection = (typeof AUDITED_COLLECTIONS)[number];
const IS_AUDITED: ReadonlySet<string> = new Set(AUDITED_COLLECTIONS);

export type Append = (draft: AuditDraft) => Promise<void>;

export interface AuditedStore extends Store {
  readonly known: Pick<ReadonlyMap<string, Collection<Doc>>, 'get'>;
  process(collection: string, id: string): Promise<void>;
  processAll(): Promise<number>;
}

interface Carried {
  readonly audit_outbox?: Readonly<Record<string, AuditDraft>>;
  readonly audit_pending?: string;
  readonly audit_removed?: boolean;
}

const CARRIED: readonly (keyof Carried)[] = ['audit_outbox', 'audit_pending', 'audit_removed'];

type Raw = Pick<Collection<Doc & Carried>, 'find' | 'findOne' | 'updateOne' | 'deleteOne'>;

const PENDING: Filter = { audit_pending: { $gt: '' } };
const BATCH = 100;

export function auditedStore(store: Store, append: Append): AuditedStore {
  const wrapped = new Map<string, Raw>();
  const specs = new Map<string, CollectionSpec>();

  async function process(name: string, id: string): Promise<void> {
    const raw = entry(wrapped, name);
    for (;;) {
      const row = await raw.findOne({ _id: id });
      if (row?.audit_pending === undefined) return;
      const entries = Object.entries(row.audit_outbox ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
      for (const [, draft] of entries) await append(draft);
      const seen = { _id: id, audit_pending: row.audit_pending };
      if (row.audit_removed) await raw.deleteOne({ ...seen, audit_removed: true });
      else await raw.updateOne(seen, { $unset: { audit_outbox: 1, audit_pending: 1 } });
    }
  }

  async function processSome(name: string): Promise<number> {
    const pending = await entry(wrapped, name)
      .find(PENDING, { projection: { _id: 1 }, limit: BATCH })
      .toArray();
    for (const { _id } of pending) await process(name, _id);
    return pending.length;
  }

  function noted<T extends Doc>(spec: CollectionSpec, collection: Collection<T>): Collection<T> {
    specs.set(spec.name, spec);
    return collection;
  }

  const audited: AuditedStore = {
    name: store.name,
    known: {
      get(name) {
        const spec = specs.get(name);
        return spec && audited.collection<Doc>(spec);
      },
    },
    collection<T extends Doc>(spec: CollectionSpec): Collection<T> {
      if (!IS_AUDITED.has(spec.name)) return noted(spec, store.collection<T>(spec));
      const indexes = [...spec.indexes, { name: 'audit_pending', keys: { audit_pending: 1 }, where: PENDING } as const];
      const raw = store.collection<T & Carried>({ ...spec, indexes });
      wrapped.set(spec.name, raw);
      return noted(spec, carrying(raw, spec, process));
    },
    ...(store.together && {
      together: <R>(issue: () => R, isStrict?: boolean): R => (store.together ? store.together(issue, isStrict) : issue()),
    }),
    ...(store.soon && { soon: () => store.soon?.() ?? Promise.resolve() }),
    ...(store.writesTo && { writesTo: (collection: string): number => store.writesTo?.(collection) ?? 0 }),
    prepare: () => store.prepare(),
    ping: () => store.ping(),
    ...(store.isAway && { isAway: () => store.isAway?.() ?? false }),
    sweep: (now) => store.sweep(now),
    close: () => store.close(),
    process,

    async processAll() {
      let rows = 0;
      for (const name of wrapped.keys()) rows += await processSome(name);
      return rows;
    },
  };
  return audited;
}

function carrying<T extends Doc>(
  raw: Collection<T & Carried>,
  { name, indexes }: CollectionSpec,
  process: AuditedStore['process'],
): Collection<T> {
  const noted = (act: Act, id: string): void => void act.carriers.push({ collection: name, id });

  async function prepared(kind: WriteKind, filter: Filter, update: Update, upsert: boolean) {
    const act = actFor(name, kind);
    if (!act) return null;
    const before = await raw.findOne(filter);
    if (!before && !upsert) return null;
    const id = before?._id ?? String(filter['_id'] ?? update.$setOnInsert?.['_id'] ?? '');
    const unset = Object.fromEntries(Object.keys(update.$unset ?? {}).map((path) => [path, null]));
    const changes = kind === 'delete' ? [] : changesOf(name, before, { ...update.$setOnInsert, ...update.$set, ...unset });
    const carried: Update = { ...update, $set: { ...update.$set, ...outboxOf(filled(act.draft, id, before, changes)) } };
    // An upsert of a row that is being removed cancels the removal.
    const put: Update = { ...carried, $unset: { ...carried.$unset, audit_removed: 1 } };
    return { act, id, update: upsert ? put : carried };
  }

  /** Marks the row as removed. The row is deleted once its entry is in the log. */
  async function markRemoved(filter: Filter): Promise<T | null> {
    const carries = await prepared('delete', filter, { $set: { audit_removed: true } }, false);
    if (!carries) return null;
    const row = await raw.findOneAndUpdate(filter, carries.update, { returnDocument: 'before' });
    if (!row) return null;
    noted(carries.act, row._id);
    return stripped<T>(row);
  }

  async function processBefore(filter: Filter): Promise<void> {
    const pending = await raw.find({ $and: [filter, PENDING] }, { projection: { _id: 1 }, limit: BATCH }).toArray();
    for (const { _id } of pending) await process(name, _id);
    if (pending.length === BATCH) await processBefore(filter);
  }

  async function inserted(doc: T): Promise<Awaited<ReturnType<typeof raw.insertOne>>> {
    try {
      return await raw.insertOne(doc);
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      const leaving = await raw.findOne({ ...PENDING, ...holderOf(doc, cause.keyPattern), audit_removed: true });
      if (!leaving) throw cause;
      await process(name, leaving._id);
      // Tries again. The document may also conflict with a different row in another unique index.
      return inserted(doc);
    }
  }

  function holderOf(doc: T, keys: Sort): Filter {
    const paths = Object.keys(keys);
    const index = indexes.find((one) => one.unique && Object.keys(one.keys).join() === paths.join());
    const values: Filter = Object.fromEntries(Object.entries(doc).filter(([path]) => paths.includes(path)));
    return { ...index?.where, ...values };
  }

  const own: Partial<Collection<T>> = {
    findOne: (filter, options) => raw.findOne(filter, options).then((row) => strippedOrNull<T>(row)),
    find: (filter, options) => strippedCursor<T>(raw.find(filter, options)),

    async insertOne(doc) {
      const act = actFor(name, 'insert');
      if (!act) return inserted(doc);
      const changes = changesOf(name, null, doc);
      const answer = await inserted({ ...doc, ...heldIn(filled(act.draft, doc._id, doc, changes)) });
      noted(act, doc._id);
      return answer;
    },

    async insertMany(docs, options) {
      const act = actFor(name, 'insert');
      const [first, ...rest] = docs;
      if (!act || !first) return raw.insertMany(docs, options);
      const changes = changesOf(name, null, first);
      const answer = await raw.insertMany([{ ...first, ...heldIn(filled(act.draft, first._id, first, changes)) }, ...rest], options);
      noted(act, first._id);
      return answer;
    },

    async updateOne(filter, update, options) {
      // Issues the update synchronously, because the call may be inside `together`.
      if (!actFor(name, 'update')) return raw.updateOne(filter, update, options);
      const carries = await prepared('update', filter, update, options?.upsert === true);
      if (!carries) return raw.updateOne(filter, update, options);
      const answer = await raw.updateOne(filter, carries.update, options);
      if (answer.matchedCount + answer.upsertedCount > 0) noted(carries.act, carries.id);
      return answer;
    },

    async findOneAndUpdate(filter, update, options) {
      if (!actFor(name, 'update')) return raw.findOneAndUpdate(filter, update, options).then((row) => strippedOrNull<T>(row));
      const carries = await prepared('update', filter, update, options.upsert === true);
      if (!carries) return strippedOrNull<T>(await raw.findOneAndUpdate(filter, update, options));
      const row = await raw.findOneAndUpdate(filter, carries.update, options);
      if (row || options.upsert) noted(carries.act, row?._id ?? carries.id);
      return strippedOrNull<T>(row);
    },

    async deleteOne(filter) {
      const row = await markRemoved(filter);
      if (row) {
        await process(name, row._id);
        return { deletedCount: 1 };
      }
      await processBefore(filter);
      return raw.deleteOne(filter);
    },

    async deleteMany(filter) {
      const row = await markRemoved(filter);
      if (row) await process(name, row._id);
      await processBefore(filter);
      const { deletedCount } = await raw.deleteMany(filter);
      return { deletedCount: deletedCount + (row ? 1 : 0) };
    },

    async findOneAndDelete(filter) {
      const row = await markRemoved(filter);
      if (row) {
        await process(name, row._id);
        return row;
      }
      await processBefore(filter);
      return strippedOrNull<T>(await raw.findOneAndDelete(filter));
    },
  };

  return new Proxy(raw, {
    get(target, member) {
      const replaced: unknown = Reflect.get(own, member);
      if (replaced) return replaced;
      const there: unknown = Reflect.get(target, member);
      return typeof there === 'function' ? there.bind(target) : there;
    },
  });
}

const outboxOf = (draft: AuditDraft): Record<string, unknown> => ({ [`audit_outbox.${draft.id}`]: draft, audit_pending: draft.id });
const heldIn = (draft: AuditDraft): Carried => ({ audit_outbox: { [draft.id]: draft }, audit_pending: draft.id });

function filled(draft: AuditDraft, id: string, row: object | null, changes: AuditDraft['changes']): AuditDraft {
  const { kind, id: named } = draft.target;
  const person = kind === 'person' ? memberOf(row, 'subject') : undefined;
  const target = typeof person === 'string' ? person : (named ?? id);
  return { ...draft, target: { kind, id: target }, changes: [...draft.changes, ...changes] };
}

function stripped<T extends Doc>(row: T & Carried): T {
  if (row.audit_pending === undefined) return row;
  const own = { ...row };
  for (const field of CARRIED) Reflect.deleteProperty(own, field);
  return own;
}

const strippedOrNull = <T extends Doc>(row: (T & Carried) | null): T | null => row && stripped<T>(row);

function strippedCursor<T extends Doc>(cursor: Cursor<T & Carried>): Cursor<T> {
  return {
    toArray: async () => (await cursor.toArray()).map((row) => stripped<T>(row)),
    async *[Symbol.asyncIterator]() {
      for await (const row of cursor) yield stripped<T>(row);
    },
  };
}
