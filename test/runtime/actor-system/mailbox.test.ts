import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '../../../runtime/errors.ts';
import { settle } from '../../../runtime/testing/virtual-clock.ts';
import { aNotebook, aPromise, notebook } from './notebook.ts';

describe('a mailbox', () => {
  it('delivers commands one at a time, in the order in which they arrive', async () => {
    const { ref, words } = aNotebook({ mailboxLimit: 1_000 });
    const sent = Array.from({ length: 300 }, (_, i) => `w${i}`);
    for (const word of sent) ref().tell({ type: 'note', word });
    assert.deepEqual(await words(), sent);
  });

  it("delivers an actor's own events before queued commands", async () => {
    const { ref, words } = aNotebook();
    ref().tell({ type: 'shout', word: 'a' });
    ref().tell({ type: 'shout', word: 'b' });
    assert.deepEqual(await words(), ['a', '(a)', 'b', '(b)']);
  });

  it('rejects commands above its limit, keeps the accepted ones, and accepts more once it has space', async () => {
    const { ref, words } = aNotebook({ mailboxLimit: 2 });
    ref().tell({ type: 'note', word: 'a' });
    ref().tell({ type: 'note', word: 'b' });
    assert.throws(() => ref().tell({ type: 'note', word: 'c' }), { code: 'OVERLOADED' });
    await assert.rejects(ref().ask({ type: 'recall' }), { code: 'OVERLOADED' });
    await settle();
    assert.deepEqual(await words(), ['a', 'b']);
  });

  it('rejects the second command if its limit is one', async () => {
    const { ref } = aNotebook({ mailboxLimit: 1 });
    ref().tell({ type: 'note', word: 'a' });
    assert.throws(() => ref().tell({ type: 'note', word: 'b' }), { code: 'OVERLOADED' });
  });

  it("never rejects an actor's own events, even if many commands are queued", async () => {
    const { ref, words, selves } = aNotebook({ mailboxLimit: 2 });
    assert.deepEqual(await words(), []);
    ref().tell({ type: 'note', word: 'a' });
    ref().tell({ type: 'note', word: 'b' });
    for (let i = 0; i < 100; i += 1) selves[0]!.receive({ type: 'received', word: 'own' });
    await settle();
    const received = await words();
    assert.equal(received.length, 102);
    assert.deepEqual(received.slice(99), ['own', 'a', 'b']);
  });
});

describe('an ask', () => {
  it('returns the reply without changing its command', async () => {
    const { ref } = aNotebook();
    const command = { type: 'write', word: 'a' } as const;
    assert.deepEqual(await Promise.all([ref().ask(command), ref().ask(command)]), [1, 2]);
    assert.deepEqual(command, { type: 'write', word: 'a' });
  });

  it('times out after the given time, or after 10 s by default', async () => {
    const { clock, ref } = aNotebook();
    const received: string[] = [];
    const ask = (name: string, timeoutMs?: number): Promise<unknown> =>
      ref()
        .ask({ type: 'ponder' }, timeoutMs)
        .catch((error) => received.push(`${name} ${error.code} at ${clock.monotonic()}`));
    const asked = [ask('usual'), ask('short', 50), ask('long', 20_000)];
    await clock.advance(20_000);
    await Promise.all(asked);
    assert.deepEqual(received, ['short TIMED_OUT at 50', 'usual TIMED_OUT at 10000', 'long TIMED_OUT at 20000']);
    assert.equal(clock.pending, 0, 'and its timer is gone');
  });

  it('is not executed after it has timed out', async () => {
    const args = aPromise<readonly string[]>();
    const { clock, ref, words } = aNotebook({ wake: () => args.promise });
    const late = assert.rejects(ref().ask({ type: 'write', word: 'late' }, 50), { code: 'TIMED_OUT' });
    ref().tell({ type: 'note', word: 'in time' });
    await clock.advance(100);
    await late;
    args.resolve([]);
    assert.deepEqual(await words(), ['in time']);
  });

  it('fails with the error that the behaviour threw, and does not crash the actor', async () => {
    const behaviour: typeof notebook = {
      ...notebook,
      handle(words, msg, now) {
        if (msg.type === 'write' && msg.word === 'secret') throw new Refusal('FORBIDDEN');
        return notebook.handle(words, msg, now);
      },
    };
    const { ref, words, story } = aNotebook({ behaviour });
    ref().tell({ type: 'note', word: 'a' });
    await assert.rejects(ref().ask({ type: 'write', word: 'secret' }), { code: 'FORBIDDEN' });
    assert.deepEqual(await words(), ['a']);
    assert.deepEqual(story, ['n1 starts']);
  });

  it('clears its timer within a second of the last reply', async () => {
    const { clock, words } = aNotebook();
    await words();
    await clock.advance(1_000);
    assert.equal(clock.pending, 0);
  });

  it('is not affected if the wall clock jumps', async () => {
    const { clock, ref } = aNotebook();
    let code = 'waiting';
    void ref()
      .ask({ type: 'ponder' }, 1_000)
      .catch((error) => {
        code = error.code;
      });
    clock.jump(3_600_000);
    await clock.advance(999);
    assert.equal(code, 'waiting');
    await clock.advance(1);
    assert.equal(code, 'TIMED_OUT');
  });
});
