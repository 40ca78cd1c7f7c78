import assert from 'node:assert/strict';
import { it } from 'node:test';
import { story } from './account-fixture.ts';

const phone = '+62 812-3456-7890';
const digits = '6281234567890';
const register = { name: 'Kopi Senja', phone };

story('a sign-up', (fixture) => {
  it('sends a code to the phone, which then signs the owner in', async () => {
    const { call, sender } = fixture();
    const registered = await call('POST', '/auth/register', { body: register });
    assert.deepEqual([registered.status, registered.body], [200, { ok: true }]);

    const answer = await call('POST', '/auth/verify-otp', { body: { phone, code: sender.codeOf(digits) } });
    assert.equal(answer.status, 200);
    assert.deepEqual([answer.body.role, answer.body.agent_name], ['admin', 'Kopi Senja']);
    assert.ok(!JSON.stringify(registered.body).includes(sender.codeOf(digits)));
  });

  it('creates a business on the free plan, with the country, time zone and language of its phone number', async () => {
    const { call, signUp, services } = fixture();
    const { token, agent_id } = await signUp('Kopi Senja', phone);
    const { body } = await call('GET', '/v1/profile', { token });
    assert.deepEqual(
      [body.business_name, body.country, body.timezone, body.locale, body.currency, body.calling_code, body.configured],
      ['Kopi Senja', 'ID', 'Asia/Jakarta', 'id', 'IDR', '62', false],
    );
    assert.equal((await services.tenants.find(agent_id))?.plan, 'free');
  });

  it("sends the code in the requested language or the country's, and stores the language", async () => {
    const { call, sender, services } = fixture();
    const ways: readonly [phone: string, lang: string | undefined, headers: Record<string, string>, received: string][] = [
      ['+12025550121', 'id', { 'x-lang': 'en' }, 'id'],
      ['+12025550122', undefined, { 'x-lang': 'id' }, 'id'],
      ['+6281234567893', undefined, { 'accept-language': 'en' }, 'en'],
      ['+6281234567894', undefined, {}, 'id'],
      ['+12025550125', undefined, { 'accept-language': '*' }, 'en'],
    ];
    for (const [number, lang, headers, received] of ways) {
      await call('POST', '/auth/register', { body: { name: 'Kopi', phone: number, ...(lang && { lang }) }, headers });
      assert.equal(sender.texts.at(-1)?.text.startsWith('Kode') ? 'id' : 'en', received, number);
      const { body } = await call('POST', '/auth/verify-otp', { body: { phone: number, code: sender.codeOf(number) } });
      assert.equal((await services.tenants.find(body.agent_id))?.profile.locale, received, number);
    }
  });

  it('is rejected for a registered phone number, however it is written', async () => {
    const { call, signUp, sender } = fixture();
    await signUp('Kopi Senja', phone);
    const again = await call('POST', '/auth/register', { body: { name: 'Kopi Pagi', phone: `${digits}` } });
    assert.deepEqual([again.status, again.body.code], [409, 'PHONE_IN_USE']);
    assert.equal(sender.texts.length, 1);
  });

  it('creates only one business, even for five concurrent requests', async () => {
    const { call, services, sender, clock } = fixture();
    const ready = Promise.withResolvers<void>();
    sender.ready = ready.promise;
    const asking = Promise.all(Array.from({ length: 5 }, () => call('POST', '/auth/register', { body: register })));
    while (sender.texts.length < 1) await clock.advance(0);
    ready.resolve();
    const answers = await asking;
    // One that is asked for after the first code arrived is a new sign-up, whose code voids the one before.
    const statuses = answers.map(({ status }) => status);
    const conflict = answers.find(({ status }) => status === 409);
    assert.equal(conflict?.body.code, 'CONFLICT');
    assert.match(conflict.body.error, /A code is on its way to this number\. Try again in a minute\.$/);
    assert.ok(statuses.includes(200) && statuses.every((status) => status === 200 || status === 409), String(statuses));
    const tenants = async () => (await Array.fromAsync(services.tenants.list({ limit: 10, before: null, beforeId: null }))).length;
    assert.equal(await tenants(), 0, 'before its code is typed in a number is nobody’s');
    assert.equal(
      (await call('POST', '/auth/verify-otp', { body: { phone, code: sender.codeOf(digits) } })).status,
      200,
      'the last code on the phone counts',
    );
    assert.equal(await tenants(), 1);
  });

  for (const [state, status, code] of [
    ['offline', 503, 'UNAVAILABLE'],
    ['refused', 502, 'NOT_DELIVERED'],
  ] as const)
    it(`can be repeated if the code could not be sent (${status})`, async () => {
      const { call, signUp, sender, services } = fixture();
      sender.state = state;
      const failed = await call('POST', '/auth/register', { body: register });
      assert.deepEqual([failed.status, failed.body.code], [status, code]);
      assert.equal(await services.tenants.byPhone(digits), null);

      sender.state = 'online';
      assert.equal((await signUp('Kopi Senja', phone)).role, 'admin');
    });

  const invalid = [
    ['no name', { phone }, 'VALIDATION_FAILED'],
    ['an empty name', { ...register, name: '' }, 'VALIDATION_FAILED'],
    ['a blank name', { ...register, name: '  ' }, 'VALIDATION_FAILED'],
    ['a name of 65 characters', { ...register, name: 'x'.repeat(65) }, 'VALIDATION_FAILED'],
    ['no phone', { name: 'Kopi' }, 'VALIDATION_FAILED'],
    ['words for a phone', { ...register, phone: 'call me maybe' }, 'VALIDATION_FAILED'],
    ['a local number', { ...register, phone: '0812 3456 7890' }, 'INVALID_NUMBER'],
    ['a number of no country', { ...register, phone: '+99912345678' }, 'INVALID_NUMBER'],
    ['a satellite phone', { ...register, phone: '+881612345678' }, 'INVALID_NUMBER'],
    ['another language', { ...register, lang: 'fr' }, 'VALIDATION_FAILED'],
    ['a field of no meaning', { ...register, plan: 'pro' }, 'VALIDATION_FAILED'],
  ] as const;
  it('is rejected if a field is invalid', async () => {
    for (const [what, body, code] of invalid) {
      const answer = await fixture().call('POST', '/auth/register', { body });
      assert.deepEqual([what, answer.status, answer.body.code], [what, 400, code]);
    }
  });

  it('is followed by at most sixty login codes a minute per IP address', async () => {
    const { call } = fixture();
    const askFor = (nth: number, from: string) => call('POST', '/auth/request-otp', { body: { phone: `+6281300000${100 + nth}` }, from });
    for (let nth = 0; nth < 60; nth += 1) assert.equal((await askFor(nth, '127.0.0.5')).status, 200);
    assert.deepEqual([(await askFor(60, '127.0.0.5')).status, (await askFor(60, '127.0.0.6')).status], [429, 200]);
  });

  it('succeeds for the owner of a number, even after other people began sign-ups with that number', async () => {
    const { call, services, sender, clock } = fixture();
    const squat = (from: string) => call('POST', '/auth/register', { body: { name: 'Squatter', phone }, from });
    for (let day = 0; day < 3; day += 1) {
      assert.equal((await squat(`127.0.1.${day}`)).status, 200);
      await clock.advance(20 * 60 * 60_000);
    }
    assert.equal(await services.tenants.byPhone(digits), null, 'it is nobody’s');
    assert.equal((await call('POST', '/auth/register', { body: register })).status, 200);
    const { body } = await call('POST', '/auth/verify-otp', { body: { phone, code: sender.codeOf(digits) } });
    assert.equal(body.agent_name, 'Kopi Senja');
    assert.equal((await squat('127.0.1.9')).status, 409, 'now it is theirs');
  });

  it('can be repeated until the limit for codes is reached, after which the last code still works', async () => {
    const { call, sender, clock } = fixture();
    const again = (from: string) => call('POST', '/auth/register', { body: register, from });
    for (let nth = 0; nth < 6; nth += 1) assert.equal((await again(`127.0.1.${nth}`)).status, 200, String(nth));
    const refused = await again('127.0.1.7');
    assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [429, 'RATE_LIMITED', '900']);
    assert.equal(sender.texts.length, 6);
    assert.equal((await call('POST', '/auth/verify-otp', { body: { phone, code: sender.codeOf(digits) } })).status, 200);
    await clock.advance(15 * 60_000);
    const others = await call('POST', '/auth/register', { body: { name: 'Kopi', phone: '+62 812-3456-7891' } });
    assert.equal(others.status, 200);
  });

  it('is limited to sixty a minute per IP address', async () => {
    const { call, clock } = fixture();
    const signUpFrom = (from: string, nth: number) =>
      call('POST', '/auth/register', { body: { name: 'Kopi', phone: `+6281300000${100 + nth}` }, from });
    const statuses = await Promise.all(Array.from({ length: 61 }, (_, nth) => signUpFrom('127.0.0.1', nth)));
    assert.equal(statuses.filter(({ status }) => status === 200).length, 60);
    const refused = statuses.find(({ status }) => status !== 200)!;
    assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [429, 'RATE_LIMITED', '60']);
    assert.equal((await signUpFrom('127.0.0.2', 71)).status, 200);
    await clock.advance(60_000);
    assert.equal((await signUpFrom('127.0.0.1', 72)).status, 200);
  });
});
