import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSandbox } from '../../../../actors/network/sandbox/sandbox.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { aDevice, type Ear, link, logIn } from '../world.ts';
import { inProcess, remote, type SandboxServices } from './sandbox-worlds.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

describe("the sandbox's journal", () => {
  it('lists all events in order and without gaps', async () => {
    const world = await inProcess();
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA);
    await shop.hears('receipt', 2);
    shop.sends('m1', ANNA);
    await world.phone(ANNA).writes(SHOP, 'thanks');
    shop.connection.acknowledge((await shop.hears('received')).message.netId);
    shop.connection.close();
    await world.pass(100);
    const told = ['linked', 'login', 'accepted', 'delivered', 'duplicate', 'wrote', 'received', 'delivered', 'received-acked', 'logout'];
    assert.deepEqual(session_events(world), told);
    assert.deepEqual(
      world.sandbox.journal.after().map(({ seq }) => seq),
      told.map((_, i) => i + 1),
    );
    assert.deepEqual(world.sandbox.journal.after(8).length, 2);
  });

  it('records a message id as accepted only once per number, no matter how often and in how many logins it is sent', async () => {
    const world = await inProcess();
    const credentials = await link(world, SHOP);
    for (let logins = 0; logins < 3; logins += 1) {
      const shop = await logIn(world, credentials);
      for (let copies = 0; copies < 3; copies += 1) shop.sends('m1', ANNA);
      await shop.hears('acked', 3);
    }
    const other = await aDevice(world, '6281100000003');
    other.sends('m1', ANNA);
    await other.hears('acked');
    const accepted = world.sandbox.journal.of('accepted').map(({ phone, netId }) => [phone, netId]);
    assert.deepEqual(accepted, [
      [SHOP, 'm1'],
      ['6281100000003', 'm1'],
    ]);
    assert.equal(world.sandbox.journal.of('duplicate').length, 8);
  });

  it('never shows a device as logged in twice', async () => {
    const world = await inProcess();
    const credentials = await link(world, SHOP);
    for (const deviceId of ['a', 'b', 'c']) await logIn(world, credentials, deviceId);
    const logins = world.sandbox.journal.after().filter(({ what }) => what === 'login' || what === 'logout');
    assert.deepEqual(
      logins.map(({ what, deviceId, code }) => `${what} ${deviceId} ${code ?? ''}`.trim()),
      ['login a', 'logout a 440', 'login b', 'logout b 440', 'login c'],
    );
  });

  it('records a logout for each device when a node loses its connection', async (t) => {
    const world = await remote(t);
    const shop = await aDevice(world, SHOP);
    await world.server.close();
    assert.equal((await shop.hears('closed')).code, 503);
    assert.equal(world.sandbox.journal.of('logout').length, 1);
  });

  it('drops the oldest entries above its limit, but continues its numbering', async () => {
    const clock = new VirtualClock();
    const { journal } = createSandbox({ clock, journalLimit: 100 });
    for (let i = 0; i < 1_000; i += 1) journal.note({ what: 'login', phone: SHOP });
    const kept = journal.after();
    assert.equal(kept.at(-1)?.seq, 1_000);
    assert.ok(kept.length <= 125 && kept.length >= 100);
    assert.deepEqual(
      journal.after(997, 2).map(({ seq }) => seq),
      [998, 999],
    );
  });

  it('is the same for the same seed and the same events', async () => {
    const [one, two] = [await inProcess(), await inProcess()];
    for (const world of [one, two]) await tellAStory(await aDevice(world, SHOP));
    assert.deepEqual(one.sandbox.journal.after(), two.sandbox.journal.after());
  });
});

async function tellAStory(shop: Ear): Promise<void> {
  for (const id of ['m1', 'm2', 'm1']) shop.sends(id, ANNA);
  await shop.hears('receipt', 2);
}

const session_events = (world: SandboxServices): readonly string[] => world.sandbox.journal.after().map(({ what }) => what);
