import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPeople } from '../../../../actors/services/people/people.ts';
import { type ContactRow, contactsIn } from '../../../../store/contacts/contacts.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const MANY = 17_000;
const phoneNo = (nth: number): string => String(6281200000000 + nth);
const lidNo = (nth: number): string => `${900000000000 + nth}@lid`;

eachStore('members of many large groups', (kind) => {
  it('are shown with names, even if there are more than fit in one store lookup', async (t) => {
    const { people, contacts } = await aTenant(t, kind);
    await contacts.addMany([0, MANY - 1].map((nth) => contact(phoneNo(nth), `No ${nth}`)));
    const all = Array.from({ length: MANY }, (_, nth) => ({ phone: phoneNo(nth), lid: null, username: null, name: null }));
    const shown = await people.describe('t1', [...all, ...all]);
    assert.equal(shown.length, 2 * MANY);
    assert.deepEqual(
      [0, 1, MANY - 1, 2 * MANY - 1].map((nth) => shown[nth]?.name),
      ['No 0', null, `No ${MANY - 1}`, `No ${MANY - 1}`],
    );
  });

  it('are shown with numbers, even if there are more than fit in one store lookup', async (t) => {
    const { people, identities } = await aTenant(t, kind);
    for (const nth of [0, MANY - 1])
      await identities.learn('t1', lidNo(nth), { phone: phoneNo(nth), isAsked: false, source: 'usync', at: 1, username: null });
    const all = Array.from({ length: MANY }, (_, nth) => ({ phone: null, lid: lidNo(nth), username: null, name: null }));
    const shown = await people.describe('t1', all);
    assert.deepEqual(
      [0, 1, MANY - 1].map((nth) => shown[nth]?.phone),
      [phoneNo(0), null, phoneNo(MANY - 1)],
    );
  });
});

async function aTenant(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  const [contacts, identities] = [contactsIn(store), identitiesIn(store)];
  await store.prepare();
  return { contacts, identities, people: createPeople({ contacts, identities }) };
}

function contact(phone: string, name: string): ContactRow {
  const vars = { var1: null, var2: null, var3: null, var4: null, var5: null };
  const tied = { group_id: null, tag_ids: [], attrs: {}, last_message_at: null, made_by: null };
  return { _id: phone, tenant_id: 't1', phone, country: 'ID', name, ...vars, ...tied, rev: 0, created_at: 1, updated_at: 1 };
}
