import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forget, mentions } from '../../../store/privacy/mentions.ts';

const DORA = new Set(['6281244440004', '081244440004', '006281244440004']);

it("a person's number is found in every common format, but no other number is found", () => {
  const hers = [
    '+62 812-4444-0004',
    '0812 4444 0004',
    '6281244440004@s.whatsapp.net',
    'call 0062 812 4444 0004!',
    { a: [{ 6281244440004: 1 }] },
  ];
  for (const value of hers) assert.ok(mentions(value, DORA), JSON.stringify(value));
  const others = ['62812444400041', '16281244440004', '6281244440004-1500000000@g.us', '+62 812-4444-0005', '', null, 7, ['x']];
  for (const value of others) assert.ok(!mentions(value, DORA), JSON.stringify(value));
});

it('every mention of a person is removed, but other content is unchanged', () => {
  const kept = { to: ['+6281244440004', '6281255550005'], text: 'Dora: 0812-4444-0004.', at: 1, group: '6281244440004-1500000000@g.us' };
  assert.deepEqual(forget(kept, DORA), { to: ['6281255550005'], text: 'Dora: erased.', at: 1, group: '6281244440004-1500000000@g.us' });
});

it("names next to an erased person's address are removed, but other names are kept", () => {
  const group = {
    name: 'Neighbours',
    creator: '6281244440004@s.whatsapp.net',
    participants: [
      { phone: '6281244440004', lid: null, name: 'Dora', username: 'dora' },
      { phone: '6281255550005', lid: null, name: 'Erik' },
    ],
    last: { sender: '6281244440004@s.whatsapp.net', sender_name: 'Dora', name: 'agent' },
  };
  const left = forget(group, DORA);
  assert.doesNotMatch(JSON.stringify(left), /Dora|dora|6281244440004/);
  assert.match(JSON.stringify(left), /Neighbours.*Erik.*agent/);
});
