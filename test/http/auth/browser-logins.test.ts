import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openBrowserLogin, refreshBrowserLogin } from '../../../http/auth/browser-logins.ts';
import { story } from '../../actors/services/accounts/account-fixture.ts';

const DAY = 86_400_000;

story('a browser login', (fixture) => {
  it('stays valid if it is refreshed within thirty days with the complete cookie', async () => {
    const { services, signUp, clock } = fixture();
    const { agent_id, agent_name } = await signUp();
    const person = { tenantId: agent_id, role: 'admin', agentId: agent_id, agentName: agent_name } as const;
    let now = clock.now();
    const { cookie } = await openBrowserLogin(services, person, { auth: 'otp', address: '::1', secondFactorAt: null }, now);
    const kept: boolean[] = [];
    for (let nth = 0; nth < 3; nth += 1) {
      now += 29 * DAY;
      const { login, isCookieOld } = await refreshBrowserLogin(services, cookie, now);
      const claims = await services.tokens.read(login.token, now);
      assert.deepEqual([claims?.tenantId, claims?.expiresAt], [agent_id, login.expires_at]);
      kept.push(isCookieOld);
    }
    assert.deepEqual(kept, [false, true, true], 'the browser keeps its cookie anew each month, and no more often');
    assert.equal((await refreshBrowserLogin(services, cookie, now)).isCookieOld, false);
    const another = Buffer.from(cookie, 'base64url');
    another[another.length - 1] = another.at(-1) === 65 ? 66 : 65;
    await assert.rejects(refreshBrowserLogin(services, another.toString('base64url'), now), { code: 'UNAUTHORIZED' });
    await assert.rejects(refreshBrowserLogin(services, cookie, now + 30 * DAY), { code: 'UNAUTHORIZED' });
  });

  it('is neither accepted nor extended while its business is suspended', async () => {
    const { services, signUp, clock } = fixture();
    const { agent_id, agent_name } = await signUp();
    const person = { tenantId: agent_id, role: 'admin', agentId: agent_id, agentName: agent_name } as const;
    const proof = { auth: 'otp', address: '::1', secondFactorAt: null } as const;
    const { cookie } = await openBrowserLogin(services, person, proof, clock.now());
    await services.tenants.govern(agent_id, { suspended: true }, clock.now());
    await assert.rejects(refreshBrowserLogin(services, cookie, clock.now() + 29 * DAY), { code: 'FORBIDDEN' });
    await services.tenants.govern(agent_id, { suspended: false }, clock.now());
    await assert.rejects(refreshBrowserLogin(services, cookie, clock.now() + 31 * DAY), { code: 'UNAUTHORIZED' });
  });
});
