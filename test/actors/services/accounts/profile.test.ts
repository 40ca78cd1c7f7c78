import assert from 'node:assert/strict';
import { it } from 'node:test';
import { story } from './account-fixture.ts';

story('a business profile', (fixture) => {
  it('is returned with the industries, languages and time zones to choose from', async () => {
    const { signUp, call } = fixture();
    const { token } = await signUp();
    const { body } = await call('GET', '/v1/profile', { token });
    assert.deepEqual(body.locales, ['en', 'id']);
    assert.equal(body.industries.length, 20);
    assert.ok(body.suggested_timezones.includes('Asia/Makassar'));
  });

  it('keeps the fields that an update omits, and is marked as configured once it is saved', async () => {
    const { signUp, call, told } = fixture();
    const { token, agent_id } = await signUp();
    const before = (await call('GET', '/v1/profile', { token })).body;
    const saved = await call('PUT', '/v1/profile', { token, body: { industry: 'restaurant', timezone: 'Asia/Makassar' } });
    assert.equal(saved.status, 200);
    assert.deepEqual(saved.body, { ...before, industry: 'restaurant', timezone: 'Asia/Makassar', configured: true });
    assert.deepEqual((await call('GET', '/v1/profile', { token })).body, saved.body);
    assert.deepEqual(told, [`settings of ${agent_id}`]);
  });

  it('can be saved exactly as it was returned', async () => {
    const { signUp, call } = fixture();
    const { token } = await signUp();
    const { body } = await call('GET', '/v1/profile', { token });
    const saved = await call('PUT', '/v1/profile', { token, body });
    assert.deepEqual([saved.status, saved.body], [200, { ...body, configured: true }]);
  });

  it('determines the calling code of local phone numbers, and a change applies immediately', async () => {
    const { signUp, call, authenticator, clock } = fixture();
    const { token } = await signUp();
    const callingCode = async () => (await authenticator.bearer(token, '127.0.0.1', clock.now())).caller.callingCode;
    assert.equal(await callingCode(), '62');
    assert.equal((await call('PUT', '/v1/profile', { token, body: { country: 'DE' } })).body.calling_code, '49');
    assert.equal(await callingCode(), '49');
  });

  it('cannot be saved with invalid values, and the error names the field', async () => {
    const { signUp, call } = fixture();
    const { token } = await signUp();
    const bad: readonly (readonly [string, unknown])[] = [
      ['timezone', 'Mars/Olympus'],
      ['timezone', '+07:00'],
      ['country', 'ZZ'],
      ['country', 'id'],
      ['locale', 'fr'],
      ['industry', 'piracy'],
      ['currency', 'EUR'],
      ['business_name', ''],
      ['plan', 'pro'],
      ['calling_code', '65'],
      ['configured', 'yes'],
      ['suggested_timezones', ['Mars/Olympus']],
      ['industries', []],
      ['locales', ['fr']],
    ];
    for (const [field, value] of bad) {
      const { status, body } = await call('PUT', '/v1/profile', { token, body: { [field]: value } });
      assert.deepEqual([status, body.code], [400, 'VALIDATION_FAILED'], `${field} ${value}`);
      assert.match(body.error, new RegExp(field));
    }
    assert.equal((await call('GET', '/v1/profile', { token })).body.configured, false);
  });

  it('can be saved with a key that has the manage scope, but not with a read-only key', async () => {
    const { signUp, call } = fixture();
    const { token } = await signUp();
    const key = async (scopes: string[]) => (await call('POST', '/v1/api-keys', { token, body: { name: 'k', scopes } })).body.key;
    const put = async (scopes: string[]) =>
      (await call('PUT', '/v1/profile', { token: await key(scopes), body: { industry: 'retail' } })).status;
    assert.equal(await put(['read', 'manage']), 200);
    assert.equal(await put(['read', 'send']), 403);
  });
});
