import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { userJid } from '../../../../actors/network/jid.ts';
import { aDevice, type MakeWorld } from '../world.ts';
import { asked } from './groups.ts';

const SHOP = '6281100000001';
const ANNA = '6281211110001';

/** Whether an account shows itself online, and who writes to it. */
export function presence(makeWorld: MakeWorld): void {
  describe('presence', () => {
    it('appears online on request, and typing by other people is reported from then on', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const [owner, anna] = [world.phone(SHOP), world.phone(ANNA)];
      await anna.writes(SHOP, 'Hi');
      await shop.hears('received');
      assert.equal(await owner.appears(), 'unavailable');
      await asked(world, shop, 'presence.set', { isAvailable: true });
      await world.pass(100);
      assert.equal(await owner.appears(), 'available');
      for (const state of ['composing', 'recording', 'paused'] as const) await anna.types(SHOP, state);
      await shop.hears('chatPresence', 3);
      assert.deepEqual(
        shop.all('chatPresence').map(({ chat, from, state }) => [chat, from, state]),
        ['composing', 'recording', 'paused'].map((state) => [userJid(ANNA), userJid(ANNA), state]),
      );
      await asked(world, shop, 'presence.set', { isAvailable: false });
      await world.pass(100);
      assert.equal(await owner.appears(), 'unavailable');
    });
  });
}
