import type { LabelLists } from '../../../store/contacts/labels.ts';
import type { JobOrder, JobRow, Jobs } from '../../../store/jobs/jobs.ts';
import { refusal } from '../../domain/refusals.ts';
import { newJob } from './bulk-jobs.ts';

/** Jobs of one tenant that wait; calls that come at once may go over it by one each. */
const MAX_OPEN = 100;

export interface JobHintsDeps {
  readonly jobs: Jobs;
  readonly labels: LabelLists;
  /** The tenant's job runner may look at once. Losing it loses nothing. */
  hint(tenantId: string): void;
}

/** Long work that is handed to a tenant's job runner. */
export interface JobHints {
  /** Durable when it resolves. `id`: chosen before. Refuses OVERLOADED while too much of the tenant waits. */
  order(tenantId: string, order: JobOrder, now: number, id?: string): Promise<JobRow>;
  /** Refuses OVERLOADED where `order` would, but for a document. */
  expectRoom(tenantId: string): Promise<void>;
  find(tenantId: string, id: string): Promise<JobRow | null>;
  /** Removes a label: it is invisible once this resolves, and then removed from every contact. */
  forget(tenantId: string, labels: 'groups' | 'tags' | 'attributes', labelId: string, now: number): Promise<void>;
}

export function createJobHints({ jobs, labels, hint }: JobHintsDeps): JobHints {
  async function expectRoom(tenantId: string): Promise<void> {
    if ((await jobs.count(tenantId, MAX_OPEN)) >= MAX_OPEN) throw refusal('OVERLOADED', { retryAfterMs: 60_000 });
  }

  async function order(tenantId: string, what: JobOrder, now: number, id?: string): Promise<JobRow> {
    const job = newJob(tenantId, what, now, id);
    if (what.kind !== 'document') await expectRoom(tenantId);
    await jobs.add(job);
    hint(tenantId);
    return job;
  }

  return {
    order,
    find: jobs.find,
    expectRoom,

    async forget(tenantId, kind, label_id, now) {
      // Should this process die between the two, the job runner removes it.
      await order(tenantId, { kind: 'forget', words: kind, label_id }, now);
      await labels[kind].remove(tenantId, label_id);
    },
  };
}
