import assert from 'node:assert/strict';
import { it } from 'node:test';
import { settle } from '../../../../runtime/testing/virtual-clock.ts';
import type { Fixture } from '../../../support/accounts-harness.ts';
import { story } from './account-fixture.ts';

const phone = '+6281234567890';
const stranger = '+6289999999999';
const minute = 60_000;
const day = 24 * 60 * minute;

const request = ({ call }: Fixture, to = phone) => call('POST', '/auth/request-otp', { body: { phone: to } });
const verify = ({ call }: Fixture, code: string, from = phone) => call('POST', '/auth/verify-otp', { body: { phone: from, code } });

story('a login code', (fixture) => {
  it('is sent on request, and can be used only once', async () => {
    const { signUp, sender } = fixture();
    await signUp();
    const asked = await request(fixture());
    assert.deepEqual([asked.status, asked.body], [200, { ttl: 300, via: 'sandbox' }]);
    await settle();
    assert.equal(sender.texts.length, 2);
    const code = sender.codeOf(phone);
    assert.equal((await verify(fixture(), code)).status, 200);
    const again = await verify(fixture(), code);
    assert.deepEqual([again.status, again.body.code], [401, 'UNAUTHORIZED']);
  });

  it('signs in exactly one of two callers who use it at the same time', async () => {
    await fixture().call('POST', '/auth/register', { body: { name: 'Kopi', phone } });
    const code = fixture().sender.codeOf(phone);
    const answers = await Promise.all([verify(fixture(), code), verify(fixture(), code)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  });

  it('expires after five minutes, or when a newer one is sent', async () => {
    const { signUp, sender, clock } = fixture();
    await signUp();
    await request(fixture());
    const first = sender.codeOf(phone);
    await clock.advance(minute);
    await request(fixture());
    if (sender.codeOf(phone) !== first) assert.equal((await verify(fixture(), first)).status, 401);
    await clock.advance(5 * minute - 1);
    await request(fixture());
    await clock.advance(5 * minute);
    assert.equal((await verify(fixture(), sender.codeOf(phone))).status, 401);
  });

  it('stops working after five wrong guesses', async () => {
    const { signUp, sender } = fixture();
    await signUp();
    await request(fixture());
    for (let guess = 0; guess < 5; guess += 1) assert.equal((await verify(fixture(), sender.wrongCodeOf(phone))).status, 401);
    assert.equal((await verify(fixture(), sender.codeOf(phone))).status, 401);
  });

  it('is still accepted after four wrong guesses', async () => {
    const { signUp, sender } = fixture();
    await signUp();
    await request(fixture());
    for (let guess = 0; guess < 4; guess += 1) await verify(fixture(), sender.wrongCodeOf(phone));
    assert.equal((await verify(fixture(), sender.codeOf(phone))).status, 200);
  });

  it('is never stored in plain text', async () => {
    const { sender, call, services } = fixture();
    await call('POST', '/auth/register', { body: { name: 'Kopi', phone } });
    const kept = await services.oneTimeCodes.takeGuess('6281234567890', 5, 0);
    assert.match(kept ?? '', /^[0-9a-f]{64}$/);
    assert.ok(!kept?.includes(sender.codeOf(phone)));
  });

  it('can be requested five times in 15 minutes, not counting the code sent at sign-up', async () => {
    const { signUp, clock } = fixture();
    await signUp();
    for (let nth = 0; nth < 5; nth += 1) assert.equal((await request(fixture())).status, 200);
    const refused = await request(fixture());
    assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [429, 'RATE_LIMITED', '900']);
    assert.equal((await request(fixture(), '62 812-3456-7890')).status, 429, 'the same phone, written otherwise');
    await clock.advance(15 * minute);
    assert.equal((await request(fixture())).status, 200);
  });

  it('can be requested without an error, even if it cannot be sent', async () => {
    const { signUp, sender, told } = fixture();
    await signUp();
    sender.state = 'offline';
    assert.equal((await request(fixture())).status, 200);
    await settle();
    assert.deepEqual(told, ['code not sent']);
  });

  it('is rejected if the code or the phone number is malformed', async () => {
    assert.equal((await verify(fixture(), '12345')).status, 400);
    assert.equal((await verify(fixture(), '1234567')).status, 400);
    assert.equal((await verify(fixture(), '12345a')).status, 401);
    assert.equal((await request(fixture(), '0812 3456 7890')).body.code, 'INVALID_NUMBER');
  });
});

/** Spends a phone's wrong guesses of a day; gives the statuses of 25 of them. */
async function guessAllDay(fixture: Fixture, from: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await request(fixture, from);
    for (let guess = 0; guess < 5; guess += 1) statuses.push((await verify(fixture, fixture.sender.wrongCodeOf(from), from)).status);
  }
  return statuses;
}

story('guessing a login code', (fixture) => {
  it('is limited to twenty attempts a day per phone number, whether registered or not', async () => {
    const { signUp, sender, clock } = fixture();
    await signUp();
    const statuses = await guessAllDay(fixture(), phone);
    assert.deepEqual(statuses, [...Array(20).fill(401), ...Array(5).fill(429)]);
    assert.deepEqual(await guessAllDay(fixture(), stranger), statuses, 'a stranger’s phone answers the same');

    await clock.advance(15 * minute);
    await request(fixture());
    const refused = await verify(fixture(), sender.codeOf(phone));
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, String((day - 15 * minute) / 1000)]);
    await clock.advance(day);
    await request(fixture());
    assert.equal((await verify(fixture(), sender.codeOf(phone))).status, 200);
  });

  it('gets the same response for an unregistered phone number, to which no code is sent', async () => {
    const { signUp, sender } = fixture();
    await signUp();
    const [known, unknown] = [await request(fixture()), await request(fixture(), stranger)];
    assert.deepEqual([unknown.status, unknown.body], [known.status, known.body]);
    await settle();
    assert.ok(sender.texts.every((sent) => sent.phone !== '6289999999999'));
    assert.equal((await verify(fixture(), '000000', stranger)).status, 401);
  });

  it('is no easier with a hundred concurrent attempts', async () => {
    const { signUp, sender } = fixture();
    await signUp();
    await request(fixture());
    const wrong = Array.from({ length: 50 }, () => verify(fixture(), sender.wrongCodeOf(phone)));
    const statuses = (await Promise.all(wrong)).map(({ status }) => status);
    assert.ok(statuses.every((status) => status === 401));
    assert.equal((await verify(fixture(), sender.codeOf(phone))).status, 401, 'five of them voided the code');
  });
});
