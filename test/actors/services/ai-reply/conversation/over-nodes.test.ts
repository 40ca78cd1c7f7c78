import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { aCluster, type Cluster, type Fleet } from '../../../../support/cluster.ts';
import { eachStore } from '../../../../support/stores.ts';
import { phones, textsOn } from '../../../campaign/campaign-fixture.ts';

const PEOPLE = phones(6);
const ROUNDS = 3;
const ANSWER = 'Kami buka Senin sampai Sabtu pukul 09.00.';

async function allAsk({ sandbox, clock }: Cluster, { devices: [device] }: Fleet): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const phone of PEOPLE)
      sandbox.phone(phone).write({ to: device?.phone ?? '', content: { type: 'text', body: `jam berapa toko buka? ${round}` } });
    await clock.advance(200);
  }
}

eachStore('an AI reply on two nodes', (kind) => {
  it('is sent to each customer exactly once while the business moves between nodes', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(1, a);
    const nodes = { a, b };
    const owner = (): 'a' | 'b' => (cluster.owners(fleet)[0] === 'b' ? 'b' : 'a');
    /** The index lives in a thread, which needs real time. */
    const waited = (what: string, check: () => Promise<unknown> | unknown) =>
      cluster.waited(what, async () => {
        await pause(2);
        return check();
      });
    await fleet.at(a)('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } });
    await fleet.at(a)('POST', '/v1/ai-reply/answers', { question: 'Jam berapa toko buka?', answer: ANSWER });
    assert.equal((await fleet.at(b)('PUT', '/v1/ai-reply', { enabled: true })).status, 200);

    const first = owner();
    // Not waited for: people ask while it moves.
    const drained = nodes[first].operator('POST', `/v1/admin/nodes/${first}/drain`);
    await allAsk(cluster, fleet);
    assert.equal((await drained).status, 202);
    await waited('it moved', () => owner() !== first);
    const second = owner();
    assert.equal((await nodes[second].operator('POST', `/v1/admin/nodes/${first}/undrain`)).status, 202);
    await waited('everybody has an answer', () => PEOPLE.every((phone) => textsOn(nodes[second], phone).length > 0));
    const others = phones(2 * PEOPLE.length).slice(PEOPLE.length);
    for (const phone of others)
      cluster.sandbox.phone(phone).write({ to: fleet.devices[0]?.phone ?? '', content: { type: 'text', body: 'jam berapa toko buka?' } });
    await cluster.clock.advance(1_000);
    await nodes[second].kill();
    await waited('the other has it back', () => owner() === first);
    await waited('those too', () => others.every((phone) => textsOn(nodes[first], phone).length > 0));
    await cluster.clock.advance(60_000);
    for (const phone of [...PEOPLE, ...others]) assert.deepEqual(textsOn(nodes[first], phone), [ANSWER], phone);
    const { quota } = (await fleet.at(nodes[first])('GET', '/v1/ai-reply')).body;
    assert.equal(quota.used, PEOPLE.length + others.length);
  });
});
