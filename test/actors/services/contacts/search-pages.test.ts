import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pageOf, queryOf } from '../../../../actors/services/contacts/audience.ts';
import { labelIndexOf } from '../../../../actors/services/contacts/labels.ts';
import { idFloor } from '../../../../runtime/derived-ids.ts';
import { type ContactRow, contactsIn } from '../../../../store/contacts/contacts.ts';
import { labelsIn } from '../../../../store/contacts/labels.ts';
import { eachStore } from '../../../support/stores.ts';

const MANY = 6_000;
const NOW = 1_800_000_000_000;

eachStore('a search in many contacts', (kind) => {
  it('returns full pages even if the first matches are much older than the newest contacts', async (t) => {
    const store = await kind.fresh(t);
    const [contacts, labels] = [contactsIn(store), labelsIn(store)];
    await store.prepare();
    for (let from = 0; from < MANY; from += 1_000)
      await contacts.addMany(Array.from({ length: 1_000 }, (_, nth) => contact(from + nth, from + nth < 3 ? 'Needle' : 'Hay')));
    const deps = { contacts, labels, consentsOf: async () => new Map() };
    const query = await queryOf(labels, 't', { q: 'eedl' }, await labelIndexOf(labels, 't'), NOW);
    const asked = (before: number | null, beforeId: string | null) =>
      pageOf(deps, 't', query, { page: { limit: 2, before, beforeId } }, (rows) => rows);
    const first = await asked(null, null);
    assert.deepEqual([first.entries.map(({ phone }) => phone), first.next?.id], [[phone(2), phone(1)], first.entries[1]?._id]);
    const last = await asked(first.next!.at, first.next!.id);
    assert.deepEqual([last.entries.map(({ phone }) => phone), last.next], [[phone(0)], null]);
  });
});

const phone = (nth: number): string => `62812${String(nth).padStart(8, '0')}`;

function contact(nth: number, name: string): ContactRow {
  const created_at = NOW - MANY + nth;
  const vars = { var1: null, var2: null, var3: null, var4: null, var5: null };
  const tied = { group_id: null, tag_ids: [], attrs: {}, last_message_at: null, made_by: null };
  const _id = `${idFloor(created_at).slice(0, 16)}${String(nth).padStart(10, '0')}`;
  return { _id, tenant_id: 't', phone: phone(nth), country: 'ID', name, ...vars, ...tied, rev: 0, created_at, updated_at: created_at };
}
