import type { MessageParts, MessageType } from '../messaging/messages.ts';
import type { Page } from '../paging/page.ts';
import { olderThan } from '../paging/page.ts';
import { insertPlacedOfMany, placesIndex } from '../patterns/places.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';
import { type OverdueList, overdueIn, overdueIndex } from './overdue.ts';

/** Local clock time, and the days it is for: `day` of a week (0 = Sunday) or a month, or every so many days. */
export interface ScheduleConfig {
  readonly hour: number;
  readonly minute: number;
  readonly day?: number;
  readonly every_days?: number;
}

export type ScheduleType = 'daily' | 'weekly' | 'monthly' | 'interval';

/** One run that is under way. */
export interface Run {
  /** The ids of its messages follow from it. */
  readonly key: string;
  readonly at: number;
  /** Not gone on with before. */
  readonly resume_at: number;
}

/** A run whose messages are all accepted, and of which it was not told yet what came of them. */
export interface AcceptedRun {
  readonly key: string;
  readonly at: number;
  /** When to look whether its messages are over, in case nobody says so. */
  readonly look_at: number;
  /** Somebody tells of it now, or died in telling; others may from `look_at` on. */
  readonly telling?: boolean;
}

/** A message that is sent again and again. Times are epoch ms. */
export interface RecurringRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly name: string;
  /** Full addresses. */
  readonly targets: readonly string[];
  /** The text, or the caption of its file. */
  readonly message: string | null;
  readonly media_r2_key: string | null;
  readonly message_type: MessageType;
  readonly parts: MessageParts;
  readonly schedule_type: ScheduleType;
  readonly schedule_config: ScheduleConfig;
  /** IANA. */
  readonly timezone: string;
  /** When the schedule was set: an interval counts from there. */
  readonly since: number;
  readonly is_active: boolean;
  readonly next_run_at: number | null;
  readonly last_run_at: number | null;
  readonly run: Run | null;
  /** The key of the last run that was asked for and not planned; absent: none was, or before that was noted. */
  readonly by_hand?: string;
  /** Oldest first. */
  readonly accepted: readonly AcceptedRun[];
  /** When its tenant's actor has to see to it; null: never. Follows from the rest. */
  readonly due_at: number | null;
  /** Counts its changes: each applies to the revision that was read, or not at all. */
  readonly rev: number;
  readonly created_at: number;
}

export type RecurringPatch = Partial<Omit<RecurringRow, '_id' | 'tenant_id' | 'session_id' | 'due_at' | 'rev' | 'created_at'>>;

/** The new row; null: no change. */
export type Decide = (row: RecurringRow) => RecurringPatch | null;

export interface Recurring extends OverdueList {
  /** Stores it where its device has fewer than `limit`, however many are made at once; false: it is full. */
  createWithin(row: Omit<RecurringRow, 'due_at' | 'rev'>, limit: number): Promise<boolean>;
  find(tenantId: string, sessionId: string, id: string): Promise<RecurringRow | null>;
  byId(tenantId: string, id: string): Promise<RecurringRow | null>;
  /** Newest first. */
  list(tenantId: string, sessionId: string, page: Page): AsyncIterable<RecurringRow>;
  /** Replaces it by the result of `decide`, which is called again if it changed meanwhile; null: it is gone, or nothing changes. */
  change(tenantId: string, id: string, decide: Decide): Promise<RecurringRow | null>;
  remove(tenantId: string, sessionId: string, id: string): Promise<boolean>;
  /** Those whose time has come, and those whose run was interrupted. */
  due(tenantId: string, now: number, limit: number): Promise<RecurringRow[]>;
  /** When the next one is due; null: none is. */
  nextDue(tenantId: string): Promise<number | null>;
}

const spec: CollectionSpec = {
  name: 'recurring',
  indexes: [
    { name: 'newest', keys: { session_id: 1, created_at: -1, _id: -1 } },
    { name: 'due', keys: { tenant_id: 1, due_at: 1 }, where: { due_at: { $gte: 0 } } },
    overdueIndex,
    placesIndex({}, 'session_id'),
  ],
};

const AFTER = { returnDocument: 'after' } as const;

export function recurringIn(store: Store): Recurring {
  const rows: Collection<RecurringRow> = store.collection<RecurringRow>(spec);

  return {
    createWithin: (row, limit) => insertPlacedOfMany(rows, { ...row, due_at: dueOf(row), rev: 0 }, limit, {}, 'session_id'),
    find: (tenant_id, session_id, _id) => rows.findOne({ _id, tenant_id, session_id }),
    byId: (tenant_id, _id) => rows.findOne({ _id, tenant_id }),

    list: (tenant_id, session_id, page) =>
      rows.find({ session_id, tenant_id, ...olderThan(page) }, { sort: { created_at: -1, _id: -1 }, limit: page.limit }),

    async change(tenant_id, _id, decide) {
      for (;;) {
        const row = await rows.findOne({ _id, tenant_id });
        const patch = row && decide(row);
        if (!row || !patch) return null;
        const $set = { ...patch, due_at: dueOf({ ...row, ...patch }) };
        const changed = await rows.findOneAndUpdate({ _id, rev: row.rev }, { $set, $inc: { rev: 1 } }, AFTER);
        if (changed) return changed;
      }
    },

    remove: async (tenant_id, session_id, _id) => (await rows.deleteOne({ _id, tenant_id, session_id })).deletedCount === 1,

    due: (tenant_id, now, limit) => rows.find({ tenant_id, due_at: { $gte: 0, $lte: now } }, { sort: { due_at: 1 }, limit }).toArray(),

    async nextDue(tenant_id) {
      return (await rows.findOne({ tenant_id, due_at: { $gte: 0 } }, { sort: { due_at: 1 }, projection: { due_at: 1 } }))?.due_at ?? null;
    },

    ...overdueIn(rows),
  };
}

function dueOf({
  run,
  accepted,
  is_active,
  next_run_at,
}: Pick<RecurringRow, 'run' | 'accepted' | 'is_active' | 'next_run_at'>): number | null {
  const next = run ? run.resume_at : is_active ? next_run_at : null;
  const times = [...accepted.map(({ look_at }) => look_at), ...(next === null ? [] : [next])];
  return times.length > 0 ? Math.min(...times) : null;
}
