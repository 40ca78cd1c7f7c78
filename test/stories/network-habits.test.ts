import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HABITS, habitsOf } from '../../actors/domain/network-habits.ts';
import { readConfig } from '../../scripts/wiring/config.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { embedded } from '../support/stores.ts';

describe('the settings for network habits', () => {
  it('apply to the whole installation, and can be overridden for each device', () => {
    assert.deepEqual(habitsOf(HABITS), HABITS);
    assert.deepEqual(habitsOf(['presence'], { history: true, presence: false }), ['history']);
    assert.deepEqual(habitsOf(HABITS, { lid_first: false }), ['cstoken', 'previews', 'presence', 'history']);
    const installed = (env: NodeJS.ProcessEnv) => readConfig(env, '/none').network_habits;
    assert.deepEqual(installed({}), HABITS);
    assert.deepEqual(installed({ NETWORK_HABITS: 'presence,history' }), ['presence', 'history']);
    assert.throws(() => installed({ NETWORK_HABITS: 'presents' }), /network_habits/i);
  });

  it('can be changed only by their exact names', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const shop = await gateway.signUp();
    const device = await shop.linked(PHONE);
    const change = (habits: object) => shop.api('PATCH', device.path, { habits });
    assert.deepEqual((await shop.api('GET', device.path)).body.habits, {});
    assert.deepEqual((await change({ lid_first: false })).body.habits, { lid_first: false });
    assert.deepEqual((await change({ presence: true })).body.habits, { lid_first: false, presence: true });
    for (const wrong of [{ cookies: true }, { presence: 'no' }, { presence: null }]) assert.equal((await change(wrong)).status, 400);
    const { entries } = (await shop.api('GET', '/v1/audit?action=device.update')).body;
    assert.deepEqual(entries[0].changes, [{ field: 'habits.presence', from: null, to: true }]);
  });

  it('can hide typing while presence is off', async (t) => {
    const gateway = await aGateway(t, { kind: embedded, config: { network_habits: HABITS.filter((name) => name !== 'presence') } });
    const shop = await gateway.signUp();
    const device = await shop.linked(PHONE);
    const composes = () => shop.api('POST', `${device.path}/chats/${ANNA}@s.whatsapp.net/presence`, { state: 'composing' });
    const anna = gateway.sandbox.phone(ANNA);
    assert.equal((await composes()).status, 200);
    await gateway.clock.advance(1_000);
    assert.deepEqual(anna.presences(), []);
    await shop.api('PATCH', device.path, { habits: { presence: true } });
    await gateway.clock.advance(1_000);
    await composes();
    await gateway.until('it is shown', () => anna.presences()[0]?.state === 'composing');
  });
});
