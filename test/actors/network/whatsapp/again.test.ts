import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, link, logIn } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

describe('a message that a phone could not read', () => {
  it('is sent again under its id, by the connection that sent it', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA, 'first');
    await shop.hears('receipt');
    await world.peer.contact(ANNA).forgets(SHOP);
    shop.sends('m2', ANNA, 'second');
    await world.pass(5_000);
    await shop.hears('receipt', 4);
    assert.ok(world.peer.journal.events('unreadable').some(({ facts }) => facts['id'] === 'm2'));
    assert.deepEqual(
      (await world.phone(ANNA).shows()).map(({ netId, content }) => [netId, 'body' in content && content.body]),
      [
        ['m1', 'first'],
        ['m2', 'second'],
      ],
    );
    assert.deepEqual(world.peer.ledger.violations, []);
  });

  it('is sent again out of the log when it was sent by a process that is gone, and never empty', async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const first = await logIn(world, credentials);
    const anna = world.peer.contact(ANNA);
    first.sends('m1', ANNA, 'first');
    await first.hears('receipt', 2);
    await anna.forgets(SHOP);
    await anna.is({ isOnline: false });
    first.sends('m2', ANNA, 'second');
    await first.hears('acked', 2);
    first.connection.close();
    await first.hears('closed');
    await anna.is({ isOnline: true });
    await logIn(world, credentials);
    await world.pass(10_000);
    const shown = await world.phone(ANNA).shows();
    assert.deepEqual(
      shown.map(({ content }) => 'body' in content && content.body),
      ['first', 'second'],
    );
  });
});
