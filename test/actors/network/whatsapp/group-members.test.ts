import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asked } from '../contract/groups.ts';
import { aDevice } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';

describe('members of groups', () => {
  it('are changed by their hidden address, and a community takes who leaves it out of its groups', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const { group } = await asked(world, shop, 'groups.create', { subject: 'North', participants: [ANNA, BUDI], community: null });
    const { id } = group;
    const lid = group.members.find(({ phone }) => phone === ANNA)?.lid ?? '';
    assert.match(lid, /@lid$/);
    const [promoted] = await asked(world, shop, 'groups.participants', { id, action: 'promote', participants: [lid] });
    assert.deepEqual([promoted?.person.phone, promoted?.person.lid, promoted?.code], [ANNA, lid, null]);
    const parts = async () => (await asked(world, shop, 'groups.get', { id })).members.map(({ phone, admin }) => [phone, admin]);
    assert.deepEqual(await parts(), [
      [SHOP, 'superadmin'],
      [ANNA, 'admin'],
      [BUDI, null],
    ]);
    const village = await asked(world, shop, 'communities.create', { subject: 'Village', description: null });
    await asked(world, shop, 'communities.link', { id: village.id, group: id });
    await asked(world, shop, 'groups.participants', { id: village.id, action: 'add', participants: [BUDI] });
    await asked(world, shop, 'groups.participants', { id: village.id, action: 'remove', participants: [BUDI], isCommunity: true });
    assert.deepEqual((await parts()).length, 2);
  });

  it('who get no invitation are named with the number of the refusal', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const { group } = await asked(world, shop, 'groups.create', { subject: 'North', participants: [], community: null });
    const invites = [ANNA, BUDI].map((phone) => ({ phone, code: 'Invite0000000000', expiresAt: world.clock.now() + 86_400_000 }));
    world.peer.fault({ kind: 'refuse-messages', code: 463, phone: SHOP, times: 1 });
    const sent = await asked(world, shop, 'groups.invitePeople', { id: group.id, subject: 'North', invites });
    assert.deepEqual(sent, [
      { phone: ANNA, code: 463 },
      { phone: BUDI, code: null },
    ]);
  });
});
