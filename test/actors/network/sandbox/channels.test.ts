import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { aDevice } from '../world.ts';
import { inProcess } from './sandbox-worlds.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';
const STORIES = 'status@broadcast';

async function aChannelOfTheShop() {
  const world = await inProcess();
  const shop = await aDevice(world, SHOP);
  const { id = '', code = '' } = world.sandbox.phone(SHOP).act({ act: 'create_channel', name: 'News' });
  const screen = (phone: string) => sandboxVerbs(world.sandbox).messages(phone).messages;
  return { world, shop, id, code, screen, anna: world.sandbox.phone(ANNA) };
}

const text = (body: string) => ({ content: { type: 'text', body }, quotes: null }) as const;

describe('a sandbox channel', () => {
  it('shows its posts to followers, and counts views and reactions', async () => {
    const { world, shop, id, code, screen, anna } = await aChannelOfTheShop();
    assert.deepEqual(anna.act({ act: 'follow', code }), { id });
    shop.connection.send({ netId: 'm1', to: id, ...text('open till ten') });
    const { serverId } = await shop.hears('acked');
    await world.pass(100);
    assert.deepEqual(
      screen(ANNA).map(({ id: netId, to, body }) => ({ netId, to, body })),
      [{ netId: 'm1', to: id, body: 'open till ten' }],
    );
    assert.deepEqual(screen(BUDI), []);
    anna.act({ act: 'view', message_id: 'm1' });
    anna.act({ act: 'react', message_id: 'm1', emoji: '👍' });
    const { stats } = await shop.hears('postStats', 2);
    assert.deepEqual(stats, { channel: id, serverId, views: 1, reactions: { '👍': 1 } });
    assert.deepEqual(shop.all('receipt'), []);
  });

  it('rejects repeated and forbidden actions', async () => {
    const { world, shop, id, code, anna } = await aChannelOfTheShop();
    const budi = world.sandbox.phone(BUDI);
    anna.act({ act: 'follow', code });
    shop.connection.send({ netId: 'm1', to: id, ...text('hi') });
    await shop.hears('acked');
    await world.pass(100);
    anna.act({ act: 'view', message_id: 'm1' });
    const refusals = [
      ['CONFLICT', () => anna.act({ act: 'follow', code })],
      ['CONFLICT', () => anna.act({ act: 'view', message_id: 'm1' })],
      ['CONFLICT', () => anna.act({ act: 'react', message_id: 'm1', emoji: '' })],
      ['CONFLICT', () => budi.act({ act: 'unfollow', id })],
      ['FORBIDDEN', () => world.sandbox.phone(SHOP).act({ act: 'unfollow', id })],
      ['NOT_FOUND', () => budi.act({ act: 'view', message_id: 'm1' })],
      ['NOT_FOUND', () => budi.act({ act: 'follow', code: 'no-such-code' })],
      ['NOT_FOUND', () => anna.act({ act: 'view', message_id: 'nothing' })],
    ] as const;
    for (const [code, act] of refusals) assert.throws(act, { code });
  });

  it('accepts posts only from its owner, and reactions by post number', async () => {
    const { world, shop, id, code, screen, anna } = await aChannelOfTheShop();
    const other = await aDevice(world, BUDI);
    other.connection.send({ netId: 'x1', to: id, ...text('mine too') });
    assert.equal((await other.hears('refused')).reason, 'not_channel_admin');
    anna.act({ act: 'follow', code });
    shop.connection.send({ netId: 'm1', to: id, ...text('first') });
    shop.connection.send({ netId: 'm2', to: id, ...text('second') });
    const { serverId = '' } = await shop.hears('acked');
    const target = { chat: id, netId: 'm1', from: null };
    shop.connection.react({ netId: 'r1', target, emoji: '❤️', at: 1 });
    assert.equal((await shop.hears('refused')).reason, 'refused_479');
    shop.connection.react({ netId: 'r2', target: { ...target, serverId }, emoji: '❤️', at: 1 });
    shop.connection.edit({ netId: 'e1', target: { ...target, serverId }, body: 'better', at: 1 });
    shop.connection.erase({ netId: 'd1', target: { chat: id, netId: 'm2', from: null } });
    await shop.hears('acked', 5);
    await world.pass(100);
    assert.deepEqual((await shop.hears('postStats')).stats.reactions, { '❤️': 1 });
    assert.deepEqual(
      screen(ANNA).map(({ id: netId, body }) => [netId, body]),
      [
        ['m2', null],
        ['m1', 'better'],
      ],
    );
  });
});

describe('a sandbox status', () => {
  it('is shown to its recipients for a day, and reports viewers to its author', async () => {
    const world = await inProcess();
    const shop = await aDevice(world, SHOP);
    const anna = world.sandbox.phone(ANNA);
    const screen = (phone: string) => sandboxVerbs(world.sandbox).messages(phone).messages;
    const status = { audience: [`${ANNA}@s.whatsapp.net`], background: '#112233' };
    shop.connection.send({ netId: 's1', to: STORIES, ...text('sale'), status });
    shop.connection.send({ netId: 's2', to: STORIES, ...text('nobody'), status: { audience: [] } });
    assert.equal((await shop.hears('refused')).reason, 'no_audience');
    await world.pass(100);
    assert.deepEqual(
      screen(ANNA).map(({ to, body, background_color }) => [to, body, background_color]),
      [[STORIES, 'sale', '#112233']],
    );
    assert.deepEqual(screen(BUDI), []);
    anna.act({ act: 'view', message_id: 's1' });
    const { netIds, viewer } = await shop.hears('statusViewed');
    assert.deepEqual([netIds, viewer.phone], [['s1'], ANNA]);
    assert.throws(() => world.sandbox.phone(BUDI).act({ act: 'view', message_id: 's1' }), { code: 'NOT_FOUND' });
    shop.connection.erase({ netId: 'd1', target: { chat: STORIES, netId: 's1', from: null }, audience: status.audience });
    await shop.hears('acked', 2);
    await world.pass(100);
    assert.equal(screen(ANNA)[0]?.body, null);
  });
});
