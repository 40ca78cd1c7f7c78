import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ScheduledRow, scheduledIn } from '../../../../store/scheduling/scheduled.ts';
import { wakeupsIn } from '../../../../store/scheduling/wakeups.ts';
import { ANNA, type Answer, type Gateway } from '../../../support/gateway.ts';
import { refusing } from '../../../support/refusing-store.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aSchedulingFixture, textsOn } from './scheduling-fixture.ts';

const MINUTE = 60_000;
/** More than one sweep looks at. */
const MANY = 1_100;

/** A tenant who has nothing to do, and a call that is broken off after what it asked for is stored and before the tenant's actor learns of it. */
async function anIdleTenant(scope: Scope, kind: StoreKind) {
  let isDown = false;
  const fixture = await aSchedulingFixture(
    scope,
    refusing(kind, ['wakeups'], () => isDown),
  );
  const { gateway, api, device } = fixture;
  await gateway.clock.advance(MINUTE);
  const call = (path: string, body?: object) => api('POST', path, body, { 'idempotency-key': path });
  async function brokenOff(path: string, body?: object): Promise<void> {
    isDown = true;
    assert.ok((await call(path, body)).status >= 500);
    isDown = false;
    await gateway.clock.advance(MINUTE);
  }
  async function brokenOffAndRepeated(path: string, body?: object): Promise<Answer> {
    await brokenOff(path, body);
    return call(path, body);
  }
  /** A recurring message that runs only when it is told to, whose creation its tenant's actor has seen to. */
  async function aPausedOffer(): Promise<string> {
    const daily = { schedule_type: 'daily', schedule_config: { hour: 3, minute: 0 }, is_active: false };
    const offer = { ...daily, name: 'Daily', targets: [ANNA], message: 'Fresh bread' };
    const { id } = (await api('POST', `${device.path}/recurring`, offer)).body;
    await gateway.clock.advance(MINUTE);
    return `${device.path}/recurring/${id}`;
  }
  return { ...fixture, brokenOff, brokenOffAndRepeated, aPausedOffer };
}

eachStore('a planned send whose call was aborted and repeated with the same Idempotency-Key', (kind) => {
  it('is sent on time', async (t) => {
    const { gateway, device, brokenOffAndRepeated } = await anIdleTenant(t, kind);
    const at = gateway.clock.now() + 10 * MINUTE;
    const order = { chat_id: ANNA, type: 'text', body: 'Hello later', scheduled_at: at };
    assert.equal((await brokenOffAndRepeated(`${device.path}/scheduled`, order)).status, 201);
    await gateway.clock.advanceTo(at + MINUTE);
    assert.deepEqual(textsOn(gateway, ANNA), ['Hello later']);
  });

  it('runs once if it is a recurring message that is run manually', async (t) => {
    const { gateway, brokenOffAndRepeated, aPausedOffer } = await anIdleTenant(t, kind);
    assert.equal((await brokenOffAndRepeated(`${await aPausedOffer()}/run`)).status, 202);
    await gateway.clock.advance(MINUTE);
    assert.deepEqual(textsOn(gateway, ANNA), ['Fresh bread']);
  });
});

eachStore('a planned send whose call was aborted after it was stored', (kind) => {
  it('is sent within a few minutes after its time', async (t) => {
    const { gateway, device, brokenOff } = await anIdleTenant(t, kind);
    const at = gateway.clock.now() + 10 * MINUTE;
    await brokenOff(`${device.path}/scheduled`, { chat_id: ANNA, type: 'text', body: 'Hello later', scheduled_at: at });
    await gateway.clock.advanceTo(at + 3 * MINUTE);
    assert.deepEqual(textsOn(gateway, ANNA), ['Hello later']);
  });

  it('runs once if it is a recurring message that is run manually', async (t) => {
    const { gateway, brokenOff, aPausedOffer } = await anIdleTenant(t, kind);
    await brokenOff(`${await aPausedOffer()}/run`);
    await gateway.clock.advance(3 * MINUTE);
    assert.deepEqual(textsOn(gateway, ANNA), ['Fresh bread']);
  });

  it('is sent even if a suspended tenant has many due sends', async (t) => {
    const { gateway, device, brokenOff } = await anIdleTenant(t, kind);
    const idle = await aSuspendedTenantWithMuchDue(gateway);
    const wakeups = wakeupsIn(gateway.store);
    await gateway.clock.advance(15 * MINUTE);
    const before = await wakeups.find(idle);
    const at = gateway.clock.now() + 2 * MINUTE;
    await brokenOff(`${device.path}/scheduled`, { chat_id: ANNA, type: 'text', body: 'Hello later', scheduled_at: at });
    await gateway.clock.advanceTo(at + 4 * MINUTE);
    assert.deepEqual(textsOn(gateway, ANNA), ['Hello later']);
    assert.equal((await wakeups.find(idle))?.rev, before?.rev);
  });
});

async function aSuspendedTenantWithMuchDue(gateway: Gateway): Promise<string> {
  const { id, api, linked } = await gateway.signUp('Idle', '+62 812-9999-0001');
  const device = await linked('6281299990002');
  const scheduled_at = gateway.clock.now() + MINUTE;
  const order = { chat_id: ANNA, type: 'text', body: 'Not from them', scheduled_at };
  const { body } = await api('POST', `${device.path}/scheduled`, order);
  await gateway.operator('PATCH', `/v1/admin/tenants/${id}`, { suspended: true });
  const scheduled = scheduledIn(gateway.store);
  const found: (ScheduledRow & { readonly place?: number }) | null = await scheduled.find(id, device.id, body.id);
  assert.ok(found);
  const { place, ...row } = found;
  await Promise.all(Array.from({ length: MANY }, (_, nth) => scheduled.put({ ...row, _id: `${row._id}${nth}` })));
  return id;
}
