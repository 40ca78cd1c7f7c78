import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { userJid } from '../../../../actors/network/jid.ts';
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

  it('who can only be invited get what the phone shows as an invitation', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const { group } = await asked(world, shop, 'groups.create', { subject: 'North', participants: [], community: null });
    const expiresAt = world.clock.now() + 86_400_000;
    const invite = { groupId: group.id, subject: 'North', code: 'Invite0000000000', expiresAt };
    const content = { type: 'text', body: 'North' } as const;
    shop.connection.send({ netId: '3EB0AAAAAAAAAAAAAAAA01', to: userJid(ANNA), content, quotes: null, invite });
    await shop.hears('acked');
    const [shown] = world.peer.contact(ANNA).shows();
    const { groupJid, groupName, inviteCode, inviteExpiration, caption } = shown?.message.groupInviteMessage ?? {};
    assert.deepEqual([groupJid, groupName, inviteCode, caption], [group.id, 'North', 'Invite0000000000', 'North']);
    assert.equal(Number(inviteExpiration), Math.floor(expiresAt / 1_000));
  });
});
