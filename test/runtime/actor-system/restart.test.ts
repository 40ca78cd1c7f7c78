import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settle } from '../../../runtime/testing/virtual-clock.ts';
import { aNotebook, notebook } from './notebook.ts';

describe('an actor that crashes', () => {
  it('fails only the current request, and handles queued commands after its restart', async () => {
    const { clock, ref, words, story } = aNotebook();
    ref().tell({ type: 'note', word: 'before' });
    const blast = assert.rejects(ref().ask({ type: 'blast' }), { code: 'UNAVAILABLE' });
    const queued = words();
    await settle();
    await blast;
    assert.deepEqual(story, ['n1 starts', 'notebook n1 failed: blast', 'n1 ends']);

    ref().tell({ type: 'note', word: 'meanwhile' });
    await clock.advance(99);
    assert.equal(story.length, 3, 'it pauses first');
    await clock.advance(1);
    assert.deepEqual(await queued, [], 'a fresh state');
    assert.deepEqual(await words(), ['meanwhile']);
  });

  it('rejects requests that it had accepted but not completed', async () => {
    const { ref } = aNotebook();
    const pondering = assert.rejects(ref().ask({ type: 'ponder' }), { code: 'UNAVAILABLE' });
    await settle();
    ref().tell({ type: 'boom' });
    await settle();
    await pondering;
  });

  it('still sends its reply if a later effect of the same step fails', async () => {
    const effectHandler = () => ({
      perform(): never {
        throw new Error('the effect failed');
      },
    });
    const { ref, story } = aNotebook({ effectHandler });
    const answered = ref().ask({ type: 'write', word: 'a' });
    ref().tell({ type: 'shout', word: 'b' });
    assert.equal(await answered, 1);
    await settle();
    assert.deepEqual(story, ['notebook n1 failed: the effect failed']);
  });

  it('drops its queued events and its timers', async () => {
    const { clock, ref, words, selves } = aNotebook();
    ref().tell({ type: 'later', key: 'k', ms: 500, word: 'tick' });
    await settle();
    ref().tell({ type: 'boom' });
    await settle();
    assert.equal(clock.pending, 1, 'only the pause before it starts again');
    selves[0]!.receive({ type: 'received', word: 'old socket' });
    await clock.advance(1_000);
    assert.deepEqual(await words(), []);
    selves[0]!.receive({ type: 'received', word: 'old socket' });
    assert.deepEqual(await words(), [], 'and nothing said to the old incarnation reaches the new one');
    selves[1]!.receive({ type: 'received', word: 'new socket' });
    assert.deepEqual(await words(), ['new socket']);
  });

  it('drops events that were received during the failed step', async () => {
    const behaviour: typeof notebook = {
      ...notebook,
      handle: (words, msg, now) => (msg.type === 'received' && msg.word === '(boom)' ? fail() : notebook.handle(words, msg, now)),
    };
    const effectHandler = (_id: string, self: { receive(event: { type: 'received'; word: string }): void }) => ({
      perform: ({ word }: { word: string }) => {
        self.receive({ type: 'received', word });
        self.receive({ type: 'received', word: 'right behind' });
      },
    });
    const { clock, ref, words } = aNotebook({ behaviour, effectHandler });
    ref().tell({ type: 'shout', word: 'boom' });
    await clock.advance(100);
    assert.deepEqual(await words(), []);
  });

  it('stops after too many failures, and restarts on the next message', async () => {
    const { clock, ref, words, story } = aNotebook({ mailboxLimit: 10 });
    for (let i = 0; i < 3; i += 1) ref().tell({ type: 'boom' });
    const waiting = assert.rejects(words(), { code: 'UNAVAILABLE' });
    await clock.advance(1_000);
    await waiting;
    assert.equal(story.at(-1), 'notebook n1 gave up');
    assert.deepEqual(await words(), []);
  });

  it('ignores failures outside the restart window', async () => {
    const { clock, ref, story } = aNotebook();
    for (let i = 0; i < 5; i += 1) {
      ref().tell({ type: 'boom' });
      await clock.advance(11_000);
    }
    assert.equal(story.filter((line) => line.includes('gave up')).length, 0);
  });

  it('counts a failure to start towards its restart limit', async () => {
    let starts = 0;
    const behaviour: typeof notebook = { ...notebook, start: () => (++starts === 1 ? fail() : [['second']]) };
    const { clock, words, story } = aNotebook({ behaviour });
    const cancelled = words();
    await clock.advance(100);
    assert.deepEqual(await cancelled, ['second']);
    assert.deepEqual(story, ['n1 starts', 'notebook n1 failed: boom', 'n1 ends', 'n1 starts']);
  });

  it('does not cause other actors to stop', async () => {
    const { ref, words } = aNotebook();
    const others = ['a', 'b', 'c'].map((id) => {
      ref(`bad ${id}`).tell({ type: 'boom' });
      return words(id);
    });
    assert.deepEqual(await Promise.all(others), [[], [], []]);
  });

  it('is removed even if its effect handler fails to release resources', async () => {
    const effectHandler = () => ({
      perform() {},
      release(): never {
        throw new Error('stuck');
      },
    });
    const { clock, ref, words, story } = aNotebook({ effectHandler });
    ref().tell({ type: 'boom' });
    await clock.advance(100);
    assert.deepEqual(await words(), []);
    assert.deepEqual(story, ['notebook n1 failed: boom', 'notebook n1 failed: stuck']);
  });
});

function fail(): never {
  throw new Error('boom');
}
