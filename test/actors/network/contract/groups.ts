import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnswerOf, InputOf, QuestionName } from '../../../../actors/network/questions.ts';
import { aDevice, type Ear, finished, type MakeWorld, type World } from '../world.ts';

const OWN = '6281100000001';
const ANNA = '6281211110001';
const BUDI = '6281211110002';

/** Asks through a login, while time passes. */
export function asked<N extends QuestionName>(world: World, { connection }: Ear, name: N, input: InputOf<N>): Promise<AnswerOf<N>> {
  assert.ok(connection.ask, 'this driver can be asked');
  return finished(world, connection.ask(name, input));
}

export function groups(makeWorld: MakeWorld): void {
  describe('groups', () => {
    it('are told with their members, to members only', async (t) => {
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
  });
}
