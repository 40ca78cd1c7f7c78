import { newId } from '../../runtime/ids.ts';
import type { BulkAction, BulkChore, ChoreOrder, ChorePatch, ChoreRow, ForgetChore } from '../../store/chores.ts';
import { type ContactFilter, type ContactRow, label } from '../../store/contacts.ts';
import { type AudiencePorts, batchOf } from './audience.ts';
import { compileSegment } from './segment-query.ts';
import { vocabularyOf } from './vocabulary.ts';

/** Contacts that one step changes: a write of more would be felt by others. */
export const A_STEP = 100;

/** A chore nobody has begun. */
export function newChore(tenant_id: string, order: ChoreOrder, now: number, id = newId(now)): ChoreRow {
  const blank = { tenant_id, status: 'queued', open: true, after: '', failures: 0, rev: 0, created_at: now, updated_at: now } as const;
  return { _id: id, ...blank, ...order };
}

/** Takes a removed word off the next contacts. */
export async function forgetStep({ contacts, words }: AudiencePorts, chore: ForgetChore, now: number): Promise<ChorePatch> {
  const { tenant_id, words: kind, word_id, after } = chore;
  await words[kind].remove(tenant_id, word_id);
  const found = await contacts.oldest(tenant_id, bearersOf(chore), A_STEP, after);
  const ids = found.map(({ _id }) => _id);
  if (kind === 'tags') await contacts.untag(tenant_id, ids, word_id, now);
  else if (kind === 'groups') await contacts.leaveGroup(tenant_id, ids, word_id, now);
  else for (const row of found) await withoutAttribute(contacts, row, word_id, now);
  return found.length < A_STEP ? { status: 'done' } : { after: ids.at(-1)! };
}

function bearersOf({ words, word_id }: ForgetChore): ContactFilter {
  if (words === 'groups') return { group_id: word_id };
  return { labels: words === 'tags' ? label.tag(word_id) : label.attribute(word_id) };
}

async function withoutAttribute(contacts: AudiencePorts['contacts'], row: ContactRow, attributeId: string, now: number): Promise<void> {
  for (let at: ContactRow | null = row; at && attributeId in at.attrs; at = await contacts.find(at.tenant_id, at._id)) {
    const { [attributeId]: _gone, ...attrs } = at.attrs;
    if (await contacts.change(at, { attrs, updated_at: now })) return;
  }
}

/** Does the same to the next contacts of a segment. */
export async function bulkStep(ports: AudiencePorts, chore: BulkChore, now: number): Promise<ChorePatch> {
  const { tenant_id, action, value, rules, after, changed } = chore;
  const query = compileSegment(rules, await vocabularyOf(ports.words, tenant_id), chore.created_at);
  const { rows, next } = await batchOf(ports, tenant_id, query, after, A_STEP);
  const ids = rows.map(({ _id }) => _id);
  const more = await act(ports.contacts, { tenantId: tenant_id, action, value, ids, now });
  return { changed: changed + more, ...(next === null ? { status: 'done' } : { after: next }) };
}

export interface Act {
  readonly tenantId: string;
  readonly action: BulkAction;
  readonly value: string | null;
  readonly ids: readonly string[];
  readonly now: number;
}

/** How many of the contacts changed. */
export function act(contacts: AudiencePorts['contacts'], { tenantId, action, value, ids, now }: Act): Promise<number> {
  switch (action) {
    case 'tag':
      return contacts.tag(tenantId, ids, value ?? '', now);
    case 'untag':
      return contacts.untag(tenantId, ids, value ?? '', now);
    case 'set_group':
      return contacts.setGroup(tenantId, ids, value, now);
    case 'delete':
      return contacts.remove(tenantId, ids);
  }
}
