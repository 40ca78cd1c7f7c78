import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADMIN_SECRET, type Fixture } from '../../../support/accounts-harness.ts';
import { story } from './account-fixture.ts';

const operator = { 'x-admin-secret': ADMIN_SECRET };
const tenants = ({ call }: Fixture, query = '') => call('GET', `/v1/admin/tenants${query}`, { headers: operator });

story('an operator', (fixture) => {
  it('can view one tenant, or all of them in pages, newest first', async () => {
    const { signUp, call, clock } = fixture();
    const ids: string[] = [];
    for (let nth = 0; nth < 5; nth += 1) {
      ids.unshift((await signUp(`Shop ${nth}`, `+628123456789${nth}`)).agent_id);
      if (nth > 1) await clock.advance(1);
    }
    const seen: string[] = [];
    let query = '?limit=2';
    for (let page = 0; page < 3; page += 1) {
      const { body } = await tenants(fixture(), query);
      seen.push(...body.tenants.map(({ id }: { id: string }) => id));
      query = `?limit=2&before=${body.next_before}&before_id=${body.next_before_id}`;
      assert.equal(body.next_before === null, page === 2);
    }
    assert.deepEqual(seen, ids);

    const { body } = await call('GET', `/v1/admin/tenants/${ids[0]}`, { headers: operator });
    assert.deepEqual([body.name, body.phone, body.country, body.plan, body.suspended], ['Shop 4', '6281234567894', 'ID', 'free', false]);
  });

  it('can assign only existing plans', async () => {
    const { signUp, call } = fixture();
    const { agent_id } = await signUp();
    const patch = (body: object, id = agent_id) => call('PATCH', `/v1/admin/tenants/${id}`, { headers: operator, body });
    assert.equal((await patch({ plan: 'pro' })).body.plan, 'pro');
    const refused = await patch({ plan: 'gold' });
    assert.deepEqual([refused.status, refused.body.code], [400, 'VALIDATION_FAILED']);
    assert.match(refused.body.error, /plan.*free, starter, pro, business/);
    for (const body of [{}, { phone: '1' }, { suspended: 'yes' }]) assert.equal((await patch(body)).status, 400);
    assert.equal((await patch({ plan: 'pro' }, '01J9ZK3V5T8Q4W2N6R7X0Y1ABC')).status, 404);
  });

  it('can sign in only with the operator secret', async () => {
    const { signUp, call } = fixture();
    const { token } = await signUp();
    const attempts: Parameters<typeof call>[2][] = [
      {},
      { token },
      { headers: { 'x-admin-secret': '' } },
      { headers: { 'x-admin-secret': `${ADMIN_SECRET}x` } },
      { headers: { 'x-admin-secret': ADMIN_SECRET.slice(1) } },
    ];
    for (const attempt of attempts) {
      const { status, body } = await call('GET', '/v1/admin/tenants', attempt);
      assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED']);
    }
  });

  it('is delayed after five wrong secrets from one IP address, twice as long each time', async () => {
    const { call, clock } = fixture();
    const guess = (secret: string, from = '127.0.0.3') => call('GET', '/v1/admin/tenants', { headers: { 'x-admin-secret': secret }, from });
    for (let nth = 0; nth < 5; nth += 1) assert.equal((await guess('wrong')).status, 401);
    const waits = async () => {
      const { status, headers } = await guess('wrong again');
      return [status, headers['retry-after']];
    };
    assert.deepEqual(await waits(), [429, '1']);
    await clock.advance(1_000);
    assert.equal((await guess('wrong')).status, 401);
    assert.deepEqual(await waits(), [429, '2']);
    assert.equal((await guess('wrong', '127.0.0.4')).status, 401, 'another address');
    assert.equal((await guess(ADMIN_SECRET)).status, 200, 'who knows it is never locked out by who guesses from the same address');
    assert.deepEqual(await waits(), [429, '2'], 'and whoever guesses still waits');
  });
});
