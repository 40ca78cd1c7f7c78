import { newId } from '../../../runtime/ids.ts';
import { type ContactFilter, type ContactRow, label } from '../../../store/contacts/contacts.ts';
import type { BulkAction, BulkJob, ForgetLabelJob, JobOrder, JobPatch, JobRow } from '../../../store/jobs/jobs.ts';
import { type AudienceDeps, batchOf } from './audience.ts';
import { MAX_TAGS } from './contacts.ts';
import { labelIndexOf } from './labels.ts';
import { compileSegment } from './segment-query.ts';

/** Number of contacts per write. A larger write would slow down other tenants. */
export const A_STEP = 100;

export function newJob(tenant_id: string, order: JobOrder, now: number, id = newId(now)): JobRow {
  const blank = { tenant_id, status: 'queued', open: true, after: '', failures: 0, rev: 0, created_at: now, updated_at: now } as const;
  return { _id: id, ...blank, ...order };
}

export async function forgetLabelStep({ contacts, labels }: AudienceDeps, job: ForgetLabelJob, now: number): Promise<JobPatch> {
  const { tenant_id, words: kind, label_id, after } = job;
  await labels[kind].remove(tenant_id, label_id);
  const found = await contacts.oldest(tenant_id, bearersOf(job), A_STEP, after);
  const ids = found.map(({ _id }) => _id);
  if (kind === 'tags') await contacts.untag(tenant_id, ids, label_id, now);
  else if (kind === 'groups') await contacts.leaveGroup(tenant_id, ids, label_id, now);
  else for (const row of found) await withoutAttribute(contacts, row, label_id, now);
  const last = found.at(-1);
  return last && found.length >= A_STEP ? { after: last._id } : { status: 'done' };
}

function bearersOf({ words, label_id }: ForgetLabelJob): ContactFilter {
  if (words === 'groups') return { group_id: label_id };
  return { labels: words === 'tags' ? label.tag(label_id) : label.attribute(label_id) };
}

async function withoutAttribute(contacts: AudienceDeps['contacts'], row: ContactRow, attributeId: string, now: number): Promise<void> {
  for (let at: ContactRow | null = row; at && attributeId in at.attrs; at = await contacts.find(at.tenant_id, at._id)) {
    const { [attributeId]: _gone, ...attrs } = at.attrs;
    if (await contacts.change(at, { attrs, updated_at: now })) return;
  }
}

export async function bulkStep(deps: AudienceDeps, job: BulkJob, now: number): Promise<JobPatch> {
  const { tenant_id, action, value, rules, named, after, changed } = job;
  const query = compileSegment(rules, await labelIndexOf(deps.labels, tenant_id, named), job.created_at);
  const { rows, next } = await batchOf(deps, tenant_id, query, after, A_STEP);
  const ids = rows.map(({ _id }) => _id);
  const more = await act(deps.contacts, { tenantId: tenant_id, action, value, ids, now });
  return { changed: changed + more, ...(next === null ? { status: 'done' } : { after: next }) };
}

export interface Act {
  readonly tenantId: string;
  readonly action: BulkAction;
  readonly value: string | null;
  readonly ids: readonly string[];
  readonly now: number;
}

export function act(contacts: AudienceDeps['contacts'], { tenantId, action, value, ids, now }: Act): Promise<number> {
  switch (action) {
    case 'tag':
      return contacts.tag(tenantId, ids, value ?? '', MAX_TAGS, now);
    case 'untag':
      return contacts.untag(tenantId, ids, value ?? '', now);
    case 'set_group':
      return contacts.setGroup(tenantId, ids, value, now);
    case 'delete':
      return contacts.remove(tenantId, ids);
  }
}
