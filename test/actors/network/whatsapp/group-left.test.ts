import assert from 'node:assert/strict';
import { it } from 'node:test';
import { link, logIn } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const TIMES = 50;

it('a connection frees all its timers, listeners and sockets, however it ends', async (t) => {
  const world = await overThePeer(t);
  const credentials = await link(world, SHOP);
  const once = async (time: number): Promise<void> => {
    const shop = await logIn(world, credentials);
    shop.sends(`m${time}`, ANNA);
    if (time % 2 === 0) await shop.hears('acked');
    if (time % 4 < 2) shop.connection.close();
    else world.peer.cut(SHOP);
    await shop.hears('closed');
  };
  const left = async () => {
    await world.pass(1_000);
    const sockets = process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
    return { timers: world.clock.pending, sockets, listeners };
  };
  for (let time = 0; time < 4; time += 1) await once(time);
  const before = await left();
  for (let time = 0; time < TIMES; time += 1) await once(4 + time);
  assert.deepEqual(await left(), before);
});
