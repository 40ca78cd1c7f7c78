import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settle } from '../../../runtime/testing/virtual-clock.ts';
import { aNotebook, aPromise, notebook } from './notebook.ts';

describe('an actor that stops', () => {
  it('stops without a restart if the policy allows it, and fails waiting requests with ELSEWHERE', async () => {
    const { clock, ref, words, story } = aNotebook();
    ref().tell({ type: 'note', word: 'a' });
    ref().tell({ type: 'leave' });
    await assert.rejects(words(), { code: 'ELSEWHERE' });
    await clock.advance(1_000);
    assert.deepEqual(story, ['n1 starts', 'n1 ends']);
    assert.deepEqual(await words(), [], 'and the next message wakes it again');
  });

  it('starts again after it has stopped itself, if the policy requires it', async () => {
    const { clock, ref, story } = aNotebook({ policy: { restart: 'permanent', atMost: 5, withinMs: 1_000, backoffMs: () => 100 } });
    ref().tell({ type: 'leave' });
    await clock.advance(100);
    assert.deepEqual(story, ['n1 starts', 'n1 ends', 'n1 starts']);
  });

  it('first performs all effects of its last step', async () => {
    const behaviour: typeof notebook = {
      ...notebook,
      handle: (words, msg, now) => {
        const [state, ...effects] = notebook.handle(words, msg, now);
        return [state, { do: 'stop' }, ...effects];
      },
    };
    const done: string[] = [];
    const effectHandler = () => ({ perform: ({ word }: { word: string }) => done.push(word), release: () => done.push('released') });
    const { ref } = aNotebook({ behaviour, effectHandler });
    assert.equal(await ref('a').ask({ type: 'write', word: 'last' }), 1);
    ref('b').tell({ type: 'shout', word: 'last' });
    await settle();
    assert.deepEqual(done, ['released', '(last)', 'released']);
  });

  it('stops when the system stops it, whatever its policy', async () => {
    const { clock, ref, words, system, story } = aNotebook({
      policy: { restart: 'permanent', atMost: 5, withinMs: 1_000, backoffMs: () => 0 },
    });
    await words();
    const pondering = assert.rejects(ref().ask({ type: 'ponder' }), { code: 'UNAVAILABLE' });
    await settle();
    const queued = assert.rejects(words(), { code: 'UNAVAILABLE' });
    await system.stop('notebook', 'n1');
    await Promise.all([pondering, queued]);
    await clock.advance(1_000);
    assert.deepEqual(story, ['n1 starts', 'n1 ends']);
  });

  it('never starts if it is stopped while it is loading', async () => {
    const args = aPromise<readonly string[]>();
    const { words, system, story } = aNotebook({ wake: () => args.promise });
    const refused = assert.rejects(words(), { code: 'UNAVAILABLE' });
    await settle();
    await system.stop('notebook', 'n1');
    args.resolve([]);
    await refused;
    await settle();
    assert.deepEqual(story, []);
  });

  it('completes the current step if an effect of that step stops the actor', async () => {
    const effectHandler = (id: string) => ({
      perform: () => void notes.system.stop('notebook', id),
      release: () => notes.story.push('released'),
    });
    const notes = aNotebook({ effectHandler });
    notes.ref().tell({ type: 'shout', word: 'enough' });
    await assert.rejects(notes.words(), { code: 'UNAVAILABLE' });
    assert.deepEqual(notes.story, ['released']);
  });
});

describe('a system that shuts down', () => {
  it('releases all effect handlers, and fails all pending and later messages', async () => {
    const { clock, ref, words, system, story } = aNotebook();
    await Promise.all([words('a'), words('b')]);
    const pondering = assert.rejects(ref('a').ask({ type: 'ponder' }), { code: 'UNAVAILABLE' });
    await settle();
    await system.shutdown();
    await pondering;
    assert.deepEqual(story, ['a starts', 'b starts', 'a ends', 'b ends']);
    assert.throws(() => ref('a').tell({ type: 'note', word: 'late' }), { code: 'UNAVAILABLE' });
    assert.throws(() => ref('new').tell({ type: 'note', word: 'late' }), { code: 'UNAVAILABLE' });
    await assert.rejects(words('a'), { code: 'UNAVAILABLE' });
    assert.equal(clock.pending, 0, 'and leaves no timer behind');
  });

  it('does not start actors that are still loading or are paused after a failure', async () => {
    const args = aPromise<readonly string[]>();
    const { clock, ref, words, system, story } = aNotebook({ wake: (id) => (id === 'slow' ? args.promise : []), sleepAfterMs: 500 });
    ref('failed').tell({ type: 'boom' });
    const refused = assert.rejects(words('slow'), { code: 'UNAVAILABLE' });
    await settle();
    await system.shutdown();
    assert.equal(clock.pending, 0);
    args.resolve([]);
    await clock.advance(10_000);
    await refused;
    assert.deepEqual(story, ['failed starts', 'notebook failed failed: boom', 'failed ends']);
  });
});
