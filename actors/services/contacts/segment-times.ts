import { idFloor } from '../../../runtime/derived-ids.ts';
import type { ContactFilter } from '../../../store/contacts/contacts.ts';
import { EVERYBODY, NOBODY, type Part } from './segment-facets.ts';
import { momentOf, type Rule } from './segment-rules.ts';

const DAY_MS = 86_400_000;

export function timePart({ field, op, value }: Rule, now: number): Part {
  const isCreation = field === 'created_at';
  const filter = isCreation ? creationFilter : messageFilter;
  return {
    filter: op === 'exists' ? existence(isCreation, value !== false) : filter(boundsOf(op, value, now)),
    isExact: true,
    holds({ row }) {
      const at = isCreation ? row.created_at : row.last_message_at;
      const { from, before } = boundsOf(op, value, now);
      if (op === 'exists') return (at !== null) === (value !== false);
      return at !== null && (from === null || at >= from) && (before === null || at < before);
    },
  };
}

interface Bounds {
  readonly from: number | null;
  readonly before: number | null;
}

function boundsOf(op: Rule['op'], value: Rule['value'], now: number): Bounds {
  const moment = momentOf(value) ?? 0;
  if (op === 'gt') return { from: moment + 1, before: null };
  return op === 'lt' ? { from: null, before: moment } : { from: now - Number(value) * DAY_MS, before: null };
}

/** Filters by id, because a contact's id contains its creation time. */
const creationFilter = ({ from, before }: Bounds): ContactFilter => ({
  _id: { ...(from !== null && { $gte: idFloor(from) }), ...(before !== null && { $lt: idFloor(before) }) },
});

const messageFilter = ({ from, before }: Bounds): ContactFilter => ({
  last_message_at: { ...(from !== null && { $gte: from }), ...(before !== null && { $lt: before }) },
});

function existence(isCreation: boolean, does: boolean): ContactFilter {
  if (isCreation) return does ? EVERYBODY : NOBODY;
  return { last_message_at: does ? { $ne: null } : null };
}
