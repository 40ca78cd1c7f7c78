import type { ContactRow } from '../../../store/contacts/contacts.ts';
import { type Cell, numberCell } from '../../domain/csv.ts';
import { type Lids, toContact, VARS } from './contacts.ts';
import { keyOf, type LabelIndex } from './labels.ts';
import { tagsCell } from './tags-cell.ts';

export const contactColumns = (labelIndex: LabelIndex): readonly string[] => [
  'phone',
  'name',
  ...VARS,
  'group',
  'tags',
  ...labelIndex.attributes.all().map((attribute) => `attr.${keyOf(attribute)}`),
  'lid',
  'username',
];

export function contactCells(row: ContactRow, labelIndex: LabelIndex, lids: Lids): readonly Cell[] {
  const { phone, lid, username, name, group_id, tags, attrs, ...vars } = toContact(row, labelIndex, lids);
  const group = group_id === null ? null : (labelIndex.groups.byId(group_id)?.name ?? null);
  const values = new Map(Object.entries(attrs));
  const attributes = labelIndex.attributes.all().map((attribute) => values.get(keyOf(attribute)) ?? null);
  return [phone && numberCell(phone), name, ...VARS.map((key) => vars[key]), group, tagsCell(tags), ...attributes, lid, username];
}
