import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WhyNot } from '../../../../actors/network/port.ts';
import { aDevice, type Ear, finished, link, logIn, type MakeWorld, type World } from '../world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';

/** A message out: the network's word on it, and what the phones tell. */
export function sending(makeWorld: MakeWorld): void {
  describe('a device that sends messages', () => {
    it('reports a message as acked, then delivered, then read', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      shop.sends('m1', ANNA, 'hello');
      assert.equal((await shop.hears('acked')).netId, 'm1');
      assert.deepEqual(pick(await shop.hears('receipt')), { netIds: ['m1'], status: 'delivered' });
      assert.deepEqual(pick(await shop.hears('receipt', 2)), { netIds: ['m1'], status: 'read' });
      const [shown] = await world.phone(ANNA).shows();
      assert.deepEqual([shown?.netId, shown?.from, shown?.content], ['m1', SHOP, { type: 'text', body: 'hello' }]);
    });

    it('gets another ack when it resends a message id, while the phone shows the message once', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      shop.sends('m1', ANNA);
      await shop.hears('acked');
      shop.sends('m1', ANNA);
      assert.equal((await shop.hears('acked', 2)).netId, 'm1');
      await shows(world, shop, ['m1']);
    });

    it('can resend a message after another login, and the phone shows it once', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      first.sends('m1', ANNA);
      await first.hears('acked');
      first.connection.close();
      await first.hears('closed');
      const second = await logIn(world, credentials);
      second.sends('m1', ANNA);
      await second.hears('acked');
      await shows(world, second, ['m1']);
    });

    it('delivers messages in the order in which it sent them', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const ids = Array.from({ length: 20 }, (_, i) => `m${i}`);
      for (const id of ids) shop.sends(id, ANNA);
      await shop.hears('acked', ids.length);
      assert.deepEqual(
        shop.all('acked').map(({ netId }) => netId),
        ids,
      );
      await shows(world, shop, ids);
    });

    it('checks the recipient again before sending if the network reports another address', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      await world.phone(ANNA).is({ lid: true, tellsNumber: false });
      const asked: string[] = [];
      let reason: string | null = 'opted_out';
      const shop = await logIn(
        withWhyNot(world, async (netId, facts) => {
          assert.ok(facts.some(({ address, phone }) => address.endsWith('@lid') && phone === ANNA));
          asked.push(netId);
          return reason;
        }),
        credentials,
      );
      shop.sends('m1', ANNA);
      shop.sends('m2', ANNA);
      await shop.hears('refused', 2);
      assert.deepEqual(
        shop.all('refused'),
        ['m1', 'm2'].map((netId) => ({ type: 'refused', netId, reason: 'opted_out' })),
      );
      reason = null;
      shop.sends('m3', ANNA);
      await shop.hears('acked');
      await world.pass(61_000);
      const before = asked.length;
      shop.sends('m4', ANNA);
      await shop.hears('acked', 2);
      assert.deepEqual([asked.slice(0, 3), asked.length], [['m1', 'm2', 'm3'], before]);
      await shows(world, shop, ['m3', 'm4']);
    });

    it('can send a message again if the check before sending failed', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      await world.phone(ANNA).is({ lid: true, tellsNumber: false });
      let tries = 0;
      const shop = await logIn(
        withWhyNot(world, async () => {
          tries += 1;
          if (tries === 1) throw new Error('the store is down');
          return null;
        }),
        credentials,
      );
      shop.sends('m1', ANNA);
      for (let step = 0; step < 30 && shop.all('acked').length === 0; step += 1) {
        await world.pass(1_000);
        if (shop.all('unwritten').length > 0 && tries === 1) shop.sends('m1', ANNA);
      }
      assert.equal((await shop.hears('acked')).netId, 'm1');
      assert.ok(tries > 1);
      await shows(world, shop, ['m1']);
    });

    it('gets an error for a number that is not on the network', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      await world.phone(ANNA).is({ onNetwork: false });
      shop.sends('m1', ANNA);
      assert.deepEqual(await shop.hears('refused'), { type: 'refused', netId: 'm1', reason: 'not_on_network' });
      const looked = await finished(world, shop.connection.lookUp([ANNA, BUDI]));
      // Whose hidden address is told along differs between networks.
      assert.deepEqual(
        looked.map(({ phone, exists, jid }) => ({ phone, exists, jid })),
        [
          { phone: ANNA, exists: false, jid: null },
          { phone: BUDI, exists: true, jid: `${BUDI}@s.whatsapp.net` },
        ],
      );
    });

    it('reaches an offline phone once it is online again', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      await world.phone(ANNA).is({ online: false });
      shop.sends('m1', ANNA);
      await shop.hears('acked');
      await shows(world, shop, []);
      assert.equal(shop.all('receipt').length, 0);
      await world.phone(ANNA).is({ online: true });
      assert.deepEqual(pick(await shop.hears('receipt')), { netIds: ['m1'], status: 'delivered' });
    });

    it('receives pending receipts at its next login', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const shop = await logIn(world, credentials);
      await world.phone(ANNA).is({ online: false });
      shop.sends('m1', ANNA);
      await shop.hears('acked');
      shop.connection.close();
      await shop.hears('closed');
      await world.phone(ANNA).is({ online: true });
      await world.pass(1_000);
      const again = await logIn(world, credentials);
      await again.hears('receipt', 2);
      assert.deepEqual(again.all('receipt').map(pick), [
        { netIds: ['m1'], status: 'delivered' },
        { netIds: ['m1'], status: 'read' },
      ]);
    });

    it('gets no read receipt from a person who disabled read receipts', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      await world.phone(ANNA).is({ reads: false });
      shop.sends('m1', ANNA);
      await shop.hears('receipt');
      await world.pass(5_000);
      await shop.catchesUp();
      assert.deepEqual(
        shop.all('receipt').map(({ status }) => status),
        ['delivered'],
      );
    });

    it('reports a group message as delivered or read once every member has received or read it', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      await world.phone(ANNA).is({ online: false });
      shop.sends('m1', await world.group([SHOP, ANNA, BUDI]));
      await shop.hears('acked');
      await world.pass(1_000);
      await shop.catchesUp();
      assert.equal(shop.all('receipt').length, 0);
      await world.phone(ANNA).is({ online: true });
      await shop.hears('receipt', 2);
      assert.deepEqual(
        shop.all('receipt').map(({ status }) => status),
        ['delivered', 'read'],
      );
    });

    it('can send a long message of multi-byte characters', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const body = 'é漢😀'.repeat(16_384);
      shop.sends('m1', ANNA, body);
      await shop.hears('receipt');
      const [shown] = await world.phone(ANNA).shows();
      assert.ok(shown?.content.type === 'text' && shown.content.body === body);
    });

    it('reaches every other member of a group, and gets an error for a group it has left', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      shop.sends('m1', await world.group([SHOP, ANNA, BUDI]));
      await shop.hears('acked');
      await shows(world, shop, ['m1']);
      assert.equal((await world.phone(BUDI).shows()).length, 1);
      shop.sends('m2', await world.group([ANNA, BUDI]));
      shop.sends('m3', '120363000000000000@g.us');
      await shop.hears('refused', 2);
      assert.deepEqual(
        shop.all('refused').map(({ reason }) => reason),
        ['not_in_group', 'not_in_group'],
      );
    });
  });
}

const pick = ({ netIds, status }: { netIds: readonly string[]; status: string }) => ({ netIds: [...netIds], status });

async function shows(world: World, ear: Ear, ids: readonly string[]): Promise<void> {
  await world.pass(50);
  await ear.catchesUp();
  const shown = await world.phone(ANNA).shows();
  assert.deepEqual(
    shown.map(({ netId }) => netId),
    ids,
  );
}

const withWhyNot = (world: World, whyNot: WhyNot): World => ({
  ...world,
  network: {
    name: world.network.name,
    open: (order, receive) => world.network.open({ ...order, whyNot }, receive),
    shutdown: () => world.network.shutdown(),
  },
});
