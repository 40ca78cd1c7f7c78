import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withNumbersRead } from '../../../../actors/services/contacts/segment-phones.ts';
import { faultsOfRules, type Rules } from '../../../../actors/services/contacts/segment-rules.ts';
import { BY_FORM_ALONE } from '../../../../actors/services/identities/number-reader.ts';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook, phoneNo } from './contacts-fixture.ts';

type Named = { readonly name: string };

const PEOPLE = [
  { name: 'Anna Widodo', phone: phoneNo(1), tags: ['VIP'], attrs: { city: 'Bandung', age: '31', visit: '2026-01-01' } },
  { name: 'Ben', phone: phoneNo(2), tags: ['VIP', 'new'], attrs: { city: 'JAKARTA', age: '9' } },
  { name: 'anton', phone: '+12025550143', tags: ['new'], attrs: { age: 'unknown' } },
  { name: null, phone: phoneNo(4) },
];

/** Anna's number as she would write it at home. */
const LOCAL = `0${phoneNo(1).replace(/\D/g, '').slice(2)}`;

/** A rule, and the first letters of whom it finds. */
const QUESTIONS: readonly (readonly [Rules, string])[] = [
  [{ all: [{ field: 'name', op: 'is', value: 'BEN' }] }, 'B'],
  [{ all: [{ field: 'name', op: 'is_not', value: 'ben' }] }, '-Aa'],
  [{ all: [{ field: 'name', op: 'contains', value: 'dodo' }] }, 'A'],
  [{ all: [{ field: 'name', op: 'starts_with', value: 'an' }] }, 'Aa'],
  [{ all: [{ field: 'name', op: 'in', value: ['anton', 'ben', 'zoe'] }] }, 'Ba'],
  [{ all: [{ field: 'name', op: 'exists', value: false }] }, '-'],
  [{ all: [{ field: 'phone', op: 'starts_with', value: '+62 812' }] }, '-AB'],
  [{ all: [{ field: 'phone', op: 'starts_with', value: '0812' }] }, '-AB'],
  [{ all: [{ field: 'phone', op: 'is', value: LOCAL }] }, 'A'],
  [{ all: [{ field: 'phone', op: 'is_not', value: LOCAL }] }, '-Ba'],
  [{ all: [{ field: 'phone', op: 'contains', value: LOCAL.slice(0, 8) }] }, '-AB'],
  [{ all: [{ field: 'phone', op: 'in', value: [LOCAL, '+1 202-555-0143'] }] }, 'Aa'],
  [{ all: [{ field: 'phone', op: 'exists' }] }, '-ABa'],
  [{ all: [{ field: 'country', op: 'in', value: ['US', 'SG'] }] }, 'a'],
  [{ all: [{ field: 'group_id', op: 'in', value: ['nobody', 'none'] }] }, ''],
  [{ all: [{ field: 'attr.city', op: 'in', value: ['jakarta', 'bandung'] }] }, 'AB'],
  [
    {
      any: [
        { field: 'phone', op: 'in', value: [LOCAL] },
        { field: 'name', op: 'in', value: ['ben', 'zoe'] },
      ],
    },
    'AB',
  ],
  [{ all: [{ field: 'attr.City', op: 'is', value: 'jakarta' }] }, 'B'],
  [{ all: [{ field: 'country', op: 'is', value: 'us' }] }, 'a'],
  [{ all: [{ field: 'country', op: 'is_not', value: 'US' }] }, '-AB'],
  [{ all: [{ field: 'tag', op: 'is', value: 'vip' }] }, 'AB'],
  [{ all: [{ field: 'tag', op: 'is_not', value: 'VIP' }] }, '-a'],
  [{ all: [{ field: 'tag', op: 'is', value: 'no such tag' }] }, ''],
  [{ all: [{ field: 'tag', op: 'in', value: ['new', 'no such tag'] }] }, 'Ba'],
  [{ all: [{ field: 'tag', op: 'exists' }] }, 'ABa'],
  [{ all: [{ field: 'group_id', op: 'exists' }] }, ''],
  [{ all: [{ field: 'attr.city', op: 'is', value: 'jakarta' }] }, 'B'],
  [{ all: [{ field: 'attr.city', op: 'is_not', value: 'jakarta' }] }, '-Aa'],
  [{ all: [{ field: 'attr.city', op: 'starts_with', value: 'b' }] }, 'A'],
  [{ all: [{ field: 'attr.city', op: 'exists', value: false }] }, '-a'],
  [{ all: [{ field: 'attr.age', op: 'gt', value: 10 }] }, 'A'],
  [{ all: [{ field: 'attr.age', op: 'lt', value: '10' }] }, 'B'],
  [{ all: [{ field: 'attr.visit', op: 'within_days', value: 30 }] }, 'A'],
  [{ all: [{ field: 'attr.visit', op: 'lt', value: '2025-12-31T23:59' }] }, ''],
  [{ all: [{ field: 'attr.no_such', op: 'is', value: 'x' }] }, ''],
  [{ all: [{ field: 'created_at', op: 'within_days', value: 1 }] }, '-ABa'],
  [{ all: [{ field: 'created_at', op: 'gt', value: '2030-01-01' }] }, ''],
  [{ all: [{ field: 'last_message_at', op: 'exists', value: false }] }, '-ABa'],
  [{ all: [{ field: 'last_message_at', op: 'within_days', value: 7 }] }, ''],
  [{ all: [{ field: 'consent', op: 'is', value: 'opted_out' }] }, ''],
  [{ all: [{ field: 'consent', op: 'exists', value: false }] }, '-ABa'],
  [
    {
      all: [
        { field: 'tag', op: 'is', value: 'VIP' },
        { field: 'name', op: 'contains', value: 'e' },
      ],
    },
    'B',
  ],
  [
    {
      any: [
        { field: 'name', op: 'contains', value: 'widodo' },
        { field: 'country', op: 'is', value: 'US' },
      ],
    },
    'Aa',
  ],
  [
    {
      any: [
        { field: 'tag', op: 'is', value: 'new' },
        { field: 'attr.city', op: 'is', value: 'bandung' },
      ],
    },
    'ABa',
  ],
];

