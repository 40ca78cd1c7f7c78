import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LimitsInMemory } from '../../../http/limits/limits.ts';
import { seededRandom } from '../../../runtime/random.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { aServer, as } from '../../support/http-sample.ts';

const rate = (headers: Headers) => ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)));

it('a key that exceeds its rate limit is rejected, and is accepted again after Retry-After', async () => {
  const clock = new VirtualClock();
  await using web = await aServer({ clock });
  assert.deepEqual(rate((await web.get('/v1/bearer', as('key'))).headers), [5, 4, 60]);
  await clock.advance(10_500);
  for (let call = 0; call < 4; call++) await web.get('/v1/bearer', as('key'));
  const refused = await web.get('/v1/bearer', as('key'));
  assert.deepEqual([refused.status, refused.body.code, refused.body.scope], [429, 'RATE_LIMITED', 'api_key']);
  assert.deepEqual([refused.headers.get('retry-after'), ...rate(refused.headers)], ['50', 5, 0, 50]);
  await clock.advance(50_000);
  assert.equal((await web.get('/v1/bearer', as('key'))).status, 200);
  assert.equal((await web.get('/v1/bearer', as('key'))).status, 429);
});

it("each key's calls are counted separately, and logins have a different limit", async () => {
  await using web = await aServer({ clock: new VirtualClock() });
  for (let call = 0; call < 6; call++) await web.get('/v1/bearer', as('key'));
  assert.equal((await web.get('/v1/bearer', as('reader'))).status, 200);
  for (let call = 0; call < 10; call++) assert.deepEqual(rate((await web.get('/v1/bearer', as('owner'))).headers), [600, 600, 60]);
});

it('forbidden and invalid requests are counted, and get a 403 even above the rate limit', async () => {
  await using web = await aServer({ clock: new VirtualClock() });
  for (let call = 0; call < 4; call++) assert.equal((await web.get('/v1/owner', as('key'))).status, 403);
  assert.deepEqual(rate((await web.get('/v1/find/A?odd=1', as('key'))).headers), [5, 0, 60]);
  assert.equal((await web.get('/v1/bearer', as('key'))).status, 429);
  assert.equal((await web.get('/v1/owner', as('key'))).status, 403);
});

it('sends are limited separately for each key, and jointly for all logins of a tenant', async () => {
  const clock = new VirtualClock();
  await using web = await aServer({ clock });
  const send = (who: string) => web.post('/v1/sessions/D1/messages', { type: 'text', body: 'x' }, as(who));
  for (let call = 0; call < 3; call++) assert.equal((await send('key')).status, 202);
  const refused = await send('key');
  assert.deepEqual([refused.status, refused.body.scope, rate(refused.headers)[0]], [429, undefined, 3]);
  for (const who of ['owner', 'agent', 'owner']) assert.equal((await send(who)).status, 202);
  const together = await send('agent');
  assert.deepEqual([together.status, together.body.scope, rate(together.headers)[0]], [429, undefined, 3]);
  await clock.advance(1_000 * Number(refused.headers.get('retry-after')));
  assert.equal((await send('key')).status, 202);
});

it("a call rejected by the send limit does not count against the key's request limit", async () => {
  await using web = await aServer({ clock: new VirtualClock() });
  const send = () => web.post('/v1/sessions/D1/messages', { type: 'text', body: 'x' }, as('key'));
  for (let call = 0; call < 10; call++) await send();
  assert.deepEqual(rate((await web.get('/v1/bearer', as('key'))).headers), [5, 1, 60]);
});

it('a rate limit is never exceeded in any minute, and its `Retry-After` is long enough', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = seededRandom(seed);
    const limits = new LimitsInMemory();
    const max = 1 + Math.floor(random() * 20);
    const passed: number[] = [];
    let now = 1_000_000;
    for (let call = 0; call < 400; call++) {
      now += Math.floor(random() ** 3 * 12_000);
      const verdict = limits.take('key', max, 60_000, now);
      const inWindow = passed.filter((at) => at > now - 60_000).length;
      assert.equal(verdict.ok, inWindow < max, 'exact');
      assert.equal(verdict.remaining, verdict.ok ? max - inWindow - 1 : 0);
      if (!verdict.ok) {
        assert.equal(limits.take('key', max, 60_000, now + verdict.resetMs - 1).ok, false, 'no promise is later than it must be');
        now += verdict.resetMs;
        assert.equal(limits.take('key', max, 60_000, now).ok, true, 'waiting that long suffices');
      }
      passed.push(now);
    }
  }
});

it('idle keys are forgotten, which limits the memory used by rate limits', () => {
  const limits = new LimitsInMemory();
  for (let key = 0; key < 10_000; key++) limits.take(`key ${key}`, 10, 60_000, 0);
  assert.equal(limits.size, 10_000);
  for (let call = 0; call < 11_000; call++) limits.take('busy', 10, 60_000, 120_000);
  assert.equal(limits.size, 1);
});

it('a lowered rate limit or a clock that is set back blocks calls for at most one window', () => {
  const limits = new LimitsInMemory();
  for (let call = 0; call < 10; call++) limits.take('key', 10, 60_000, call * 1_000);
  const { resetMs } = limits.take('key', 3, 60_000, 10_000);
  assert.equal(limits.take('key', 3, 60_000, 10_000 + resetMs).ok, true);
  for (let call = 0; call < 10; call++) limits.take('other', 10, 60_000, 9_000_000);
  assert.equal(limits.take('other', 10, 60_000, 0).ok, true);
});
