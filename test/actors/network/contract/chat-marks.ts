import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChatMark, MUTED_FOR_EVER } from '../../../../actors/network/chat-marks.ts';
import { userJid } from '../../../../actors/network/jid.ts';
import { aDevice, type Ear, link, logIn, type MakeWorld, type World } from '../world.ts';
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

const NOW = 1_900_000_000_000;

async function sets(world: World, ear: Ear, id: string, name: ChatMark['name'], value: ChatMark['value'], at = NOW) {
  return asked(world, ear, 'chats.mark', { id, marks: [{ name, value, at }], last: { netId: 'M1', from: annaJid, at: 1_000 } });
}

/** Returns the reported chat marks once there are `count` of them. */
async function told(world: World, ear: Ear, count: number) {
  const all = () => ear.all('chatMarks').flatMap(({ marks }) => marks);
  for (let tries = 0; tries < 200 && all().length < count; tries += 1) await world.pass(10);
  await ear.catchesUp();
  return all().map(({ chat, chatAlt, name, value }) => [chatAlt ?? chat, name, value]);
}

/** Archive, pin, mute and unread of chats, as a phone and its devices share them. */
export function chatMarks(makeWorld: MakeWorld): void {
  describe('chat marks', () => {
    it('can be set and removed on the phone by a device', async (t) => {
      const world = await makeWorld(t);
      const own = await withKeys(world, await aDevice(world, OWN));
      const group = await world.group([OWN, ANNA]);
      const [archived] = await sets(world, own, annaJid, 'archived', true);
      assert.deepEqual([archived?.name, archived?.value], ['archived', true]);
      await sets(world, own, group, 'pinned', true);
      await sets(world, own, annaJid, 'unread', true);
      await sets(world, own, annaJid, 'muted_until', MUTED_FOR_EVER);
      const shown = await world.phone(OWN).marked();
      assert.deepEqual(shown, { archived: [ANNA], pinned: [group], unread: [ANNA], muted: { [ANNA]: MUTED_FOR_EVER } });
      for (const [id, name, value] of [
        [annaJid, 'archived', false],
        [group, 'pinned', false],
        [annaJid, 'unread', false],
        [annaJid, 'muted_until', null],
      ] as const)
        await sets(world, own, id, name, value, NOW + 1);
      assert.deepEqual(await world.phone(OWN).marked(), { archived: [], pinned: [], unread: [], muted: {} });
    });

    it('are reported when they change on the phone, and again after each login until they are stored', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, OWN);
      const first = await withKeys(world, await logIn(world, credentials));
      await world.pass(200);
      const phone = world.phone(OWN);
      await world.phone(ANNA).writes(OWN, 'hello');
      await first.hears('received');
      await phone.marksChat(ANNA, 'archived', true);
      await phone.marksChat(ANNA, 'muted_until', MUTED_FOR_EVER);
      await phone.marksChat(ANNA, 'unread', true);
      const expected = [
        [annaJid, 'archived', true],
        [annaJid, 'muted_until', MUTED_FOR_EVER],
        [annaJid, 'pinned', false],
        [annaJid, 'unread', true],
      ];
      assert.deepEqual((await told(world, first, 4)).toSorted(), expected);
      for (const { token } of first.all('chatMarks')) first.connection.acknowledge(token);
      await phone.marksChat(ANNA, 'unread', false);
      await told(world, first, 5);
      first.connection.close();
      await first.hears('closed');
      const second = await logIn(world, credentials);
      assert.deepEqual(await told(world, second, 1), [[annaJid, 'unread', false]]);
    });

    it('include starred messages, messages deleted only for the owner, and cleared chats', async (t) => {
      const world = await makeWorld(t);
      const own = await withKeys(world, await aDevice(world, OWN));
      await world.pass(200);
      const group = await world.group([OWN, ANNA]);
      const [inChat, inGroup] = [await world.phone(ANNA).writes(OWN, 'hello'), await world.phone(ANNA).writes(group, 'hi all')];
      await own.hears('received', 2);
      const phone = world.phone(OWN);
      await phone.changesView('starred', { chat: ANNA, netId: inChat, author: ANNA });
      await phone.changesView('starred', { chat: group, netId: inGroup, author: ANNA });
      await phone.changesView('unstarred', { chat: ANNA, netId: inChat, author: ANNA });
      await phone.changesView('removed', { chat: ANNA, netId: 'OURS', author: null });
      await phone.clears(ANNA);
      const all = () => own.all('phoneChanges').flatMap(({ changes }) => changes);
      for (let tries = 0; tries < 200 && !all().some(({ kind }) => kind === 'cleared'); tries += 1) await world.pass(10);
      // If changes of one message follow each other immediately, only the last may be reported.
      const said = new Map(
        all().map((change) => {
          const chat = change.chatAlt ?? change.chat;
          if (change.kind === 'saved') return [change.kind, `${change.name}`];
          return change.kind === 'cleared' ? [chat, change.kind] : [change.netId, `${change.kind} ${chat} ${change.from === null}`];
        }),
      );
      assert.deepEqual(
        [...said].toSorted(),
        [
          [inChat, `unstarred ${annaJid} false`],
          [inGroup, `starred ${group} false`],
          ['OURS', `removed ${annaJid} true`],
          [annaJid, 'cleared'],
        ].toSorted(),
      );
    });

    it('include address book names that are saved before or after linking', async (t) => {
      const world = await makeWorld(t);
      await world.phone(OWN).saves(ANNA, 'Anna of accounting');
      const own = await withKeys(world, await aDevice(world, OWN));
      const told = () =>
        own.all('phoneChanges').flatMap(({ changes }) => changes.flatMap((change) => (change.kind === 'saved' ? [change.name] : [])));
      const hears = async (count: number) => {
        for (let tries = 0; tries < 200 && told().length < count; tries += 1) await world.pass(10);
      };
      await hears(1);
      await world.phone(OWN).saves(ANNA, 'Anna Wijaya');
      await hears(2);
      await world.phone(OWN).saves(ANNA, null);
      await hears(3);
      assert.deepEqual(told(), ['Anna of accounting', 'Anna Wijaya', null]);
    });

    it('keep the later change, whichever side made it', async (t) => {
      const world = await makeWorld(t);
      const own = await withKeys(world, await aDevice(world, OWN));
      const phone = world.phone(OWN);
      await world.pass(200);
      await phone.marksChat(ANNA, 'pinned', true);
      const [mark] = await sets(world, own, annaJid, 'pinned', false, 1);
      assert.deepEqual([mark?.value, (await phone.marked()).pinned], [true, [ANNA]]);
      await sets(world, own, annaJid, 'pinned', false, NOW);
      assert.deepEqual((await phone.marked()).pinned, []);
    });
  });
}
