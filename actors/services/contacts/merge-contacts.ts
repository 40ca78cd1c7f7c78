import type { ContactPatch, ContactRow, Contacts } from '../../../store/contacts/contacts.ts';
import { BY_A_MESSAGE, countryOf, MAX_ATTRIBUTES, MAX_TAGS, VARS } from './contacts.ts';

export interface MergeContactsDeps {
  readonly contacts: Pick<Contacts, 'byPhones' | 'change' | 'remove'>;
  /** Called before `from` is removed, to merge data about it. Idempotent. */
  merged?(from: ContactRow, into: ContactRow): Promise<void>;
}

export interface ContactMerge {
  readonly tenantId: string;
  readonly from: string;
  readonly to: string;
}

const TRIES = 10;

/** Copies what `to` lacks from `from`, which is then removed unless it has changed in the meantime. */
export async function mergeContacts(deps: MergeContactsDeps, { tenantId, from, to }: ContactMerge, now: number): Promise<void> {
  const { contacts } = deps;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const rows = new Map((await contacts.byPhones(tenantId, [from, to])).map((row) => [row.phone, row]));
    const [former, into] = [rows.get(from), rows.get(to)];
    if (!former) return;
    if (!into) {
      const renamed = await contacts.change(former, { phone: to, country: countryOf(to), updated_at: now });
      if (renamed !== null && renamed !== 'taken') return;
      continue;
    }
    const changed = await contacts.change(into, { ...both(into, former), updated_at: now });
    if (changed === null || changed === 'taken') continue;
    await deps.merged?.(former, changed);
    const [again] = await contacts.byPhones(tenantId, [from]);
    if (again && again.rev !== former.rev) continue;
    await contacts.remove(tenantId, [former._id]);
    return;
  }
  throw new Error('two contacts of one person could not be merged');
}

/** Data that was entered by hand or imported wins over data from a message. */
function both(into: ContactRow, former: ContactRow): ContactPatch {
  const isMade = into.made_by !== BY_A_MESSAGE;
  const [first, second] = isMade ? [into, former] : [former, into];
  const texts = Object.fromEntries((['name', ...VARS] as const).map((field) => [field, first[field] || second[field]]));
  const attrs = { ...second.attrs, ...first.attrs };
  return {
    ...texts,
    username: into.username ?? former.username ?? null,
    group_id: first.group_id ?? second.group_id,
    tag_ids: [...new Set([...first.tag_ids, ...second.tag_ids])].slice(0, MAX_TAGS),
    attrs: Object.keys(attrs).length > MAX_ATTRIBUTES ? first.attrs : attrs,
    last_message_at: Math.max(into.last_message_at ?? 0, former.last_message_at ?? 0) || null,
    made_by: first.made_by,
  };
}
