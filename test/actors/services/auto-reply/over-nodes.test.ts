import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aCluster, type Cluster, type Fleet } from '../../../support/cluster.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { phones, textsOn } from '../../campaign/campaign-fixture.ts';

const CLOSED = 'We are closed';
const PEOPLE = phones(6);
const ROUNDS = 4;
const NO_PAUSE = { min_delay_ms: 0, max_delay_ms: 0, typing: false };

eachStore('an away message', (kind) => {
  it('reaches each sender exactly once while the device moves between nodes', async (t) => {
    const { cluster, a, b, fleet } = await closed(t, kind);
    const owner = (): string => cluster.owners(fleet)[0]!;
    const first = owner();
    // Not waited for: people write while it moves.
    const drained = a.operator('POST', `/v1/admin/nodes/${first}/drain`);
    await allWrite(cluster, fleet);
    assert.equal((await drained).status, 202);
    await cluster.waited('it moved', () => owner() !== first);
    const [second, other] = first === 'a' ? [b, a] : [a, b];
    assert.equal((await second.operator('POST', `/v1/admin/nodes/${first}/undrain`)).status, 202);
    const killed = allWrite(cluster, fleet);
    await second.kill();
    await killed;
    await cluster.waited('the other has it back', () => owner() === first);

    await cluster.waited('everything has come', async () => (await writtenTo(fleet, fleet.at(other))) === 2 * ROUNDS * PEOPLE.length);
    await cluster.clock.advance(60_000);
    for (const phone of PEOPLE) assert.deepEqual(textsOn(other, phone), [CLOSED], phone);
  });
});

/** Two nodes with one device, whose business is closed for the hours to come. */
async function closed(t: Scope, kind: StoreKind) {
  const cluster = await aCluster(t, kind);
  const [a, b] = [await cluster.node('a'), await cluster.node('b')];
  const fleet = await cluster.fleet(1, a);
  const hour = new Date(cluster.clock.now()).getUTCHours();
  const clock = (add: number): string => `${String((hour + add) % 24).padStart(2, '0')}:00`;
  const hours = { start: clock(10), end: clock(11), days: [0, 1, 2, 3, 4, 5, 6] };
  await fleet.at(a)('PUT', '/v1/profile', { timezone: 'UTC' });
  await fleet.at(a)('PUT', '/v1/settings', { pacing: NO_PAUSE, away: { enabled: true, text: CLOSED, hours } });
  return { cluster, a, b, fleet };
}

async function allWrite({ sandbox, clock }: Cluster, { devices: [device] }: Fleet): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const phone of PEOPLE) sandbox.phone(phone).write({ to: device!.phone, content: { type: 'text', body: 'Anybody?' } });
    await clock.advance(25);
  }
}

async function writtenTo({ devices: [device] }: Fleet, api: ReturnType<Fleet['at']>): Promise<number> {
  return (await api('GET', `${device!.path}/messages?direction=inbound&limit=200`)).body.messages.length;
}
