import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, Ear, link, logIn, type MakeWorld } from '../world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

/** What a network does to a device that has done nothing wrong. */
export function faults(makeWorld: MakeWorld): void {
  describe('a simulated network fault', () => {
    it('drops the connection without preventing the next login', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const shop = await logIn(world, credentials);
      await world.fault(SHOP, 'drop');
      assert.equal((await shop.hears('closed')).code, 428);
      await logIn(world, credentials);
    });

    it('refuses logins for a while after it drops the connection', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const shop = await logIn(world, credentials);
      await world.fault(SHOP, 'drop', 30_000);
      assert.equal((await shop.hears('closed')).code, 428);
      const early = new Ear(world, credentials, 'd1');
      assert.equal((await early.hears('closed')).code, 503);
      await world.pass(30_000);
      await logIn(world, credentials);
    });

    it('unlinks the device from the phone', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const shop = await logIn(world, credentials);
      await world.fault(SHOP, 'logout');
      assert.equal((await shop.hears('closed')).code, 401);
      const again = new Ear(world, credentials, 'd1');
      assert.equal((await again.hears('closed')).code, 401);
      await aDevice(world, SHOP);
    });

    it('bans the number', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const shop = await logIn(world, credentials);
      await world.fault(SHOP, 'ban');
      assert.equal((await shop.hears('closed')).code, 403);
      const again = new Ear(world, credentials, 'd1');
      // Some drivers keep nothing of such a login.
      assert.ok([401, 403].includes((await again.hears('closed')).code));
    });

    for (const [kind, code] of [
      ['outdated', 405],
      ['bad_agent', 409],
      ['temporarily_banned', 402],
    ] as const)
      it(`refuses logins for a while: ${kind}`, async (t) => {
        const world = await makeWorld(t);
        const credentials = await link(world, SHOP);
        const shop = await logIn(world, credentials);
        await world.fault(SHOP, kind, 30_000);
        await shop.hears('closed');
        const early = new Ear(world, credentials, 'd1');
        const closed = await early.hears('closed');
        assert.equal(closed.code, code);
        assert.equal(closed.until !== undefined, kind === 'temporarily_banned', 'only a ban for a while names its end');
        await world.pass(30_000);
        await logIn(world, credentials);
      });

    it('closes the connection with 440 when another computer takes over the login', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      await world.fault(SHOP, 'replaced');
      assert.equal((await shop.hears('closed')).code, 440);
    });

    it('refuses messages for a while', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      await world.fault(SHOP, 'refuse', 5_000);
      shop.sends('m1', ANNA);
      assert.deepEqual(await shop.hears('refused'), { type: 'refused', netId: 'm1', reason: 'refused_479' });
      await world.pass(5_000);
      shop.sends('m2', ANNA);
      assert.equal((await shop.hears('acked')).netId, 'm2');
    });
  });
}
