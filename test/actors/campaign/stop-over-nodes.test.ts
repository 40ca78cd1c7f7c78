import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aCluster, type FleetDevice } from '../../support/cluster.ts';
import { ANNA, type Api, type Gateway } from '../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../support/stores.ts';
import { phones, textsOn } from './campaign-fixture.ts';

const AWHILE_MS = 15_000;
const SALE = 'Summer sale';

/** A business with a device on one node that receives, and one on another that sends. */
async function overTwoNodes(t: Scope, kind: StoreKind) {
  const cluster = await aCluster(t, kind);
  const [a, b] = [await cluster.node('a'), await cluster.node('b')];
  const fleet = await cluster.fleet(3, a, b);
  await cluster.waited('both nodes have some', () => new Set(cluster.owners(fleet)).size === 2);
  const [receives, sends] = ['a', 'b'].map((node) => fleet.devices[cluster.owners(fleet).indexOf(node)]!);
  const api = fleet.at(a);
  await api('PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 1_000, max_delay_ms: 1_000 } });
  return { cluster, a, b, fleet, receives: receives!, sends: sends! };
}

const saysStop = ({ sandbox }: Pick<Gateway, 'sandbox'>, { phone }: FleetDevice): void =>
  void sandbox.phone(ANNA).write({ to: phone, content: { type: 'text', body: 'Berhenti.' } });

const isOut = (api: Api) => async (): Promise<boolean> =>
  (await api('GET', `/v1/consent/history/%2B${ANNA}`)).body.current?.status === 'opted_out';

async function started(api: Api, { id }: FleetDevice, people: readonly string[]): Promise<string> {
  const recipients = people.map((phone) => ({ phone }));
  const campaign = { session_id: id, name: 'Sale', message_type: 'text', body: SALE, recipients };
  const { body } = await api('POST', '/v1/blasts', campaign);
  assert.equal((await api('POST', `/v1/blasts/${body.id}/start`, {})).status, 200);
  return `/v1/blasts/${body.id}`;
}

eachStore('a STOP received by one node', (kind) => {
  it('stops marketing messages on every device and every node', async (t) => {
    const { cluster, a, b, fleet, receives, sends } = await overTwoNodes(t, kind);
    const others = phones(4);
    const path = await started(fleet.at(a), sends, [...others, ANNA]);
    await cluster.waited('the first has it', () => others.some((phone) => textsOn(a, phone).includes(SALE)));
    const { nodes } = (await b.operator('GET', '/v1/admin/nodes')).body;
    assert.deepEqual(nodes.map(({ blasts }: { blasts: number }) => blasts).toSorted(), [0, 1]);
    saysStop(cluster, receives);
    await cluster.waited('she is out', isOut(fleet.at(b)));
    await cluster.waited('the campaign is over', async () => (await fleet.at(b)('GET', path)).body.status === 'completed');
    assert.deepEqual(
      [...others, ANNA].map((phone) => textsOn(a, phone).filter((text) => text === SALE).length),
      [1, 1, 1, 1, 0],
    );
    assert.equal(textsOn(a, ANNA).length, 1, 'she is told that she is out');
    const { body } = await fleet.at(a)('GET', path);
    assert.deepEqual([body.sent_count, body.skipped_count], [4, 1]);
  });

  it('holds recurring messages from other devices until the person opts in again', async (t) => {
    const { cluster, a, b, fleet, receives, sends } = await overTwoNodes(t, kind);
    const daily = { name: 'tips', targets: [ANNA], message: 'Tip of the day', schedule_type: 'daily' };
    const { id } = (await fleet.at(a)('POST', `${sends.path}/recurring`, daily)).body;
    const run = () => fleet.at(b)('POST', `${sends.path}/recurring/${id}/run`);
    const tips = () => textsOn(a, ANNA).filter((text) => text === daily.message).length;
    await run();
    await cluster.waited('she gets one', () => tips() === 1);
    saysStop(cluster, receives);
    await cluster.waited('she is out', isOut(fleet.at(b)));
    await run();
    await cluster.clock.advance(AWHILE_MS);
    assert.equal(tips(), 1);
    cluster.sandbox.phone(ANNA).write({ to: receives.phone, content: { type: 'text', body: 'MULAI' } });
    await cluster.waited('she is back', async () => !(await isOut(fleet.at(b))()));
    await run();
    await cluster.waited('she gets another', () => tips() === 2);
  });
});