const initials = (contacts: readonly Named[]): string =>
  contacts
    .map(({ name }) => name?.[0] ?? '-')
    .toSorted()
    .join('');

eachStore('a segment', (kind) => {
  it('finds exactly the contacts that match, for each type of rule', async (t) => {
    const { add, ask } = await anAddressBook(t, kind);
    for (const { phone, ...person } of PEOPLE) await add(phone, person);
    for (const [rules, found] of QUESTIONS) {
      const { count, sample } = await ask(200, 'POST', '/v1/segments/preview', { rules });
      assert.equal(initials(sample), found, JSON.stringify(rules));
      assert.equal(count, found.length, JSON.stringify(rules));
    }
  });

  it('can be created, changed, listed in pages and used as a filter for contacts', async (t) => {
    const { add, ask, names } = await anAddressBook(t, kind);
    for (let nth = 0; nth < 5; nth += 1) await add(phoneNo(nth), { name: `Person ${nth}`, tags: ['VIP'] });
    const rules = { all: [{ field: 'name', op: 'contains', value: 'person' }] };
    const segment = await ask(201, 'POST', '/v1/segments', { name: 'Persons', rules });
    assert.equal((await ask(409, 'POST', '/v1/segments', { name: 'persons', rules })).code, 'CONFLICT');
    const refused = await ask(400, 'POST', '/v1/segments', { rules: { any: [{ field: 'shoes', op: 'is', value: '1' }] }, colour: 'red' });
    const paths = refused.details.map((fault: { path: string }) => fault.path);
    assert.deepEqual(paths, ['name', 'colour', 'rules.any.0.field'], 'every fault at once');
    const path = `/v1/segments/${segment.id}`;
    const first = await ask(200, 'GET', `${path}/contacts?limit=3`);
    const second = await ask(200, 'GET', `${path}/contacts?limit=3&before=${first.next_before}&before_id=${first.next_before_id}`);
    assert.deepEqual(
      [...first.contacts, ...second.contacts].map(({ name }: Named) => name),
      ['Person 4', 'Person 3', 'Person 2', 'Person 1', 'Person 0'],
    );
    assert.equal(second.next_before, null);
    await ask(200, 'PATCH', path, { rules: { any: [{ field: 'phone', op: 'is', value: phoneNo(3) }] } });
    assert.deepEqual(await names(`segment_id=${segment.id}&tag=vip`), ['Person 3']);
    assert.deepEqual((await ask(200, 'GET', '/v1/segments')).segments, [await ask(200, 'GET', path)]);
    await ask(200, 'DELETE', path);
    await ask(404, 'GET', `${path}/contacts`);
  });
});

it('an invalid segment rule is reported with its path in the request', () => {
  const wrong: readonly (readonly [string, string, unknown?])[] = [
    ['nickname', 'is', 'x'],
    ['toString', 'is', 'x'],
    ['attr.', 'is', 'x'],
    ['attr.Kode Pos', 'is', 'x'],
    ['tag', 'contains', 'x'],
    ['phone', 'contains', '(.*'],
    ['phone', 'in', ['62811', '+']],
    ['name', 'gt', 'x'],
    ['name', 'in', 'x'],
    ['name', 'is', ['x']],
    ['name', 'is', ' '],
    ['name', 'is'],
    ['created_at', 'gt', 'yesterday'],
    ['created_at', 'within_days', 0],
    ['created_at', 'is', 5],
    ['tag', 'exists', 'yes'],
  ];
  for (const [field, op, value] of wrong) {
    const rules = {
      any: [
        { field: 'tag', op: 'exists' },
        { field, op, value },
      ],
    } as Rules;
    const [fault, ...others] = faultsOfRules(rules);
    assert.ok(fault?.path.startsWith('rules.any.1.') && others.length === 0, `${field} ${op}`);
  }
});

it('a segment rule accepts phone numbers in any notation, and an invalid one is reported', async () => {
  const reader = { tenantId: 't', callingCode: '62' };
  const read = await withNumbersRead(BY_FORM_ALONE, reader, { any: [{ field: 'phone', op: 'in', value: [LOCAL, '+1 202-555-0143'] }] });
  assert.deepEqual(read, { any: [{ field: 'phone', op: 'in', value: [`+${phoneNo(1)}`, '+12025550143'] }] });
  await assert.rejects(
    withNumbersRead(BY_FORM_ALONE, reader, { all: [{ field: 'phone', op: 'is', value: '12' }] }),
    ({ details }) => details.faults[0].path === 'rules.all.0.value',
  );
});
