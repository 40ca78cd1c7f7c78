import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { userJid } from '../../../../actors/network/jid.ts';
import { asked } from '../contract/groups.ts';
import { aDevice } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';

describe('group members', () => {
  it("can be changed by hidden address, and leave a community's groups when removed from the community", async (t) => {
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

  it('are queried only once while queries are rate-limited, and changes that need the result are rejected', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const { id } = (await asked(world, shop, 'groups.create', { subject: 'North', participants: [], community: null })).group;
    const questions = () => world.peer.journal.stanzas({ way: 'up', tag: 'iq', attrs: { xmlns: 'w:g2' } }).length;
    const before = questions();
    const lift = world.peer.fault({ kind: 'limit-questions', most: 0, everyMs: 60_000, xmlns: 'w:g2' });
    await assert.rejects(asked(world, shop, 'groups.get', { id }), { code: 'RATE_LIMITED' });
    assert.equal(questions() - before, 1, 'not again by itself');
    await assert.rejects(asked(world, shop, 'groups.set', { id, change: { description: 'Prices' } }), { code: 'RATE_LIMITED' });
    assert.equal(questions() - before, 2, 'nothing is set of which it could not be read');
    lift();
    assert.equal((await asked(world, shop, 'groups.get', { id })).description, null);
  });

  it('are invited with the same kind of message that phones send', async (t) => {
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

  it("are admitted by hidden address if the requester's number is unknown", async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const anna = await aDevice(world, ANNA);
    const { id } = (await asked(world, shop, 'groups.create', { subject: 'North', participants: [], community: null })).group;
    await asked(world, shop, 'groups.set', { id, change: { join_approval: true } });
    const { code } = await asked(world, shop, 'groups.invite', { id });
    await asked(world, anna, 'groups.join', { code });
    const [asking] = await asked(world, shop, 'groups.requests', { id });
    const lid = asking?.lid ?? '';
    assert.match(lid, /@lid$/);
    const answers = await asked(world, shop, 'groups.answerRequests', { id, action: 'approve', phones: [lid, '1234@lid'] });
    assert.deepEqual(
      answers.map(({ person, code: number }) => [person.lid, number]),
      [
        [lid, null],
        ['1234@lid', 404],
      ],
    );
    assert.equal((await asked(world, shop, 'groups.get', { id })).size, 2);
  });
});
