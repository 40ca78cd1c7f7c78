import assert from 'node:assert/strict';
import { it } from 'node:test';
import { heldPeople } from '../../../../../actors/services/privacy/retention/slices.ts';

const [ANNA, DIALLED, LID, OTHER] = ['5215512345678', '525512345678', '99123456789@lid', '628111111111'];
const hashOf = (_tenantId: string, subject: string): string => `hash of ${subject}`;
const all = [ANNA, DIALLED, LID];
const formsOf = async (_tenantId: string, subjects: readonly string[]) =>
  new Map(subjects.filter((one) => all.includes(one)).map((one) => [one, { phone: ANNA, all }]));

for (const held of all)
  it(`data that names a person by any number or address is kept while a hold is placed on ${held}`, async () => {
    const people = heldPeople({ formsOf, hashOf }, 't', new Set([hashOf('t', held)]));
    const addresses = [`${ANNA}@s.whatsapp.net`, `${DIALLED}@s.whatsapp.net`, LID];
    assert.deepEqual([...(await people.among([...addresses, `${OTHER}@s.whatsapp.net`, '1203@g.us']))], addresses);
    const texts = all.map((one) => JSON.stringify({ from: one, at: 1_700_000_000_000 }));
    assert.deepEqual([...(await people.named([...texts, JSON.stringify({ from: OTHER })]))], texts);
  });
