import type { NamedLabels, SegmentRules } from '../contacts/labels.ts';
import { oneOfEach } from '../paging/one-of-each.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

interface Job {
  readonly _id: string;
  readonly tenant_id: string;
  readonly status: 'queued' | 'running' | 'done' | 'failed';
  /** The job has to continue. */
  readonly open: boolean;
  /** The last contact it has seen to, or the vendor's cursor behind the last page of templates; '': none. */
  readonly after: string;
  /** Steps in a row that failed. */
  readonly failures: number;
  /** Counts its changes: each applies to the revision that was read, or not at all. */
  readonly rev: number;
  /** Epoch ms. */
  readonly created_at: number;
  readonly updated_at: number;
  /** Of one that is over. */
  readonly expires_at?: number;
}

/** A word was removed: it is to be taken off every contact. */
export interface ForgetLabelJob extends Job {
  readonly kind: 'forget';
  readonly words: 'groups' | 'tags' | 'attributes';
  readonly label_id: string;
}

export const BULK_ACTIONS = ['tag', 'untag', 'set_group', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The same is done to everybody of a segment as it was when that was asked for. */
export interface BulkJob extends Job {
  readonly kind: 'bulk';
  readonly action: BulkAction;
  /** Id of the tag or the group; null: none. */
  readonly value: string | null;
  readonly rules: SegmentRules;
  /** Those of the rules, some of which may be removed by now; absent in older jobs. */
  readonly named?: NamedLabels;
  readonly changed: number;
}

/** A file of contacts that is being imported. Its bytes lie in store/contacts/import-files.ts under the id of the job. */
export interface ImportJob extends Job {
  readonly kind: 'import';
  readonly file: {
    readonly bytes: number;
    /** How to read it: actors/services/contacts/import/read-rows.ts. */
    readonly form: {
      readonly kind: 'csv' | 'rows';
      readonly encoding: 'utf-8' | 'windows-1252';
      readonly delimiter: string;
      readonly columns: readonly ImportColumn[];
      /** Places of the columns with numbers, the one that goes first first. Absent: in their order. */
      readonly phones?: readonly number[];
    };
    /** How digits without `+` or a leading zero are meant in all of the file; absent: nobody said. */
    readonly bareNumbers?: 'national' | 'international';
    /** What the columns that are imported became. */
    readonly decisions?: readonly { readonly column: string; readonly as: string }[];
    /** Digits. */
    readonly callingCode: string;
    readonly optIn: boolean;
    /** Columns that are not imported. */
    readonly ignored: readonly string[];
  };
  /** The first byte that is not imported yet, and its line. */
  readonly place: { readonly offset: number; readonly line: number };
  readonly tally: ImportTally;
  readonly errors: readonly ImportError[];
}

export interface ImportError {
  readonly row: number;
  readonly field: string;
  readonly error: Readonly<Record<'en' | 'id', string>>;
  /** A stable word for what is wrong. */
  readonly code: string;
  /** Of `ambiguous_number`: the numbers that may be meant. */
  readonly readings?: readonly string[];
}

/** The contact field of a file's column; null: unknown. */
export type ImportColumn = ImportField | `attr.${string}` | null;

export type ImportField =
  /** The row's line in the file, where that was converted. */
  | 'line'
  | 'phone'
  | 'lid'
  | 'username'
  | 'country'
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
  | 'opt_in'
  | 'opt_out'
  | 'consent';

/** Rows so far; of opt-outs people. */
export interface ImportTally {
  readonly total: number;
  readonly created: number;
  readonly updated: number;
  readonly invalid: number;
  readonly opted_in: number;
  readonly opted_out: number;
  readonly opt_outs_lifted: number;
  readonly opt_outs_kept: number;
  readonly merged: number;
}

/** A document is to be read, or to be removed: its row says which (store/ai-reply/documents.ts). */
export interface DocumentJob extends Job {
  readonly kind: 'document';
  readonly document_id: string;
}

/** The templates of the account of an official number are to be read, a page a step. */
export interface TemplatesJob extends Job {
  readonly kind: 'templates';
  readonly session_id: string;
}

export type JobRow = ForgetLabelJob | BulkJob | ImportJob | DocumentJob | TemplatesJob;

type Own<C extends Job> = Omit<C, keyof Job>;
/** The kind of job, and its parameters. */
export type JobOrder = Own<ForgetLabelJob> | Own<BulkJob> | Own<ImportJob> | Own<DocumentJob> | Own<TemplatesJob>;
/** The changes of a step. */
export type JobPatch = Partial<Pick<Job, 'status' | 'after' | 'failures'>> &
  Partial<Pick<BulkJob, 'changed'>> &
  Partial<Pick<ImportJob, 'place' | 'tally' | 'errors'>>;

/** Long work of a tenant, done in steps of which each may be repeated, by whichever node. */
export interface Jobs {
  add(row: JobRow): Promise<void>;
  /** Open ones of a tenant beside those of documents, which have limits of their own; no more than `limit` are counted. */
  count(tenantId: string, limit: number): Promise<number>;
  find(tenantId: string, id: string): Promise<JobRow | null>;
  /** The oldest that is open. */
  next(tenantId: string): Promise<JobRow | null>;
  /** Records a step; `done` and `failed` end it. Null: another caller continued it meanwhile. */
  advance(row: JobRow, patch: JobPatch, now: number): Promise<JobRow | null>;
  /** Tenants with something open. */
  waiting(): Promise<readonly string[]>;
}

const KEPT_MS = 30 * 86_400_000;

const spec: CollectionSpec = {
  name: 'jobs',
  indexes: [
    { name: 'of_tenant', keys: { tenant_id: 1, _id: 1 } },
    { name: 'open_of_tenant', keys: { tenant_id: 1, _id: 1 }, where: { open: true } },
  ],
  retired: ['open'],
  expires: 'expires_at',
};

export function jobsIn(store: Store): Jobs {
  const jobs: Collection<JobRow> = store.collection<JobRow>(spec);

  return {
    add: async (row) => void (await jobs.insertOne(row)),
    count: (tenant_id, limit) => jobs.countDocuments({ tenant_id, open: true, kind: { $ne: 'document' } }, { limit }),
    find: (tenant_id, _id) => jobs.findOne({ _id, tenant_id }),
    next: (tenant_id) => jobs.findOne({ tenant_id, open: true }, { sort: { _id: 1 } }),

    advance({ _id, rev }, patch, now) {
      const isOver = patch.status === 'done' || patch.status === 'failed';
      const ending = isOver && { open: false, expires_at: now + KEPT_MS };
      return jobs.findOneAndUpdate(
        { _id, rev, open: true },
        { $set: { status: 'running', failures: 0, ...patch, ...ending, updated_at: now }, $inc: { rev: 1 } },
        { returnDocument: 'after' },
      );
    },

    waiting: async () => (await oneOfEach(jobs, { open: true }, 'tenant_id')).map(({ tenant_id }) => tenant_id),
  };
}
