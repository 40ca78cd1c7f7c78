import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nextInTurn, servedWith, type Waiting } from '../../../../actors/device/behaviour/fair-choice.ts';

const to = (chat_id: string, lane = 1, priority = 0): Waiting => ({ chat_id, lane, priority });

/** The chats in the order in which they get their turns, when all that waits is known. */
function order(waiting: readonly Waiting[]): string[] {
  const left = [...waiting];
  const chats: string[] = [];
  let served: ReadonlySet<string> = new Set();
  for (let choice = nextInTurn(left, served, true); choice; choice = nextInTurn(left, served, true)) {
    const { row } = choice;
    left.splice(left.indexOf(row), 1);
    served = servedWith(served, row.chat_id);
    chats.push(row.chat_id);
  }
  return chats;
}

it('fair message selection serves a chat with many messages only once per round', () => {
  assert.deepEqual(order([to('anna'), to('anna'), to('anna'), to('budi'), to('citra'), to('budi')]), [
    'anna',
    'budi',
    'citra',
    'anna',
    'budi',
    'anna',
  ]);
});

it('fair message selection alternates between chats only among messages of the same class and priority', () => {
  assert.deepEqual(order([to('anna', 0), to('anna', 0), to('budi', 1), to('anna', 1, 9), to('citra', 1)]), [
    'anna',
    'anna',
    'budi',
    'anna',
    'citra',
  ]);
});

it('fair message selection requests more messages if it sees only chats that were already served', () => {
  const [anna, budi] = [to('anna'), to('budi')];
  const served = new Set(['anna']);
  assert.equal(nextInTurn([], served, false), null);
  assert.deepEqual(nextInTurn([anna, budi], served, false), { row: budi, isCertain: true });
  assert.deepEqual(nextInTurn([anna], served, false), { row: anna, isCertain: false });
  assert.deepEqual(nextInTurn([anna], served, true), { row: anna, isCertain: true });
});

it('fair message selection remembers at most 500 served chats per round', () => {
  let served: ReadonlySet<string> = new Set();
  for (let nth = 0; nth < 1_200; nth += 1) served = servedWith(served, `chat ${nth}`);
  assert.ok(served.size <= 500);
});
