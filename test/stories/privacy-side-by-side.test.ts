import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deletionsIn } from '../../store/privacy/deletions.ts';
import { endlessSegments } from '../actors/services/privacy/erasure-fixture.ts';
import { ANNA, aGateway } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const GRACE_MS = 30 * 60_000;

eachStore("one business's long erasure", (kind) => {
  it("does not delay another business's account deletion", async (t) => {
    const slow = endlessSegments();
    const gateway = await aGateway(t, { kind, over: slow.over });
    const acme = await gateway.signUp();
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    const { status, body } = await gateway.during(acme.api('POST', '/v1/privacy/erasures', { phone: `+${ANNA}`, confirm: true }));
    assert.equal(status, 202);
    await slow.begun;
    assert.equal((await gateway.during(globex.api('DELETE', '/v1/account', { confirm: true }))).status, 202);
    await gateway.clock.advance(GRACE_MS);
    await gateway.until('the account is gone', async () => (await deletionsIn(gateway.store).find(globex.id))?.done_at);
    slow.letGo();
    await gateway.until('she is erased', async () => (await acme.api('GET', `/v1/privacy/erasures/${body.id}`)).body.status === 'done');
  });
});
