import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clerk } from '../../actors/clerk/clerk.ts';
import type { ClerkCommand, ClerkEvent, ClerkState } from '../../actors/clerk/protocol.ts';

type Heard = ClerkCommand | ClerkEvent;

/** A clerk, what it does written down. */
class Watched {
  #state: ClerkState;
  readonly done: string[] = [];

  constructor() {
    const [state, ...effects] = clerk.start('tenant', 0);
    this.#state = state;
    this.done.push(...effects.map((effect) => effect.do));
  }

  hear(...heard: readonly Heard[]): this {
    for (const one of heard) {
      const [state, ...effects] = clerk.handle(this.#state, one, 0);
      this.#state = state;
      this.done.push(...effects.map((effect) => effect.do));
    }
    return this;
  }

  get canSleep(): boolean {
    return clerk.canSleep?.(this.#state) ?? false;
  }

  times(what: string): number {
    return this.done.filter((one) => one === what).length;
  }
}

const REST: Heard = { type: 'rest', replyTo: {} };

describe('a clerk', () => {
  it('begins at once, goes on step by step, and sleeps only when nothing is left', () => {
    const one = new Watched().hear({ type: 'stepDone' }, { type: 'stepDone' });
    assert.deepEqual([one.times('step'), one.canSleep], [3, false]);
    assert.equal(one.hear({ type: 'nothingLeft' }).canSleep, true);
    assert.equal(one.hear({ type: 'workArrived' }).times('step'), 4);
  });

  it('never does two steps at once, and misses no work that came during one', () => {
    const one = new Watched().hear({ type: 'workArrived' }, { type: 'workArrived' });
    assert.equal(one.times('step'), 1);
    assert.equal(one.hear({ type: 'nothingLeft' }).times('step'), 2);
  });

  it('pauses after a step that failed, and tries again', () => {
    const one = new Watched().hear({ type: 'stepFailed' }, { type: 'workArrived' });
    assert.deepEqual([one.times('step'), one.times('after'), one.canSleep], [1, 1, false]);
    assert.equal(one.hear({ type: 'goOn' }).times('step'), 2);
  });

  it('asked to rest answers once nothing is under way, whatever it was doing, and begins nothing more', () => {
    const endings: readonly (readonly Heard[])[] = [[{ type: 'stepDone' }], [{ type: 'nothingLeft' }], [{ type: 'stepFailed' }]];
    for (const ending of endings) {
      const busy = new Watched().hear(REST);
      assert.equal(busy.times('reply'), 0);
      assert.deepEqual([busy.hear(...ending).times('reply'), busy.times('step')], [1, 1], JSON.stringify(ending));
    }
    const idle = new Watched().hear({ type: 'nothingLeft' }, REST);
    assert.deepEqual([idle.times('reply'), idle.times('step')], [1, 1]);
    assert.deepEqual([idle.hear({ type: 'workArrived' }).times('reply'), idle.times('step')], [1, 1]);
    assert.equal(new Watched().hear({ type: 'stepFailed' }, REST).times('reply'), 1);
  });

  it('that nobody took over goes on, and one that is fenced stops', () => {
    assert.equal(new Watched().hear({ type: 'nothingLeft' }, REST, { type: 'goOn' }).times('step'), 2);
    assert.equal(new Watched().hear({ type: 'fenced' }).times('stop'), 1);
  });
});
