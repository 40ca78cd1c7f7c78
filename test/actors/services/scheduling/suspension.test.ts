import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { WakeupRow } from '../../../../store/scheduling/wakeups.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aSchedulingFixture, crashed, type SchedulingFixture, textsOn } from './scheduling-fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The operator suspends the tenant, or reinstates it. */
async function suspended({ gateway, acme }: SchedulingFixture, isSuspended: boolean): Promise<void> {
  const { body } = await gateway.operator('PATCH', `/v1/admin/tenants/${acme.id}`, { suspended: isSuspended });
  assert.equal(body.suspended, isSuspended);
}

eachStore("a suspended tenant's planned sends", (kind) => {
  it('are held when due, and sent when the tenant is reinstated', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const scheduled_at = gateway.clock.now() + 2 * MINUTE;
    const { status } = await api('POST', `${device.path}/scheduled`, { chat_id: `+${ANNA}`, type: 'text', body: 'Soon', scheduled_at });
    assert.equal(status, 201);
    await suspended(fixture, true);
    await gateway.clock.advance(5 * MINUTE);
    const again = await crashed(fixture);
    await again.gateway.clock.advance(5 * MINUTE);
    assert.deepEqual(textsOn(again.gateway, ANNA), []);
    await suspended(again, false);
    await again.gateway.until('she has it', () => textsOn(again.gateway, ANNA).length === 1);
    assert.deepEqual(textsOn(again.gateway, ANNA), ['Soon']);
  });

  it('run only once after the suspension, however many recurrences were missed', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const { clock } = gateway;
    const offer = {
      name: 'Offer',
      targets: [ANNA],
      message: 'Today only',
      schedule_type: 'daily',
      schedule_config: { hour: 8, minute: 30 },
    };
    const { next_run_at } = (await api('POST', `${device.path}/recurring`, offer)).body;
    await suspended(fixture, true);
    for (const day of [0, 1]) {
      clock.jump(next_run_at + day * DAY - MINUTE - clock.now());
      await clock.advance(2 * MINUTE);
    }
    assert.deepEqual(textsOn(gateway, ANNA), []);
    await suspended(fixture, false);
    await gateway.until('she has it', () => textsOn(gateway, ANNA).length > 0);
    await clock.advance(5 * MINUTE);
    assert.deepEqual(textsOn(gateway, ANNA), ['Today only']);
    clock.jump(next_run_at + 2 * DAY - MINUTE - clock.now());
    await clock.advance(2 * MINUTE);
    assert.equal(textsOn(gateway, ANNA).length, 2, 'and the next one at its time');
  });

  it('are checked again only when the suspension changes', async (t) => {
    const { gateway, acme } = await aSchedulingFixture(t, kind);
    const looks = async (patch: object): Promise<number> => {
      assert.equal((await gateway.operator('PATCH', `/v1/admin/tenants/${acme.id}`, patch)).status, 200);
      return (await gateway.store.collection<WakeupRow>({ name: 'wakeups', indexes: [] }).findOne({ _id: acme.id }))?.sends_rev ?? 0;
    };
    const known = await looks({ suspended: false });
    assert.deepEqual([await looks({ plan: 'pro' }), await looks({ suspended: true })], [known, known + 1]);
  });
});
