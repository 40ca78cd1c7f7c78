import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { userJid } from '../../../../actors/network/jid.ts';
import { type Ear, link, logIn, type MakeWorld, type World } from '../world.ts';
import { asked } from './groups.ts';

const OWN = '6281100000001';
const ANNA = '6281211110001';
const annaJid = userJid(ANNA);
const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

const ask = (world: World, ear: Ear, request: string, minute: number, count = 50) =>
  asked(world, ear, 'history.older', {
    request,
    chat: annaJid,
    before: { netId: 'M1', from: annaJid, at: START + minute * MINUTE },
    count,
  });

const textsOf = ({ messages }: ReturnType<Ear['all']>[number] & { readonly type: 'history' }) =>
  messages.map(({ content }) => (content.type === 'text' ? content.body : content.type));

/** Older messages of a chat, which the phone alone has. */
export function history(makeWorld: MakeWorld): void {
  describe('older messages', () => {
    it('arrive on request, newest first, and again after each login until they are stored', async (t) => {
      const world = await makeWorld(t);
      const lines = Array.from({ length: 60 }, (_, i) => ({ text: `${i}`, isOurs: i % 3 === 0, at: START + i * MINUTE }));
      await world.phone(OWN).remembers(ANNA, lines);
      const credentials = await link(world, OWN);
      const first = await logIn(world, credentials);
      await world.pass(500);
      assert.deepEqual(first.all('history'), [], 'none was wanted when it was linked');
      await ask(world, first, 'REQUEST1', 60);
      const told = await first.hears('history');
      assert.deepEqual(told.older, { request: 'REQUEST1', more: true });
      assert.deepEqual(
        textsOf(told),
        Array.from({ length: 50 }, (_, i) => `${i + 10}`),
      );
      const [oldest] = told.messages;
      assert.deepEqual([oldest?.chat, oldest?.isOurs, oldest?.at], [annaJid, false, START + 10 * MINUTE]);

      first.connection.close();
      await first.hears('closed');
      const second = await logIn(world, credentials);
      const again = await second.hears('history');
      assert.deepEqual([again.older, textsOf(again)], [told.older, textsOf(told)]);
      second.connection.acknowledge(again.token);
      await ask(world, second, 'REQUEST2', 10, 7);
      const rest = await second.hears('history', 2);
      assert.deepEqual([rest.older, textsOf(rest)], [{ request: 'REQUEST2', more: true }, ['3', '4', '5', '6', '7', '8', '9']]);
      second.connection.acknowledge(rest.token);
      await ask(world, second, 'REQUEST3', 0);
      const none = await second.hears('history', 3);
      assert.deepEqual([none.older, none.messages], [{ request: 'REQUEST3', more: false }, []]);
    });
  });
}
