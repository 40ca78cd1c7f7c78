import { blankContact } from '../../../actors/services/contacts/contacts.ts';
import { at } from '../../../runtime/invariant.ts';
import type { ContactRow } from '../../../store/contacts/contacts.ts';

export interface Somebody {
  readonly phone: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly city: string;
}

const CITIES = ['Jakarta', 'Bandung', 'Surabaya', 'Medan', 'Denpasar', 'Makassar', 'Semarang', 'Palembang', 'Malang', 'Bogor'];

export function somebody(nth: number): Somebody {
  const tags = [...(nth % 2 ? [] : ['half']), ...(nth % 1_000 ? [] : ['few'])];
  return { phone: String(6_281_200_000_000 + nth), name: `Person number ${nth}`, tags, city: at(CITIES, nth % CITIES.length) };
}

export function* csvOf(count: number): Generator<Buffer> {
  let lines = ['phone,name,tags,attr.city'];
  for (let nth = 0; nth < count; nth += 1) {
    const { phone, name, tags, city } = somebody(nth);
    lines.push(`+${phone},"${name}",${tags.join(';')},${city}`);
    if (lines.length < 500) continue;
    yield Buffer.from(`${lines.join('\n')}\n`);
    lines = [];
  }
  if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`);
}

export function contactOf(tenantId: string, one: Somebody, ids: { tag(name: string): string; city: string }, now: number): ContactRow {
  const { phone, name, tags, city } = one;
  return { ...blankContact(tenantId, phone, now), name, tag_ids: tags.map(ids.tag), attrs: { [ids.city]: city } };
}
