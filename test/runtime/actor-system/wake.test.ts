import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settle } from '../../../runtime/testing/virtual-clock.ts';
import { aNotebook, aPromise } from './notebook.ts';

describe('an actor that receives its first message', () => {
  it('wakes only once, and handles later messages in order', async () => {
    const args = aPromise<readonly string[]>();
    const woken: string[] = [];
    const wake = (id: string) => {
      woken.push(id);
      return args.promise;
    };
    const { ref, words, story } = aNotebook({ wake });
    ref();
    await settle();
    assert.deepEqual(woken, [], 'an address alone wakes nobody');

    ref().tell({ type: 'note', word: 'a' });
    ref().tell({ type: 'note', word: 'b' });
    const cancelled = words();
    await settle();
    assert.deepEqual(story, []);
    args.resolve(['loaded']);
    assert.deepEqual(await cancelled, ['loaded', 'a', 'b']);
    assert.deepEqual(woken, ['n1']);
  });

  it('rejects commands above its limit while it is loading', async () => {
    const { ref } = aNotebook({ wake: () => aPromise<readonly string[]>().promise });
    for (const word of ['a', 'b', 'c']) ref().tell({ type: 'note', word });
    await settle();
    assert.throws(() => ref().tell({ type: 'note', word: 'd' }), { code: 'OVERLOADED' });
  });

  it('fails requests with NOT_FOUND and drops other messages if it does not exist', async () => {
    const found = new Map<string, readonly string[]>();
    const { ref, words, system } = aNotebook({ wake: async (id) => found.get(id) ?? null });
    ref().tell({ type: 'note', word: 'lost' });
    await assert.rejects(words(), { code: 'NOT_FOUND' });
    assert.equal(system.census().waiting, 0);

    found.set('n1', ['made']);
    assert.deepEqual(await words(), ['made'], 'and is looked for again by the next message');
  });

  it('fails requests with NOT_FOUND if a synchronous load finds nothing', async () => {
    const { words } = aNotebook({ wake: () => null });
    await assert.rejects(words(), { code: 'NOT_FOUND' });
  });

  it('keeps its messages and retries after a pause if loading fails', async () => {
    let tries = 0;
    const wake = async () => {
      tries += 1;
      if (tries < 3) throw new Error('store is down');
      return ['loaded'];
    };
    const { clock, ref, words, story } = aNotebook({ wake });
    ref().tell({ type: 'note', word: 'a' });
    const cancelled = words();
    await clock.advance(99);
    assert.equal(tries, 1);
    await clock.advance(1);
    assert.equal(tries, 2);
    await clock.advance(200);
    assert.deepEqual(await cancelled, ['loaded', 'a']);
    assert.deepEqual(story, ['notebook n1 failed: store is down', 'notebook n1 failed: store is down', 'n1 starts']);
  });

  it('stops if loading keeps failing, and fails requests with UNAVAILABLE', async () => {
    const wake = (): never => {
      throw new Error('no');
    };
    const { clock, words, story } = aNotebook({ wake });
    const refused = assert.rejects(words(), { code: 'UNAVAILABLE' });
    await clock.advance(1_000);
    await refused;
    assert.equal(story.at(-1), 'notebook n1 gave up');
    assert.equal(story.length, 4);
  });
});

describe('an actor system', () => {
  it('counts awake actors and waiting messages', async () => {
    const args = aPromise<readonly string[]>();
    const { ref, words, system } = aNotebook({ wake: (id) => (id === 'slow' ? args.promise : []) });
    await words('a');
    await words('b');
    ref('slow').tell({ type: 'note', word: '1' });
    ref('slow').tell({ type: 'note', word: '2' });
    ref('a').tell({ type: 'note', word: '3' });
    assert.deepEqual(system.census(), { awake: new Map([['notebook', 2]]), waiting: 3, deepest: 2 });
  });

  it('rejects an unregistered kind, and a second registration of the same kind', () => {
    const { system } = aNotebook();
    assert.throws(() => system.ref('diary', 'd1'), /diary/);
    assert.throws(() => system.register({ behaviour: { kind: 'notebook' } } as never), /registered already/);
  });
});
