import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { inboxOf } from '../conversations/conversations-fixture.ts';
import { aBrowser, aPushService, type Browser, type PushService } from '../push/push-service.ts';
import { aTeam } from './agents-fixture.ts';

const BEN = '6281211110002';

eachStore('browsers of a team', (kind) => {
  it('are all notified of an unassigned chat, and only the agent and the owner of an assigned one', async (t) => {
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
});

/** Whose browsers show this. */
function toldOf({ pushed }: PushService, browsers: Readonly<Record<string, Browser>>, body: string): string[] {
  const notices = pushed.map((one) => {
    const name = one.path.slice(1);
    return { name, body: browsers[name]?.read(one).body };
  });
  return notices.flatMap((notice) => (notice.body === body ? [notice.name] : [])).toSorted();
}
