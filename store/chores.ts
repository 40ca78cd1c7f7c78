import type { Collection, CollectionSpec, Store } from './collection.ts';
import type { SegmentRules } from './words.ts';

interface Chore {
  readonly _id: string;
  readonly tenant_id: string;
  readonly status: 'queued' | 'running' | 'done' | 'failed';
  /** Somebody has to go on with it. */
  readonly open: boolean;
  /** The last contact it has seen to; '': none. */
  readonly after: string;
  /** Steps in a row that failed. */
  readonly failures: number;
  /** Counts its changes: each is made to what was read, or not at all. */
  readonly rev: number;
  /** Epoch ms. */
  readonly created_at: number;
  readonly updated_at: number;
  /** Of one that is over. */
  readonly expires_at?: number;
}

/** A word was removed: it is to be taken off every contact. */
export interface ForgetChore extends Chore {
  readonly kind: 'forget';
  readonly words: 'groups' | 'tags' | 'attributes';
  readonly word_id: string;
}

export const BULK_ACTIONS = ['tag', 'untag', 'set_group', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The same is done to everybody of a segment as it was when that was asked for. */
export interface BulkChore extends Chore {
  readonly kind: 'bulk';
  readonly action: BulkAction;
  /** Id of the tag or the group; null: none. */
  readonly value: string | null;
  readonly rules: SegmentRules;
  readonly changed: number;
}

/** A file of contacts that is being imported. Its bytes lie in store/import-files.ts under the id of the chore. */
export interface ImportChore extends Chore {
  readonly kind: 'import';
  readonly file: {
    readonly bytes: number;
    /** How to read it: actors/crm/import/read-rows.ts. */
    readonly form: {
      readonly kind: 'csv' | 'rows';
      readonly encoding: 'utf-8' | 'windows-1252';
      readonly delimiter: string;
      readonly columns: readonly ImportColumn[];
    };
    /** Digits. */
    readonly callingCode: string;
    readonly optIn: boolean;
    /** Columns that are not imported. */
    readonly ignored: readonly string[];
  };
  /** The first byte that is not imported yet, and its line. */
  readonly place: { readonly offset: number; readonly line: number };
  readonly tally: ImportTally;
  readonly errors: readonly { readonly row: number; readonly field: string; readonly error: string }[];
}

/** What a column of a file says of a contact; null: nothing that we know. */
export type ImportColumn = ImportField | `attr.${string}` | null;

export type ImportField =
  | 'phone'
  | 'name'
  | 'first_name'
  | 'last_name'
  | 'var1'
  | 'var2'
  | 'var3'
  | 'var4'
  | 'var5'
  | 'group'
  | 'tags'
  | 'opt_in';

/** Rows so far. */
export interface ImportTally {
  readonly total: number;
  readonly created: number;
  readonly updated: number;
  readonly invalid: number;
  readonly opted_in: number;
}

export type ChoreRow = ForgetChore | BulkChore | ImportChore;

type Own<C extends Chore> = Omit<C, keyof Chore>;
/** What kind of chore, and what of it its kind needs. */
export type ChoreOrder = Own<ForgetChore> | Own<BulkChore> | Own<ImportChore>;
/** What a step changed. */
export type ChorePatch = Partial<Pick<Chore, 'status' | 'after' | 'failures'>> &
  Partial<Pick<BulkChore, 'changed'>> &
  Partial<Pick<ImportChore, 'place' | 'tally' | 'errors'>>;

/** Long work of a tenant, done in steps of which each may be repeated, by whichever node. */
export interface Chores {
  add(row: ChoreRow): Promise<void>;
  find(tenantId: string, id: string): Promise<ChoreRow | null>;
  /** The oldest that is open. */
  next(tenantId: string): Promise<ChoreRow | null>;
  /** Records a step; `done` and `failed` end it. Null: somebody else went on with it meanwhile. */
  advance(row: ChoreRow, patch: ChorePatch, now: number): Promise<ChoreRow | null>;
  /** Tenants with something open. */
  waiting(): Promise<readonly string[]>;
}

const KEPT_MS = 30 * 86_400_000;
const MOST_OPEN = 10_000;

const spec: CollectionSpec = {
  name: 'chores',
  indexes: [
    { name: 'open', keys: { open: 1 }, where: { open: true } },
    { name: 'open_of_tenant', keys: { tenant_id: 1, _id: 1 }, where: { open: true } },
  ],
  expires: 'expires_at',
};

export function choresIn(store: Store): Chores {
  const chores: Collection<ChoreRow> = store.collection<ChoreRow>(spec);

  return {
    add: async (row) => void (await chores.insertOne(row)),
    find: (tenant_id, _id) => chores.findOne({ _id, tenant_id }),
    next: (tenant_id) => chores.findOne({ tenant_id, open: true }, { sort: { _id: 1 } }),

    advance({ _id, rev }, patch, now) {
      const isOver = patch.status === 'done' || patch.status === 'failed';
      const ending = isOver && { open: false, expires_at: now + KEPT_MS };
      return chores.findOneAndUpdate(
        { _id, rev, open: true },
        { $set: { status: 'running', failures: 0, ...patch, ...ending, updated_at: now }, $inc: { rev: 1 } },
        { returnDocument: 'after' },
      );
    },

    async waiting() {
      const open = await chores.find({ open: true }, { projection: { tenant_id: 1 }, limit: MOST_OPEN }).toArray();
      return [...new Set(open.map(({ tenant_id }) => tenant_id))];
    },
  };
}
