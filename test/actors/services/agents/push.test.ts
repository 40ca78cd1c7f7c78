import assert from 'node:assert/strict';
import { it } from 'node:test';
import { agentsIn } from '../../../../store/agents/agents.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { inboxOf } from '../conversations/conversations-fixture.ts';
import { aBrowser, aPushService, type Browser, type PushService } from '../push/push-service.ts';
import { aTeam } from './agents-fixture.ts';

const BEN = '6281211110002';

eachStore("a team's push notifications", (kind) => {
  it('reach all browsers for an unassigned chat, and only the agent and the owner for an assigned one', async (t) => {
    const service = await aPushService(t);
    const { gateway, owner, device, dewi, budi } = await aTeam(t, kind, { egress_allow: [service.place] });
    const { write, receives } = inboxOf(gateway, owner, device.path);
    const browsers = { owner: aBrowser(service, 'owner'), dewi: aBrowser(service, 'dewi'), budi: aBrowser(service, 'budi') };
    for (const [name, api] of Object.entries({ owner, dewi: dewi.api, budi: budi.api }))
      assert.equal((await api('POST', '/v1/push/subscribe', browsers[name as keyof typeof browsers].subscription)).status, 201);
    write(ANNA, 'of nobody');
    await gateway.until('all are told', () => toldOf(service, browsers, 'of nobody').length === 3);
    await receives(ANNA, 'of nobody');
    await owner('POST', `${device.path}/chats/${ANNA}/assign`, { agent_id: dewi.id });
    await gateway.clock.advance(31_000);
    write(ANNA, 'for Dewi');
    await gateway.until('two are told', () => toldOf(service, browsers, 'for Dewi').length === 2);
    // Whoever was to learn of it has learned of it when all learned of what came later.
    write(BEN, 'of nobody, later');
    await gateway.until('all are told of another', () => toldOf(service, browsers, 'of nobody, later').length === 3);
    assert.deepEqual(toldOf(service, browsers, 'for Dewi'), ['dewi', 'owner']);
  });

  it("stop for an agent who is deactivated, even before the agent's login ends", async (t) => {
    const service = await aPushService(t);
    const { gateway, tenant, owner, device, dewi } = await aTeam(t, kind, { egress_allow: [service.place] });
    const { write } = inboxOf(gateway, owner, device.path);
    const browsers = { owner: aBrowser(service, 'owner'), dewi: aBrowser(service, 'dewi') };
    await owner('POST', '/v1/push/subscribe', browsers.owner.subscription);
    await dewi.api('POST', '/v1/push/subscribe', browsers.dewi.subscription);
    write(ANNA, 'for both');
    await gateway.until('both are told', () => toldOf(service, browsers, 'for both').length === 2);
    await agentsIn(gateway.store).change(tenant.id, dewi.id, { is_active: false }, gateway.clock.now());
    write(BEN, 'for the owner');
    await gateway.until('the owner is told', () => toldOf(service, browsers, 'for the owner').length > 0);
    await gateway.clock.advance(1_000);
    assert.deepEqual(toldOf(service, browsers, 'for the owner'), ['owner']);
  });
});

/** Whose browsers show this. */
function toldOf({ pushed }: PushService, browsers: Readonly<Record<string, Browser>>, body: string): string[] {
  const notices = pushed.map((one) => {
    const name = one.path.slice(1);
    return { name, body: browsers[name]?.read(one).body };
  });
  return notices.flatMap((notice) => (notice.body === body ? [notice.name] : [])).toSorted();
}
