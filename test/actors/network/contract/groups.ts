import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NetworkFact } from '../../../../actors/network/facts.ts';
import type { PhoneOnlySettings } from '../../../../actors/network/groups.ts';
import type { AnswerOf, InputOf, QuestionName } from '../../../../actors/network/questions.ts';
import { aDevice, type Ear, finished, type MakeWorld, type World } from '../world.ts';

const OWN = '6281100000001';
const ANNA = '6281211110001';
const BUDI = '6281211110002';
const CICI = '6281211110003';

/** Asks through a login, while time passes. */
export function asked<N extends QuestionName>(world: World, { connection }: Ear, name: N, input: InputOf<N>): Promise<AnswerOf<N>> {
  assert.ok(connection.ask, 'this driver can be asked');
  return finished(world, connection.ask(name, input));
}

type Fact<T> = Extract<NetworkFact, { readonly fact: T }>;

/** Waits for the first fact of a kind that fits. */
async function told<T extends NetworkFact['fact']>(world: World, ear: Ear, kind: T, fits: (fact: Fact<T>) => boolean = () => true) {
  for (let tries = 0; tries < 400; tries += 1) {
    const facts = ear.all('facts').flatMap((event) => event.facts);
    const found = facts.find((fact): fact is Fact<T> => fact.fact === kind && fits(fact as Fact<T>));
    if (found) return found;
    await world.pass(5);
  }
  return assert.fail(`never told ${kind}: ${JSON.stringify(ear.all('facts'))}`);
}

