import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { after, cancel } from '../../../runtime/actor-system/behaviour.ts';
import { settle } from '../../../runtime/testing/virtual-clock.ts';
import { aNotebook, type NotebookStep, notebook } from './notebook.ts';

describe("an actor's timer", () => {
  it('fires once, at the right time', async () => {
    const { clock, ref, words } = aNotebook();
    ref().tell({ type: 'later', key: 'k', ms: 500, word: 'tick' });
    await clock.advance(499);
    assert.deepEqual(await words(), []);
    await clock.advance(1);
    assert.deepEqual(await words(), ['tick']);
    await clock.advance(5_000);
    assert.deepEqual(await words(), ['tick']);
  });

  it('can be replaced only by a timer with the same key', async () => {
    const { clock, ref, words } = aNotebook();
    ref().tell({ type: 'later', key: 'k', ms: 500, word: 'first' });
    ref().tell({ type: 'later', key: 'other', ms: 500, word: 'other' });
    ref().tell({ type: 'later', key: 'k', ms: 700, word: 'second' });
    await clock.advance(1_000);
    assert.deepEqual(await words(), ['other', 'second']);
  });

  it('can be cancelled by its key', async () => {
    const { clock, ref, words } = aNotebook();
    ref().tell({ type: 'later', key: 'k', ms: 500, word: 'tick' });
    ref().tell({ type: 'never', key: 'k' });
    await settle();
    assert.equal(clock.pending, 0);
    await clock.advance(1_000);
    assert.deepEqual(await words(), []);
  });

  it('does not fire if it is cancelled between its due time and its delivery', async () => {
    const { ring, ref, words } = aNotebookByHand((words) => [words, cancel('k')]);
    ref().tell({ type: 'later', key: 'judge', ms: 100, word: 'judge' });
    ref().tell({ type: 'later', key: 'k', ms: 100, word: 'old' });
    await settle();
    ring();
    assert.deepEqual(await words(), []);
  });

  it('does not fire if it is replaced between its due time and its delivery', async () => {
    const { ring, ref, words } = aNotebookByHand((words) => [words, after('k', 100, { type: 'received', word: 'new' })]);
    ref().tell({ type: 'later', key: 'judge', ms: 100, word: 'judge' });
    ref().tell({ type: 'later', key: 'k', ms: 100, word: 'old' });
    await settle();
    ring();
    assert.deepEqual(await words(), []);
    ring();
    assert.deepEqual(await words(), ['new']);
  });
});

/** A notebook whose timers all fire together when the test calls `ring`. The word `judge` runs `then`. */
function aNotebookByHand(then: (words: readonly string[]) => NotebookStep) {
  let due: (() => void)[] = [];
  const after = (_ms: number, run: () => void) => {
    due.push(run);
    return () => {};
  };
  const behaviour: typeof notebook = {
    ...notebook,
    handle: (words, msg, now) => (msg.type === 'received' && msg.word === 'judge' ? then(words) : notebook.handle(words, msg, now)),
  };
  const ring = (): void => {
    const ringing = due;
    due = [];
    for (const run of ringing) run();
  };
  return { ring, ...aNotebook({ behaviour }, { now: () => 0, monotonic: () => 0, after }) };
}
