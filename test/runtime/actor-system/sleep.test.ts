import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settle } from '../../../runtime/testing/virtual-clock.ts';
import { aNotebook } from './notebook.ts';

const minute = 60_000;

describe('an idle actor', () => {
  it('sleeps after its idle time, releases its effect handler, and wakes on the next message', async () => {
    const { clock, words, system, story } = aNotebook({ sleepAfterMs: minute });
    await words();
    await clock.advance(minute - 1);
    assert.deepEqual(story, ['n1 starts']);
    await clock.advance(minute / 4 + 1);
    assert.deepEqual(story, ['n1 starts', 'n1 ends']);
    assert.deepEqual(system.census().awake, new Map([['notebook', 0]]));
    assert.deepEqual(await words(), []);
    assert.deepEqual(story, ['n1 starts', 'n1 ends', 'n1 starts']);
  });

  it('can be woken through an old reference without being started twice', async () => {
    const { clock, ref, words, story } = aNotebook({ sleepAfterMs: minute });
    const old = ref();
    old.tell({ type: 'note', word: 'a' });
    await clock.advance(2 * minute);
    ref().tell({ type: 'note', word: 'b' });
    old.tell({ type: 'note', word: 'c' });
    assert.deepEqual(await words(), ['b', 'c']);
    assert.deepEqual(story, ['n1 starts', 'n1 ends', 'n1 starts']);
  });

  it('stays awake while it receives messages', async () => {
    const { clock, ref, story } = aNotebook({ sleepAfterMs: minute });
    for (let i = 0; i < 10; i += 1) {
      ref().tell({ type: 'note', word: 'still here' });
      await clock.advance(minute / 2);
    }
    assert.deepEqual(story, ['n1 starts']);
  });

  it('stays awake while its state forbids sleep', async () => {
    const { clock, ref, story } = aNotebook({ sleepAfterMs: minute });
    ref().tell({ type: 'note', word: 'coffee' });
    await clock.advance(10 * minute);
    assert.deepEqual(story, ['n1 starts']);
  });

  it('stays awake while a request is unanswered', async () => {
    const { clock, ref, story } = aNotebook({ sleepAfterMs: minute });
    const pondering = assert.rejects(ref().ask({ type: 'ponder' }, 5 * minute), { code: 'TIMED_OUT' });
    await clock.advance(4 * minute);
    assert.deepEqual(story, ['n1 starts']);
    await clock.advance(2 * minute);
    await pondering;
    assert.deepEqual(story, ['n1 starts', 'n1 ends']);
  });

  it('drops events that were sent to it before it slept', async () => {
    const { clock, words, selves } = aNotebook({ sleepAfterMs: minute });
    await words();
    await clock.advance(2 * minute);
    selves[0]!.receive({ type: 'received', word: 'from the past' });
    assert.deepEqual(await words(), []);
  });

  it('shares one timer with all other idle actors, and needs none once it is asleep', async () => {
    const { clock, words } = aNotebook({ sleepAfterMs: minute });
    assert.equal(clock.pending, 0);
    for (let i = 0; i < 100; i += 1) await words(`n${i}`);
    await clock.advance(1_000);
    assert.equal(clock.pending, 1);
    await clock.advance(2 * minute);
    assert.equal(clock.pending, 0);
  });

  it('never sleeps if its kind has no idle time', async () => {
    const { clock, words, story } = aNotebook();
    await words();
    await clock.advance(24 * 60 * minute);
    assert.deepEqual(story, ['n1 starts']);
  });

  it('can fall asleep with thousands of other actors within a second', async () => {
    const { clock, ref, system } = aNotebook({ sleepAfterMs: minute });
    for (let i = 0; i < 10_000; i += 1) ref(`n${i}`).tell({ type: 'note', word: 'a' });
    await settle();
    assert.equal(system.census().awake.get('notebook'), 10_000);
    await clock.advance(minute + minute / 4 + 1_000);
    assert.equal(system.census().awake.get('notebook'), 0);
  });
});
