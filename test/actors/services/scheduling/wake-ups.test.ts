import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, type Answer } from '../../../support/gateway.ts';
import { refusing } from '../../../support/refusing-store.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aSchedulingFixture, textsOn } from './scheduling-fixture.ts';

const MINUTE = 60_000;

/** A tenant who has nothing to do, and a call that is broken off after what it asked for is stored and before the tenant's actor learns of it. */
async function anIdleTenant(scope: Scope, kind: StoreKind) {
  let isDown = false;
  const fixture = await aSchedulingFixture(
    scope,
    refusing(kind, 'wakeups', () => isDown),
  );
  const { gateway, api } = fixture;
  await gateway.clock.advance(MINUTE);
  async function brokenOffAndRepeated(path: string, body?: object): Promise<Answer> {
    const call = () => api('POST', path, body, { 'idempotency-key': path });
    isDown = true;
    assert.ok((await call()).status >= 500);
    isDown = false;
    await gateway.clock.advance(MINUTE);
    return call();
  }
  return { ...fixture, brokenOffAndRepeated };
}

eachStore('a send for later whose call was broken off just after it was stored, and repeated under its key', (kind) => {
  it('is sent at its time', async (t) => {
    const { gateway, device, brokenOffAndRepeated } = await anIdleTenant(t, kind);
    const at = gateway.clock.now() + 10 * MINUTE;
    const order = { chat_id: ANNA, type: 'text', body: 'Hello later', scheduled_at: at };
    assert.equal((await brokenOffAndRepeated(`${device.path}/scheduled`, order)).status, 201);
    await gateway.clock.advanceTo(at + MINUTE);
    assert.deepEqual(textsOn(gateway, ANNA), ['Hello later']);
  });

  it('that is a run of a recurring message goes out once', async (t) => {
    const { gateway, api, device, brokenOffAndRepeated } = await anIdleTenant(t, kind);
    const daily = { schedule_type: 'daily', schedule_config: { hour: 3, minute: 0 }, is_active: false };
    const { id } = (await api('POST', `${device.path}/recurring`, { ...daily, name: 'Daily', targets: [ANNA], message: 'Fresh bread' }))
      .body;
    await gateway.clock.advance(MINUTE);
    assert.equal((await brokenOffAndRepeated(`${device.path}/recurring/${id}/run`)).status, 202);
    await gateway.clock.advance(MINUTE);
    assert.deepEqual(textsOn(gateway, ANNA), ['Fresh bread']);
  });
});
