import assert from 'node:assert/strict';
import { it } from 'node:test';
import { takeTurns } from '../../../../actors/services/privacy/round-robin.ts';

it('a round-robin queue runs one step per owner in turn, and starts a new owner after a full round', async () => {
  const left = new Map([
    ['a', 5],
    ['b', 2],
    ['c', 1],
  ]);
  const order: string[] = [];
  let [busy, most] = [0, 0];
  const turns = takeTurns(
    async (owner) => {
      busy += 1;
      most = Math.max(most, busy);
      await Promise.resolve();
      busy -= 1;
      order.push(owner);
      const rest = (left.get(owner) ?? 0) - 1;
      left.set(owner, rest);
      if (order.length === 3) {
        left.set('late', 1);
        void turns.run(['late'], 0);
      }
      return rest > 0;
    },
    1,
    assert.ifError,
  );
  await turns.run(['a', 'b', 'c'], 0);
  assert.equal(most, 1);
  assert.deepEqual(order.join(''), 'abcablateaaa');
});

it('a round-robin queue stops only the owner whose step failed, until that owner is started again', async () => {
  const failures: unknown[] = [];
  const done: string[] = [];
  const turns = takeTurns(
    async (owner) => {
      if (owner === 'bad' && failures.length === 0) throw new Error('no');
      done.push(owner);
      return false;
    },
    2,
    (cause) => failures.push(cause),
  );
  await turns.run(['bad', 'good'], 0);
  assert.deepEqual([done, failures.length], [['good'], 1]);
  await turns.run(['bad'], 0);
  assert.deepEqual(done, ['good', 'bad']);
});
