import type { MessageParts, MessageType } from '../messaging/messages.ts';
import type { Page } from '../paging/page.ts';
import { olderThan } from '../paging/page.ts';
import { insertPlacedOfMany, placesIndex } from '../patterns/places.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';
import { type OverdueList, overdueIn, overdueIndex } from './overdue.ts';

/** `day` is a day of the week (0 = Sunday) or month; `every_days` is an interval in days. */
export interface ScheduleConfig {
  readonly hour: number;
  readonly minute: number;
  readonly day?: number;
  readonly every_days?: number;
}

export type ScheduleType = 'daily' | 'weekly' | 'monthly' | 'interval';

export interface Run {
  readonly key: string;
  readonly at: number;
  readonly resume_at: number;
}

/** A run whose messages have all been accepted but whose outcome has not been reported yet. */
export interface AcceptedRun {
  readonly key: string;
  readonly at: number;
  readonly look_at: number;
  /** True while a process reports the outcome. If it crashes, others take over from `look_at` on. */
  readonly telling?: boolean;
}

/** The variables' values may contain placeholders, which are filled in when the message is sent. */
export interface RecurringTemplate {
  readonly id: string;
  readonly variables: readonly { readonly name: string; readonly value: string }[];
}

export interface RecurringRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly name: string;
  readonly targets: readonly string[];
  readonly message: string | null;
  readonly template?: RecurringTemplate | null;
  readonly media_r2_key: string | null;
  readonly message_type: MessageType;
  readonly parts: MessageParts;
  readonly schedule_type: ScheduleType;
  readonly schedule_config: ScheduleConfig;
  readonly timezone: string;
  readonly since: number;
  readonly is_active: boolean;
  readonly next_run_at: number | null;
  readonly last_run_at: number | null;
  readonly run: Run | null;
  readonly by_hand?: string;
  readonly accepted: readonly AcceptedRun[];
  readonly due_at: number | null;
  readonly rev: number;
  readonly created_at: number;
}

export type RecurringPatch = Partial<Omit<RecurringRow, '_id' | 'tenant_id' | 'session_id' | 'due_at' | 'rev' | 'created_at'>>;

export type Decide = (row: RecurringRow) => RecurringPatch | null;

export interface Recurring extends OverdueList {
  createWithin(row: Omit<RecurringRow, 'due_at' | 'rev'>, limit: number): Promise<boolean>;
  find(tenantId: string, sessionId: string, id: string): Promise<RecurringRow | null>;
  byId(tenantId: string, id: string): Promise<RecurringRow | null>;
  list(tenantId: string, sessionId: string, page: Page): AsyncIterable<RecurringRow>;
  /** Calls `decide` again if the row has changed. Also returns null if the row was not changed. */
  change(tenantId: string, id: string, decide: Decide): Promise<RecurringRow | null>;
  remove(tenantId: string, sessionId: string, id: string): Promise<boolean>;
  due(tenantId: string, now: number, limit: number): Promise<RecurringRow[]>;
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
