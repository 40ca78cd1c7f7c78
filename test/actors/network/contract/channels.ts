import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChannelFact } from '../../../../actors/network/channels.ts';
import { STORIES, userJid } from '../../../../actors/network/jid.ts';
import type { Content, OutgoingMessage } from '../../../../actors/network/port.ts';
import { aDevice, type Ear, link, logIn, type MakeWorld, type World } from '../world.ts';
import { asked } from './groups.ts';

const OWN = '6281100000001';
const ANNA = '6281211110001';
const BUDI = '6281211110002';

const post = (netId: string, to: string, content: Content): OutgoingMessage => ({ netId, to, content, quotes: null });
const text = (body: string): Content => ({ type: 'text', body });

const factsOf = (ear: Ear): readonly ChannelFact[] =>
  ear.all('facts').flatMap(({ facts }) => facts.filter((fact): fact is ChannelFact => 'channel_id' in fact));

async function aChannel(world: World) {
  const ear = await aDevice(world, OWN);
  const channel = await asked(world, ear, 'channels.create', { name: 'News', description: null });
  const anna = world.phone(ANNA);
  await anna.follows(channel.code ?? '');
  const shows = async (): Promise<readonly unknown[]> => (await anna.shows()).map(({ netId, content }) => [netId, content.type]);
  return { ear, id: channel.id, channel, anna, shows };
}