export function groups(makeWorld: MakeWorld): void {
  describe('groups', () => {
    it('are listed with their members, but only for members', async (t) => {
      const world = await makeWorld(t);
      const ear = await aDevice(world, OWN);
      const id = await world.group([ANNA, OWN]);
      const group = await asked(world, ear, 'groups.get', { id });
      assert.deepEqual([group.id, group.size, group.isCommunity], [id, 2, false]);
      assert.deepEqual(
        group.members.map(({ phone, admin }) => [phone, admin]),
        [
          [ANNA, 'superadmin'],
          [OWN, null],
        ],
      );
      const foreign = await world.group([ANNA, BUDI]);
      await assert.rejects(asked(world, ear, 'groups.get', { id: foreign }), { code: 'FORBIDDEN' });
      await assert.rejects(asked(world, ear, 'groups.get', { id: '120363999999999999@g.us' }), { code: 'NOT_FOUND' });
      const all = await asked(world, ear, 'groups.list', {});
      assert.deepEqual(
        all.map((one) => one.id),
        [id],
      );
    });

    it('can be changed by admins, and each member is notified of every change', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, OWN);
      const anna = await aDevice(world, ANNA);
      await world.phone(BUDI).is({ addable: false });
      const made = await asked(world, shop, 'groups.create', { subject: 'Choir', participants: [ANNA, BUDI], community: null });
      const { id } = made.group;
      assert.deepEqual(
        made.results.map(({ person, code, invite }) => [person.phone, code, invite !== null]),
        [
          [ANNA, null, false],
          [BUDI, 403, true],
        ],
      );
      assert.equal((await told(world, anna, 'group.joined')).group.subject, 'Choir');
      const own = await told(world, shop, 'group.joined');
      assert.deepEqual([own.group_id, own.by?.phone], [id, OWN]);

      await asked(world, shop, 'groups.set', { id, change: { subject: 'Big choir' } });
      assert.equal((await told(world, anna, 'group.updated')).changed.subject, 'Big choir');
      await told(world, shop, 'group.updated', ({ changed }) => changed.subject === 'Big choir');
      await asked(world, shop, 'groups.set', { id, change: { description: 'We sing' } });
      await asked(world, shop, 'groups.set', { id, change: { description: 'We sing aloud' } });
      for (const change of [{ announce: true }, { restrict: true }, { ephemeral: 86_400 }, { member_add_mode: 'admins' }] as const)
        await asked(world, shop, 'groups.set', { id, change });
      await asked(world, shop, 'groups.set', { id, change: { join_approval: true } });
      await asked(world, shop, 'groups.set', { id, change: { join_approval: false } });
      await told(world, anna, 'group.updated', ({ changed }) => changed.join_approval === false);
      const { description, announce, restrict, ephemeral, joinApproval, memberAddMode } = await asked(world, anna, 'groups.get', { id });
      assert.deepEqual(
        [description, announce, restrict, ephemeral, joinApproval, memberAddMode],
        ['We sing aloud', true, true, 86_400, false, 'admins'],
      );
      await assert.rejects(asked(world, anna, 'groups.set', { id, change: { announce: false } }), { code: 'FORBIDDEN' });

      await asked(world, shop, 'groups.participants', { id, action: 'promote', participants: [ANNA] });
      await told(world, anna, 'group.participants', ({ action, participants }) => action === 'promote' && participants[0]?.phone === ANNA);
      const removed = await asked(world, anna, 'groups.participants', { id, action: 'remove', participants: [OWN] });
      assert.equal(removed.length, 1);
      await asked(world, anna, 'groups.leave', { id });
      assert.equal((await told(world, anna, 'group.left')).reason, 'left');
    });

    it('report settings that only phones can change, with the new values', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, OWN);
      const group = await world.group([ANNA, OWN]);
      const told = () => shop.all('facts').flatMap(({ facts }) => facts.flatMap((fact) => (fact.fact === 'group.updated' ? [fact] : [])));
      const changes: readonly PhoneOnlySettings[] = [
        ...[{ member_link_mode: 'admins' as const }, { member_link_mode: 'all' as const }],
        ...[{ member_share_history_mode: 'admins' as const }, { member_share_history_mode: 'all' as const }],
        ...[{ admin_reports: true }, { admin_reports: false }, { no_frequently_forwarded: true }, { no_frequently_forwarded: false }],
        ...[{ locked_until: 1_900_000_000_000 }, { locked_until: null }],
      ];
      for (const change of changes) await world.phone(ANNA).setsGroup(group, change);
      for (let tries = 0; tries < 200 && told().length < changes.length; tries += 1) await world.pass(10);
      assert.deepEqual(
        told().map(({ group_id, by, changed }) => [group_id, by?.phone, changed]),
        changes.map((change) => [group, ANNA, change]),
      );
    });

    it('admit people by invitation link after approval, and name the right person', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, OWN);
      const cici = await aDevice(world, CICI);
      const { id } = (await asked(world, shop, 'groups.create', { subject: 'Choir', participants: [ANNA], community: null })).group;
      const { code } = await asked(world, shop, 'groups.invite', { id });
      assert.deepEqual(await asked(world, cici, 'groups.preview', { code }), { id, subject: 'Choir', size: 2 });
      await asked(world, shop, 'groups.set', { id, change: { join_approval: true } });
      const waiting = await asked(world, cici, 'groups.join', { code });
      assert.deepEqual([waiting.id, waiting.isMember], [id, false]);
      const request = await told(world, shop, 'group.join_request');
      assert.deepEqual([request.action, request.person.phone], ['created', CICI]);
      const asking = await asked(world, shop, 'groups.requests', { id });
      assert.deepEqual(
        asking.map(({ phone }) => phone),
        [CICI],
      );
      const [answer] = await asked(world, shop, 'groups.answerRequests', { id, action: 'approve', phones: [CICI] });
      assert.deepEqual([answer?.person.phone, answer?.code], [CICI, null]);
      assert.equal((await told(world, cici, 'group.joined')).group_id, id);

      const renewed = await asked(world, shop, 'groups.renewInvite', { id });
      assert.notEqual(renewed.code, code);
      await assert.rejects(asked(world, cici, 'groups.preview', { code }), { code: 'NOT_FOUND' });
    });

    it('can belong to communities, which are returned as groups', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, OWN);
      const { group } = await asked(world, shop, 'groups.create', { subject: 'North', participants: [ANNA], community: null });
      const { id, isCommunity } = await asked(world, shop, 'communities.create', { subject: 'Village', description: 'All of us' });
      assert.equal(isCommunity, true);
      await asked(world, shop, 'communities.link', { id, group: group.id });
      assert.equal((await asked(world, shop, 'groups.get', { id: group.id })).community, id);
      await told(world, shop, 'group.updated', ({ changed }) => changed.community === id);
      const rooms = await asked(world, shop, 'communities.groups', { id });
      assert.deepEqual(rooms.map(({ subject, isAnnouncement }) => [subject, isAnnouncement]).toSorted(), [
        ['North', false],
        ['Village', true],
      ]);
      const people = await asked(world, shop, 'communities.participants', { id });
      assert.deepEqual(people.map(({ phone }) => phone).toSorted(), [OWN, ANNA].toSorted());
      await asked(world, shop, 'communities.unlink', { id, group: group.id });
      assert.equal((await asked(world, shop, 'groups.get', { id: group.id })).community, null);
      await asked(world, shop, 'communities.end', { id });
      await assert.rejects(asked(world, shop, 'groups.get', { id }));
    });
  });
}
