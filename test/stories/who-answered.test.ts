import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aTeam } from '../actors/services/agents/agents-fixture.ts';
import { inboxOf } from '../actors/services/conversations/conversations-fixture.ts';
import { ANNA, codeOn } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const AT_ONCE = { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } };

eachStore('a business', (kind) => {
  it("sees which replies came from people, AI and rules, while an agent sees only the agent's own replies", async (t) => {
    const { gateway, owner, tenant, dewi, device } = await aTeam(t, kind);
    const { write, receives } = inboxOf(gateway, owner, device.path);
    await owner('PUT', '/v1/settings', AT_ONCE);
    const rule = { name: 'Price', trigger_type: 'keyword', trigger_text: 'price', reply_type: 'text', reply_body: '10' };
    assert.equal((await owner('POST', `${device.path}/auto-reply`, rule)).status, 201);
    write(ANNA, 'price');
    await receives(ANNA, '10');
    const sent = await dewi.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'Anything else?' });
    assert.deepEqual([sent.status, sent.body.code], [202, undefined]);
    await gateway.until('it is sent', async () => (await device.message(sent.body.id)).sent_at !== null);
    const answers = async (api = owner) => (await api('GET', '/v1/analytics/answers?days=7')).body;
    await gateway.until('all is counted', async () => {
      const { agents, auto_replies } = await answers();
      return auto_replies.matched === 1 && agents.some(({ chats }: { chats: number }) => chats === 1);
    });
    const { agents, ai, auto_replies } = await answers();
    assert.deepEqual([ai, auto_replies], [{ answered: 0, handed_over: 0, silent: 0 }, { matched: 1 }]);
    const chats = new Map(agents.map((one: { id: string; chats: number }) => [one.id, one.chats]));
    assert.deepEqual([chats.get(tenant.id), chats.get(dewi.id)], [0, 1]);
    const own = await answers(dewi.api);
    assert.deepEqual(
      own.agents.map(({ id, name }: { id: string; name: string }) => [id, name]),
      [[dewi.id, 'Dewi']],
    );
    assert.equal((await owner('GET', '/v1/analytics/answers?days=8')).status, 400);
  });

  it('sees which browser was used for each login', async (t) => {
    const { gateway, owner, tenant } = await aTeam(t, kind);
    const { phone } = tenant;
    await gateway.clock.advance(61_000);
    const digits = tenant.phone.replace(/\D/g, '');
    const received = () => gateway.sandbox.phone(digits).messages(100).length;
    const before = received();
    await gateway.api('POST', '/auth/request-otp', { phone });
    await gateway.until('the code arrives', () => received() > before);
    const code = codeOn(gateway.sandbox, digits);
    const agent = `Mozilla/5.0 (X11) ${'x'.repeat(400)}`;
    const { status } = await gateway.api('POST', '/auth/verify-otp', { phone, code }, { 'user-agent': agent });
    assert.equal(status, 200);
    const { logins } = (await owner('GET', '/v1/logins')).body;
    assert.ok(logins.some(({ user_agent }: { user_agent: string | null }) => user_agent === agent.slice(0, 256)));
  });
});
