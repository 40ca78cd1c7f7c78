import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Privacy } from '../../../../actors/network/account.ts';
import { businessChanges, readBusinessProfile } from '../../../../actors/network/whatsapp/questions/business-profile.ts';
import { privacyChanges } from '../../../../actors/network/whatsapp/questions/privacy.ts';
import { el, textOf } from '../../../../actors/network/whatsapp/questions/query.ts';

it('a business profile sends hours in minutes, omits closed days, and clears the websites with an empty entry', () => {
  const days = [
    { day: 1, open: '08:00', close: '17:30' },
    { day: 6, open: '00:00', close: '24:00' },
  ];
  const written = businessChanges({ websites: [], hours: { timezone: 'Asia/Jakarta', days } });
  assert.deepEqual(
    written.map(({ tag }) => tag),
    ['website', 'business_hours'],
  );
  assert.equal(textOf(written[0]), '');
  assert.deepEqual(written[1]?.content, [
    el('business_hours_config', { day_of_week: 'mon', mode: 'specific_hours', open_time: '480', close_time: '1050' }),
    el('business_hours_config', { day_of_week: 'sat', mode: 'open_24h' }),
  ]);
  const website = (name: string) => el('website', {}, Buffer.from(`https://${name}.example`));
  const profile = readBusinessProfile(el('profile', {}, [website('one'), website('two'), ...written.slice(1)]));
  assert.deepEqual(profile.websites, ['https://one.example', 'https://two.example']);
  assert.deepEqual(profile.hours, { timezone: 'Asia/Jakarta', days });
});

it('privacy settings are encoded under their network names, and unsupported values are rejected', () => {
  const all = { last_seen: 'all', online: 'all', picture: 'all', about: 'all', groups: 'all', calls: 'all' } as const;
  const before: Privacy = { ...all, status: null, read_receipts: true, default_timer: 0 };
  assert.deepEqual(privacyChanges(before, { last_seen: 'none', online: 'none', calls: 'contacts', about: 'all', read_receipts: false }), [
    ['last', 'none'],
    ['online', 'match_last_seen'],
    ['calladd', 'known'],
    ['readreceipts', 'none'],
  ]);
  for (const changes of [{ online: 'contacts' }, { calls: 'none' }, { status: 'all' }] as const)
    assert.throws(() => privacyChanges(before, { picture: 'none', ...changes }), { code: 'VALIDATION_FAILED' });
});
