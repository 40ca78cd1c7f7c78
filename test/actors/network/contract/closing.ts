import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, Ear, finished, link, logIn, type MakeWorld } from '../world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

/** The ways in which a connection ends. */
export function closing(makeWorld: MakeWorld): void {
  describe('a connection', () => {
    it('emits nothing after it has closed, and can safely be closed again', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      shop.connection.close();
      assert.equal((await shop.hears('closed')).code, 1000);
      shop.connection.close();
      shop.connection.acknowledge('m0');
      shop.sends('m1', ANNA);
      await assert.rejects(shop.connection.lookUp([ANNA]), { code: 'NOT_CONNECTED' });
      await assert.rejects(shop.connection.pairingCode(ANNA), { code: 'NOT_CONNECTED' });
      await assert.rejects(shop.connection.logOut(), { code: 'NOT_CONNECTED' });
      await world.pass(1_000);
      assert.equal(shop.events.at(-1)?.type, 'closed');
      assert.equal(shop.all('closed').length, 1);
      assert.deepEqual(await world.phone(ANNA).shows(), []);
    });

    it('can be closed before the first response', async (t) => {
      const world = await makeWorld(t);
      const ear = new Ear(world, await link(world, SHOP), 'd1');
      ear.connection.close();
      assert.equal((await ear.hears('closed')).code, 1000);
      await world.pass(1_000);
      assert.deepEqual(ear.events, [{ type: 'closed', code: 1000 }]);
    });

    it('rejects pending queries when it is closed', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const asked = assert.rejects(shop.connection.lookUp([ANNA]), { code: 'NOT_CONNECTED' });
      shop.connection.close();
      await finished(world, asked);
    });

    it('is closed when the same device logs in again', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      const second = await logIn(world, credentials);
      assert.equal((await first.hears('closed')).code, 440);
      second.sends('m1', ANNA);
      await second.hears('acked');
    });

    it('stays open when another device of the same phone logs in', async (t) => {
      const world = await makeWorld(t);
      const first = await aDevice(world, SHOP);
      const second = await aDevice(world, SHOP);
      await second.catchesUp();
      await first.catchesUp();
      assert.equal(first.all('closed').length, 0);
    });

    it('can log the device out permanently', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const shop = await logIn(world, credentials);
      await finished(world, shop.connection.logOut());
      assert.equal((await shop.hears('closed')).code, 401);
      const again = new Ear(world, credentials, 'd1');
      assert.equal((await again.hears('closed')).code, 401);
    });

    it('is closed when the driver shuts down', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      shop.sends('m1', ANNA);
      await finished(world, world.network.shutdown());
      assert.equal((await shop.hears('closed')).code, 1000);
      await world.pass(100);
      assert.equal((await world.phone(ANNA).shows()).length, 1, 'what was written before has left');
    });
  });
}
