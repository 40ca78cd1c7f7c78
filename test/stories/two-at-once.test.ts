import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../actors/domain/plans.ts';
import { aCluster } from '../support/cluster.ts';
import { type Answer, type Api, codeOn } from '../support/gateway.ts';
import { eachRealStore, type Scope, type StoreKind } from '../support/stores.ts';

const PLANS = plansFrom({ free: { devices: 2, send_per_minute: 1_000 } });
const PHONE = '6281100000077';

async function twoNodes(scope: Scope, kind: StoreKind) {
  const cluster = await aCluster(scope, kind, { plans: PLANS });
  const nodes = [await cluster.node('a'), await cluster.node('b')];
  /** So many calls at the same moment, in turn over both nodes. */
  const atOnce = (count: number, call: (api: Api, nth: number) => Promise<Answer>, token?: string): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, nth) => call(token ? nodes[nth % 2]!.as(token) : nodes[nth % 2]!.api, nth)));
  return { cluster, nodes, atOnce };
}

const statuses = (answers: readonly Answer[]): readonly number[] => answers.map(({ status }) => status).sort();

eachRealStore('concurrent requests on two nodes', (kind) => {
  it('create exactly as many devices as the plan allows', async (t) => {
    const { nodes, atOnce } = await twoNodes(t, kind);
    const { api, tokens } = await nodes[0]!.signUp();
    for (let round = 0; round < 3; round += 1) {
      const made = await atOnce(6, (call) => call('POST', '/v1/sessions', {}), tokens.token);
      assert.deepEqual(statuses(made), [201, 201, 402, 402, 402, 402]);
      const { sessions } = (await api('GET', '/v1/sessions')).body;
      assert.equal(sessions.length, 2);
      for (const { id } of sessions) assert.equal((await api('DELETE', `/v1/sessions/${id}`)).status, 200);
    }
  });

  it('create only one business at sign-up, which requires the latest code', async (t) => {
    const { cluster, nodes, atOnce } = await twoNodes(t, kind);
    for (let round = 0; round < 3; round += 1) {
      const phone = `${PHONE}${round}`;
      const answers = await atOnce(8, (call) => call('POST', '/auth/register', { name: 'Kopi', phone: `+${phone}` }));
      const [one, ...others] = statuses(answers);
      assert.equal(one, 200);
      // Either another one is under way, or the phone has been sent enough.
      assert.ok(
        others.every((status) => status === 409 || status === 429),
        String(others),
      );
      const code = codeOn(cluster.sandbox, phone);
      assert.equal((await nodes[1]!.api('POST', '/auth/verify-otp', { phone: `+${phone}`, code })).status, 200);
    }
  });

  it('send several login codes, of which only the latest is valid', async (t) => {
    const { cluster, nodes, atOnce } = await twoNodes(t, kind);
    await nodes[0]!.signUp('Kopi', `+${PHONE}`);
    const answers = await atOnce(4, (call) => call('POST', '/auth/request-otp', { phone: `+${PHONE}` }));
    assert.deepEqual(statuses(answers), [200, 200, 200, 200]);
    await cluster.waited('a second code on the phone', () => cluster.sandbox.phone(PHONE).messages(9).length > 1);
    await cluster.clock.advance(1_000);
    const code = codeOn(cluster.sandbox, PHONE);
    assert.equal((await nodes[1]!.api('POST', '/auth/verify-otp', { phone: `+${PHONE}`, code })).status, 200);
  });
});
