import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changeSettings } from '../../../../actors/services/accounts/settings.ts';
import { story } from './account-fixture.ts';

const defaults = {
  send_window: { enabled: true, start: '08:00', end: '20:00', days: [0, 1, 2, 3, 4, 5, 6], zone: 'recipient' },
  welcome: { enabled: false, text: null },
  away: { enabled: false, text: null, hours: { start: '09:00', end: '17:00', days: [1, 2, 3, 4, 5] } },
  pacing: { min_delay_ms: 1_000, max_delay_ms: 3_000, typing: false },
  warmup: { enabled: false, days: 7 },
};

story('tenant settings', (fixture) => {
  it('have default values', async () => {
    const { signUp, call } = fixture();
    const { token } = await signUp();
    assert.deepEqual((await call('GET', '/v1/settings', { token })).body, defaults);
  });

  it('keep the fields that an update omits, at any depth', async () => {
    const { signUp, call, told } = fixture();
    const { token, agent_id } = await signUp();
    const put = (body: object) => call('PUT', '/v1/settings', { token, body });
    await put({ pacing: { typing: true } });
    await put({ away: { hours: { start: '10:00' } }, welcome: { enabled: true, text: 'Hi {{first_name|there}}!' } });
    const saved = await put({ send_window: { days: [1, 2], zone: 'recipient' } });
    assert.equal(saved.status, 200);
    const expected = {
      ...defaults,
      send_window: { ...defaults.send_window, days: [1, 2], zone: 'recipient' },
      welcome: { enabled: true, text: 'Hi {{first_name|there}}!' },
      away: { ...defaults.away, hours: { ...defaults.away.hours, start: '10:00' } },
      pacing: { ...defaults.pacing, typing: true },
    };
    assert.deepEqual(saved.body, expected);
    assert.deepEqual((await call('GET', '/v1/settings', { token })).body, expected);
    assert.deepEqual(told, Array(3).fill(`settings of ${agent_id}`));
  });

  it('keep both changes if two are made concurrently', async () => {
    const { signUp, call, services } = fixture();
    const { token, agent_id } = await signUp();
    const parts = [{ pacing: { typing: true } }, { warmup: { days: 14 } }, { send_window: { enabled: false } }];
    await Promise.all(parts.map((part) => changeSettings(services.tenants, agent_id, part, 1)));
    const { body } = await call('GET', '/v1/settings', { token });
    assert.deepEqual([body.pacing.typing, body.warmup.days, body.send_window.enabled], [true, 14, false]);
  });

  const bad: readonly (readonly [string, object])[] = [
    ['pacing.min_delay_ms', { pacing: { min_delay_ms: 3_001 } }],
    ['pacing.min_delay_ms', { pacing: { min_delay_ms: -1 } }],
    ['pacing.max_delay_ms', { pacing: { max_delay_ms: 600_001 } }],
    ['pacing.max_delay_ms', { pacing: { max_delay_ms: 1.5 } }],
    ['send_window.start', { send_window: { start: '24:00' } }],
    ['send_window.start', { send_window: { start: '8:00' } }],
    ['send_window.start', { send_window: { start: '20:00' } }],
    ['send_window.days', { send_window: { days: [] } }],
    ['send_window.days', { send_window: { days: [7] } }],
    ['send_window.days', { send_window: { days: [1, 1] } }],
    ['send_window.zone', { send_window: { zone: 'moon' } }],
    ['welcome.text', { welcome: { enabled: true } }],
    ['away.text', { away: { enabled: true, text: '' } }],
    ['away.hours', { away: { hours: { end: '09:00' } } }],
    ['warmup.days', { warmup: { days: 0 } }],
    ['colour', { colour: 'red' }],
    ['pacing.speed', { pacing: { speed: 1 } }],
  ];
  it('stay unchanged if a new value is invalid, and the error names the field', async () => {
    const { signUp, call, told } = fixture();
    const { token } = await signUp();
    for (const [field, body] of bad) {
      const answer = await call('PUT', '/v1/settings', { token, body });
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_FAILED'], JSON.stringify(body));
      assert.ok(answer.body.error.includes(field), `${answer.body.error} names ${field}`);
    }
    assert.deepEqual((await call('GET', '/v1/settings', { token })).body, defaults);
    assert.deepEqual(told, []);
  });

  it('can include a send window that crosses midnight, and a pace without delays', async () => {
    const { signUp, call } = fixture();
    const { token } = await signUp();
    const body = { send_window: { start: '20:00', end: '02:00' }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } };
    assert.equal((await call('PUT', '/v1/settings', { token, body })).status, 200);
  });

  it('are separate for each tenant', async () => {
    const { signUp, call } = fixture();
    const mine = await signUp();
    const theirs = await signUp('Roti Pagi', '+6281234567899');
    await call('PUT', '/v1/settings', { token: mine.token, body: { warmup: { days: 3 } } });
    assert.deepEqual((await call('GET', '/v1/settings', { token: theirs.token })).body, defaults);
  });
});
