import assert from 'node:assert/strict';
import { it } from 'node:test';
import { factsTold } from '../contract/account.ts';
import { asked } from '../contract/groups.ts';
import { aDevice } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';

it('a change back to an earlier name is reported as a new change', async (t) => {
  const world = await overThePeer(t);
  await world.phone(SHOP).is({ name: 'Shop' });
  const shop = await aDevice(world, SHOP);
  for (let tries = 0; tries < 200 && !shop.all('profile').some(({ name }) => name === 'Shop'); tries += 1) await world.pass(20);
  const names = ['Shop, closed', 'Shop', 'Shop, closed'];
  for (const name of names) await asked(world, shop, 'account.set', { name });
  await shop.catchesUp();
  assert.deepEqual(
    factsTold(shop).map((fact) => 'changed' in fact && fact.changed),
    names.map((name) => ({ name })),
  );
  const tokens = shop.all('facts').map(({ token }) => token);
  assert.equal(new Set(tokens).size, names.length, tokens.join(', '));
});
