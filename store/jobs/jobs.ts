import type { NamedLabels, SegmentRules } from '../contacts/labels.ts';
import { oneOfEach } from '../paging/one-of-each.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

interface Job {
  readonly _id: string;
  readonly tenant_id: string;
  readonly status: 'queued' | 'running' | 'done' | 'failed';
  readonly open: boolean;
  /** The last processed contact or the vendor's cursor for templates; '' at the start. */
  readonly after: string;
  readonly failures: number;
  readonly rev: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly expires_at?: number;
}

export interface ForgetLabelJob extends Job {
  readonly kind: 'forget';
  readonly words: 'groups' | 'tags' | 'attributes';
  readonly label_id: string;
}

export const BULK_ACTIONS = ['tag', 'untag', 'set_group', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

export interface BulkJob extends Job {
  readonly kind: 'bulk';
  readonly action: BulkAction;
  readonly value: string | null;
  readonly rules: SegmentRules;
  readonly named?: NamedLabels;
  readonly changed: number;
}

export interface ImportJob extends Job {
  readonly kind: 'import';
  readonly file: {
    readonly bytes: number;
    readonly form: {
      readonly kind: 'csv' | 'rows';
      readonly encoding: 'utf-8' | 'windows-1252';
      readonly delimiter: string;
      readonly columns: readonly ImportColumn[];
      /** Indexes of the number columns in order of preference. Absent to use the order of the columns. */
      readonly phones?: readonly number[];
    };
    /** How to interpret digits without `+` or a leading zero. */
    readonly bareNumbers?: 'national' | 'international';
    readonly decisions?: readonly { readonly column: string; readonly as: string }[];
    readonly callingCode: string;
    readonly optIn: boolean;
    readonly ignored: readonly string[];
  };
  readonly place: { readonly offset: number; readonly line: number };
  readonly tally: ImportTally;
  readonly errors: readonly ImportError[];
}

export interface ImportError {
  readonly row: number;
  readonly field: string;
  readonly error: Readonly<Record<'en' | 'id', string>>;
  readonly code: string;
  readonly readings?: readonly string[];
}

export type ImportColumn = ImportField | `attr.${string}` | null;

export type ImportField =
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

export interface DocumentJob extends Job {
  readonly kind: 'document';
  readonly document_id: string;
}

export interface TemplatesJob extends Job {
  readonly kind: 'templates';
  readonly session_id: string;
}

export type JobRow = ForgetLabelJob | BulkJob | ImportJob | DocumentJob | TemplatesJob;

type Own<C extends Job> = Omit<C, keyof Job>;
export type JobOrder = Own<ForgetLabelJob> | Own<BulkJob> | Own<ImportJob> | Own<DocumentJob> | Own<TemplatesJob>;
export type JobPatch = Partial<Pick<Job, 'status' | 'after' | 'failures'>> &
  Partial<Pick<BulkJob, 'changed'>> &
  Partial<Pick<ImportJob, 'place' | 'tally' | 'errors'>>;

export interface Jobs {
  add(row: JobRow): Promise<void>;
  /** Counts all jobs except document jobs, which have their own limits. */
  count(tenantId: string, limit: number): Promise<number>;
  find(tenantId: string, id: string): Promise<JobRow | null>;
  next(tenantId: string): Promise<JobRow | null>;
  /** The statuses `done` and `failed` end the job. Returns null if another caller has continued it. */
  advance(row: JobRow, patch: JobPatch, now: number): Promise<JobRow | null>;
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
