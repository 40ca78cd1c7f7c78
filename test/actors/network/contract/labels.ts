import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { userJid } from '../../../../actors/network/jid.ts';
import { aDevice, type Ear, link, logIn, type MakeWorld, type World } from '../world.ts';
import { factsTold } from './account.ts';
import { asked } from './groups.ts';

const OWN = '6281100000001';
const ANNA = '6281211110001';
const annaJid = userJid(ANNA);

/** A device that has its phone's keys. */
async function withKeys(world: World, ear: Ear): Promise<Ear> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await asked(world, ear, 'capabilities', {})).labels === true) return ear;
    await world.pass(20);
  }
  return assert.fail('the phone never sent its keys');
}

async function told(world: World, ear: Ear, count: number) {
  for (let tries = 0; tries < 200 && factsTold(ear).length < count; tries += 1) await world.pass(10);
  await ear.catchesUp();
  const facts = factsTold(ear);
  assert.equal(facts.length, count, JSON.stringify(facts));
  return facts.map((fact) => ('label' in fact ? [fact.fact, fact.label.id] : 'label_id' in fact ? [fact.fact, fact.label_id] : []));
}

/** Labels on chats, as all devices of an account share them. */
export function labels(makeWorld: MakeWorld): void {
  describe('labels', () => {
    it('can be created, changed, assigned to chats, removed and deleted, and never reuse an id', async (t) => {
      const world = await makeWorld(t);
      const own = await withKeys(world, await aDevice(world, OWN));
      const first = await asked(world, own, 'labels.create', { name: 'New customer', color: 3 });
      const second = await asked(world, own, 'labels.create', { name: 'Paid', color: 19 });
      assert.deepEqual([first, second.id], [{ id: '1', name: 'New customer', color: 3 }, '2']);
      assert.deepEqual(await asked(world, own, 'labels.update', { id: '1', name: 'New' }), { id: '1', name: 'New', color: 3 });
      for (const _again of [1, 2]) await asked(world, own, 'labels.mark', { id: '1', chat: annaJid, labelled: true });
      const [one] = await asked(world, own, 'labels.list', {});
      assert.deepEqual(
        one?.chats.map(({ chat_id, phone }) => [chat_id, phone]),
        [[annaJid, ANNA]],
      );
      await asked(world, own, 'labels.mark', { id: '1', chat: annaJid, labelled: false });
      await asked(world, own, 'labels.delete', { id: '2' });
      assert.equal((await asked(world, own, 'labels.create', { name: 'Third', color: 0 })).id, '3');
      const names = (await asked(world, own, 'labels.list', {})).map(({ name, chats }) => [name, chats.length]);
      assert.deepEqual(names, [
        ['New', 0],
        ['Third', 0],
      ]);
      await assert.rejects(asked(world, own, 'labels.mark', { id: '2', chat: annaJid, labelled: true }), { code: 'NOT_FOUND' });
      await assert.rejects(asked(world, own, 'labels.update', { id: '9', name: 'x' }), { code: 'NOT_FOUND' });
      assert.deepEqual(await told(world, own, 7), [
        ['label.updated', '1'],
        ['label.updated', '2'],
        ['label.updated', '1'],
        ['label.assigned', '1'],
        ['label.unassigned', '1'],
        ['label.deleted', '2'],
        ['label.updated', '3'],
      ]);
    });

    it('are the same on every device of the number, and report each change until it is stored', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, OWN, 'second');
      const one = await withKeys(world, await aDevice(world, OWN));
      const two = await withKeys(world, await logIn(world, credentials, 'second'));
      await world.pass(200);
      await asked(world, one, 'labels.create', { name: 'Paid', color: 5 });
      await told(world, two, 1);
      assert.deepEqual(await asked(world, two, 'labels.list', {}), [{ id: '1', name: 'Paid', color: 5, chats: [] }]);
      await asked(world, two, 'labels.update', { id: '1', color: 6 });
      await told(world, one, 2);
      assert.equal((await asked(world, one, 'labels.list', {}))[0]?.color, 6);
      two.connection.close();
      await two.hears('closed');
      const again = await logIn(world, credentials, 'second');
      const facts = await told(world, again, 2);
      assert.deepEqual(facts, [
        ['label.updated', '1'],
        ['label.updated', '1'],
      ]);
    });
  });
}