/** Channels and status stories. */
export function channels(makeWorld: MakeWorld): void {
  describe('channels', () => {
    it('can be created, found, changed, muted and deleted by their owner, and report each change until it is stored', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, OWN);
      const ear = await logIn(world, credentials);
      const made = await asked(world, ear, 'channels.create', { name: 'News', description: 'Offers' });
      assert.deepEqual([made.name, made.description, made.role, made.followers, made.muted], ['News', 'Offers', 'owner', 0, false]);
      const { id, code } = made;
      assert.equal((await asked(world, ear, 'channels.byCode', { code: code ?? '' })).id, id);
      assert.equal((await asked(world, ear, 'channels.update', { id, name: 'Other news' })).name, 'Other news');
      await asked(world, ear, 'channels.mute', { id, muted: true });
      const seen = await asked(world, ear, 'channels.get', { id });
      assert.deepEqual([seen.name, seen.description, seen.role, seen.muted], ['Other news', 'Offers', 'owner', true]);
      assert.deepEqual(
        (await asked(world, ear, 'channels.list', {})).map((one) => one.id),
        [id],
      );
      await ear.hears('facts', 3);
      assert.deepEqual(
        factsOf(ear).map((fact) => [fact.fact, fact.channel_id, 'changed' in fact ? fact.changed : null]),
        [
          ['channel.joined', id, null],
          ['channel.updated', id, { name: 'Other news' }],
          ['channel.updated', id, { muted: true }],
        ],
      );
      ear.connection.close();
      await ear.hears('closed');
      const again = await logIn(world, credentials);
      const { token } = await again.hears('facts');
      assert.equal(factsOf(again)[0]?.fact, 'channel.joined');
      again.connection.acknowledge(token);
      await asked(world, again, 'channels.delete', { id });
      await assert.rejects(asked(world, again, 'channels.get', { id }), { code: 'NOT_FOUND' });
    });

    it('deliver texts, polls and files to followers, and accept edits, reactions and deletions of posts', async (t) => {
      const world = await makeWorld(t);
      const { ear, id, anna, shows } = await aChannel(world);
      ear.connection.send(post('m1', id, text('open till ten')));
      const { serverId = '' } = await ear.hears('acked');
      assert.notEqual(serverId, '');
      ear.connection.send(post('m2', id, { type: 'poll', name: 'Lunch?', choices: ['yes', 'no'] }));
      await ear.hears('acked', 2);
      assert.deepEqual(await shows(), [
        ['m1', 'text'],
        ['m2', 'poll'],
      ]);
      const target = { chat: id, netId: 'm1', from: null, serverId };
      ear.connection.edit({ netId: 'e1', target, body: 'open till nine', at: 1 });
      await ear.hears('acked', 3);
      assert.equal((await anna.marks('m1')).body, 'open till nine');
      ear.connection.react({ netId: 'r1', target, emoji: '❤️', at: 1 });
      await ear.hears('acked', 4);
      const [, first] = await asked(world, ear, 'channels.posts', { id, limit: 10, before: null });
      assert.deepEqual([first?.netId, first?.serverId, first?.body, first?.reactions], ['m1', serverId, 'open till nine', { '❤️': 1 }]);
      ear.connection.send(post('m1', id, text('a second copy')));
      assert.equal((await ear.hears('acked', 5)).serverId, serverId);
      assert.equal((await shows()).length, 2);
      ear.connection.erase({ netId: 'd1', target: { chat: id, netId: 'm2', from: null } });
      await ear.hears('acked', 6);
      assert.deepEqual(
        ear.all('acked').map(({ netId }) => netId),
        ['m1', 'm2', 'e1', 'r1', 'm1', 'd1'],
      );
      assert.equal((await anna.marks('m2')).deleted, true);
      const older = await asked(world, ear, 'channels.posts', { id, limit: 10, before: first?.serverId ?? '' });
      assert.deepEqual(older, []);
    });

    it('count and report views and reactions', async (t) => {
      const world = await makeWorld(t);
      const { ear, id, anna } = await aChannel(world);
      ear.connection.send(post('m1', id, text('hi')));
      const { serverId } = await ear.hears('acked');
      await world.pass(100);
      await anna.views('m1');
      await anna.reactsTo('m1', '👍');
      const { stats, token } = await ear.hears('postStats', 2);
      assert.deepEqual(stats, { channel: id, serverId, views: 1, reactions: { '👍': 1 } });
      ear.connection.acknowledge(token);
      const followers = await asked(world, ear, 'channels.followers', { id, limit: 10 });
      assert.deepEqual(
        followers.map(({ phone, role }) => [phone, role]),
        [
          [OWN, 'owner'],
          [ANNA, 'follower'],
        ],
      );
    });

    it('owned by another account can be followed and unfollowed, but not changed or written to', async (t) => {
      const world = await makeWorld(t);
      const { id, code } = (await aChannel(world)).channel;
      const other = await aDevice(world, BUDI);
      assert.equal((await asked(world, other, 'channels.byCode', { code: code ?? '' })).role, null);
      assert.equal((await asked(world, other, 'channels.follow', { id })).role, 'follower');
      await assert.rejects(asked(world, other, 'channels.update', { id, name: 'Mine' }), { code: 'FORBIDDEN' });
      await assert.rejects(asked(world, other, 'channels.delete', { id }), { code: 'FORBIDDEN' });
      await assert.rejects(asked(world, other, 'channels.followers', { id, limit: 10 }), { code: 'FORBIDDEN' });
      other.connection.send(post('x1', id, text('mine')));
      await other.hears('refused');
      await asked(world, other, 'channels.unfollow', { id });
      assert.deepEqual(await asked(world, other, 'channels.list', {}), []);
      await other.hears('facts', 2);
      assert.deepEqual(
        factsOf(other).map(({ fact }) => fact),
        ['channel.joined', 'channel.left'],
      );
      await assert.rejects(asked(world, other, 'channels.get', { id: '120363999999999999@newsletter' }), { code: 'NOT_FOUND' });
    });
  });

  describe('a status', () => {
    it('reaches only the named recipients, reports viewers, and is deleted for the same recipients', async (t) => {
      const world = await makeWorld(t);
      const ear = await aDevice(world, OWN);
      await world.phone(ANNA).is({ reads: false });
      const status = { audience: [userJid(ANNA)], background: '#112233' };
      ear.connection.send({ ...post('s1', STORIES, text('sale')), status });
      await ear.hears('acked');
      await world.pass(100);
      await ear.catchesUp();
      assert.deepEqual(
        (await world.phone(ANNA).shows()).map(({ netId, content }) => [netId, content]),
        [['s1', text('sale')]],
      );
      assert.deepEqual(await world.phone(BUDI).shows(), []);
      await world.phone(ANNA).views('s1');
      const { netIds, viewer } = await ear.hears('statusViewed');
      assert.deepEqual(netIds, ['s1']);
      assert.ok(viewer.phone === ANNA || viewer.lid !== null);
      assert.deepEqual(ear.all('receipt'), []);
      ear.connection.erase({ netId: 'd1', target: { chat: STORIES, netId: 's1', from: null }, audience: status.audience });
      await ear.hears('acked', 2);
      await world.pass(100);
      await ear.catchesUp();
      assert.equal((await world.phone(ANNA).marks('s1')).deleted, true);
    });

    it('is rejected without recipients', async (t) => {
      const world = await makeWorld(t);
      const ear = await aDevice(world, OWN);
      ear.connection.send({ ...post('s1', STORIES, text('sale')), status: { audience: [] } });
      assert.equal((await ear.hears('refused')).reason, 'no_audience');
    });
  });
}
