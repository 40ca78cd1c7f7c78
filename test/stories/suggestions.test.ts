import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aTeam } from '../actors/services/agents/agents-fixture.ts';
import { inboxOf } from '../actors/services/conversations/conversations-fixture.ts';
import { ANNA } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

eachStore('a suggested reply', (kind) => {
  it('contains the saved answer to the last question, and is not sent', async (t) => {
    const { gateway, owner, dewi, budi, device } = await aTeam(t, kind);
    const { write, receives } = inboxOf(gateway, owner, device.path);
    await owner('POST', '/v1/ai-reply/answers', { question: 'Do you deliver to Singapore?', answer: 'Yes, in three days.' });
    write(ANNA, 'Do you deliver to Singapore?');
    await receives(ANNA, 'Do you deliver to Singapore?');
    const path = `${device.path}/chats/${ANNA}/suggest`;
    assert.deepEqual([(await owner('POST', path)).status, (await owner('POST', path)).body.code], [409, 'CONFLICT']);
    await owner('PUT', '/v1/ai-reply', { enabled: true, only_when: 'outside_hours', session_ids: [] });
    await owner('POST', `${device.path}/chats/${ANNA}/assign`, { agent_id: dewi.id });
    const before = (await owner('GET', '/v1/usage')).body;
    const suggested = await dewi.api('POST', path);
    assert.deepEqual([suggested.status, suggested.body.text], [200, 'Yes, in three days.']);
    assert.equal(suggested.body.sources[0]?.kind, 'answer');
    assert.equal((await budi.api('POST', path)).status, 404);
    assert.deepEqual((await owner('GET', '/v1/usage')).body, before);
    assert.deepEqual((await owner('GET', `${device.path}/messages?direction=outbound`)).body.messages, []);
    write(ANNA, 'thanks');
    await receives(ANNA, 'thanks');
    assert.deepEqual((await dewi.api('POST', path)).body, { text: null, sources: [] });
  });
});
