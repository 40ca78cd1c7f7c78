import type { LabelLists } from '../../../store/contacts/labels.ts';
import type { JobOrder, JobRow, Jobs } from '../../../store/jobs/jobs.ts';
import { refusal } from '../../domain/refusals.ts';
import { newJob } from './bulk-jobs.ts';

/** Maximum number of open jobs. Each concurrent call can exceed it by one. */
const MAX_OPEN = 100;

export interface JobHintsDeps {
  readonly jobs: Jobs;
  readonly labels: LabelLists;
  hint(tenantId: string): void;
}

export interface JobHints {
  /** Fails with OVERLOADED if too many jobs are open. Jobs for documents are always accepted. */
  order(tenantId: string, order: JobOrder, now: number, id?: string): Promise<JobRow>;
  expectRoom(tenantId: string): Promise<void>;
  find(tenantId: string, id: string): Promise<JobRow | null>;
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
      // If this process dies between the two writes, the job will remove the label.
      await order(tenantId, { kind: 'forget', words: kind, label_id }, now);
      await labels[kind].remove(tenantId, label_id);
    },
  };
}
