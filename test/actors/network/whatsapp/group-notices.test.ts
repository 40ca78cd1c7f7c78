import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asked } from '../contract/groups.ts';
import { type Ear, link, logIn } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';

const factsOf = (ear: Ear) => ear.all('facts').flatMap(({ facts }) => facts.map(({ fact }) => fact));

describe('group notices from the network', () => {
  for (const what of ['added', 'removed', 'renamed', 'created', 'member added'] as const)
    it(`are reported again by the next process, as the same notice, until they are stored: ${what}`, async (t) => {
      const world = await overThePeer(t);
      const { peer } = world;
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      const group = peer.group(what === 'added' ? [ANNA, BUDI] : [ANNA, SHOP], { addressing: 'lid', subject: 'Choir' });
      if (what === 'added') peer.changesGroup(ANNA, group, { kind: 'add', members: [SHOP] });
      if (what === 'member added') peer.changesGroup(ANNA, group, { kind: 'add', members: [BUDI] });
      if (what === 'removed') peer.changesGroup(ANNA, group, { kind: 'remove', members: [SHOP] });
      if (what === 'renamed') peer.changesGroup(ANNA, group, { kind: 'subject', subject: 'Big choir' });
      if (what === 'created') await asked(world, first, 'groups.create', { subject: 'Own', participants: [ANNA], community: null });
      const told = await first.hears('facts');
      // The process ends before it stored anything.
      first.connection.close();
      await first.hears('closed');
      world.restart();
      const second = await logIn(world, credentials);
      const again = await second.hears('facts');
      await second.catchesUp();
      assert.deepEqual([again.token, again.at, again.facts], [told.token, told.at, told.facts]);
      assert.equal(factsOf(second).length, 1);
      const acks = { way: 'up', tag: 'ack', attrs: { class: 'notification', type: 'w:gp2' } } as const;
      assert.deepEqual(peer.journal.stanzas(acks), [], 'what is not stored is not acknowledged');
      second.connection.acknowledge(again.token);
      await peer.journal.untilStanza(acks);
      second.connection.close();
      await second.hears('closed');
      world.restart();
      const third = await logIn(world, credentials);
      await world.pass(500);
      await third.catchesUp();
      assert.deepEqual(factsOf(third), []);
    });

  it('are not lost if the process crashes while reading the group that was just joined', async (t) => {
    const world = await overThePeer(t);
    const { peer } = world;
    const credentials = await link(world, SHOP);
    const first = await logIn(world, credentials);
    const group = peer.group([ANNA, BUDI], { addressing: 'lid', subject: 'Choir' });
    peer.changesGroup(ANNA, group, { kind: 'add', members: [SHOP] });
    await peer.journal.untilStanza({ way: 'down', tag: 'notification', attrs: { type: 'w:gp2' } });
    first.connection.close();
    await first.hears('closed');
    world.restart();
    const second = await logIn(world, credentials);
    const { facts } = await second.hears('facts');
    assert.deepEqual(
      facts.map((fact) => fact.fact === 'group.joined' && [fact.group_id, fact.group.size]),
      [[group.jid, 3]],
    );
  });

  it('are acknowledged if the account was added and removed while offline', async (t) => {
    const world = await overThePeer(t);
    const { peer } = world;
    const credentials = await link(world, SHOP);
    const group = peer.group([ANNA, BUDI], { addressing: 'lid', subject: 'Choir' });
    peer.changesGroup(ANNA, group, { kind: 'add', members: [SHOP] });
    peer.changesGroup(ANNA, group, { kind: 'remove', members: [SHOP] });
    const first = await logIn(world, credentials);
    const told = [await first.hears('facts'), await first.hears('facts', 2)];
    assert.deepEqual(factsOf(first).toSorted(), ['group.left', 'group.participants']);
    for (const { token } of told) first.connection.acknowledge(token);
    const acks = { way: 'up', tag: 'ack', attrs: { class: 'notification', type: 'w:gp2' } } as const;
    await peer.journal.until(() => peer.journal.stanzas(acks).length === 2);
    first.connection.close();
    await first.hears('closed');
    world.restart();
    const second = await logIn(world, credentials);
    await world.pass(500);
    await second.catchesUp();
    assert.deepEqual(factsOf(second), []);
  });

  it('report that the list of groups has changed, without requesting the list', async (t) => {
    const world = await overThePeer(t);
    const { peer } = world;
    const shop = await logIn(world, await link(world, SHOP));
    const questions = (xmlns: string) => peer.journal.stanzas({ way: 'up', tag: 'iq', attrs: { xmlns } });
    for (let nth = 0; nth < 3; nth += 1) peer.phone(SHOP).missesGroups();
    const { token } = await shop.hears('groupsStale', 3);
    assert.deepEqual(questions('urn:xmpp:whatsapp:dirty'), []);
    shop.connection.acknowledge(token);
    await peer.journal.untilStanza({ way: 'up', tag: 'iq', attrs: { xmlns: 'urn:xmpp:whatsapp:dirty' } });
    assert.deepEqual(questions('w:g2'), []);
  });

  it('report a group that was created just before a crash, without creating it twice', async (t) => {
    const world = await overThePeer(t);
    const { peer } = world;
    const credentials = await link(world, SHOP);
    const first = await logIn(world, credentials);
    const making = first.connection.ask?.('groups.create', { subject: 'Own', participants: [ANNA], community: null });
    making?.catch(() => null);
    await peer.journal.untilStanza({ way: 'up', tag: 'iq', attrs: { xmlns: 'w:g2', type: 'set' } });
    first.connection.close();
    await first.hears('closed');
    world.restart();
    const second = await logIn(world, credentials);
    const { facts } = await second.hears('facts');
    const all = await asked(world, second, 'groups.list', {});
    assert.deepEqual(
      all.map(({ subject }) => subject),
      ['Own'],
    );
    assert.deepEqual(
      facts.map((fact) => fact.fact === 'group.joined' && fact.group_id),
      [all[0]?.id],
    );
  });
});
