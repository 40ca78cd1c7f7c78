import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jobs } from '../../../actors/jobs/behaviour/jobs.ts';
import type { JobsCommand, JobsEvent, JobsState } from '../../../actors/jobs/protocol.ts';

type Received = JobsCommand | JobsEvent;

/** A job runner, what it does written down. */
class Watched {
  #state: JobsState;
  readonly done: string[] = [];

  constructor() {
    const [state, ...effects] = jobs.start('tenant', 0);
    this.#state = state;
    this.done.push(...effects.map((effect) => effect.do));
  }

  receive(...received: readonly Received[]): this {
    for (const one of received) {
      const [state, ...effects] = jobs.handle(this.#state, one, 0);
      this.#state = state;
      this.done.push(...effects.map((effect) => effect.do));
    }
    return this;
  }

  get canSleep(): boolean {
    return jobs.canSleep?.(this.#state) ?? false;
  }

  times(what: string): number {
    return this.done.filter((one) => one === what).length;
  }
}

const DRAIN: Received = { type: 'drain', replyTo: {} };

describe('a job runner', () => {
  it('starts immediately, continues step by step, and sleeps only if no work is left', () => {
    const one = new Watched().receive({ type: 'stepDone' }, { type: 'stepDone' });
    assert.deepEqual([one.times('step'), one.canSleep], [3, false]);
    assert.equal(one.receive({ type: 'nothingLeft' }).canSleep, true);
    assert.equal(one.receive({ type: 'workArrived' }).times('step'), 4);
  });

  it('never runs two steps at once, and also processes work that arrives during a step', () => {
    const one = new Watched().receive({ type: 'workArrived' }, { type: 'workArrived' });
    assert.equal(one.times('step'), 1);
    assert.equal(one.receive({ type: 'nothingLeft' }).times('step'), 2);
  });

  it('pauses after a failed step, then retries', () => {
    const one = new Watched().receive({ type: 'stepFailed' }, { type: 'workArrived' });
    assert.deepEqual([one.times('step'), one.times('after'), one.canSleep], [1, 1, false]);
    assert.equal(one.receive({ type: 'goOn' }).times('step'), 2);
  });

  it('confirms a handover request once no step is running, and starts no further step', () => {
    const endings: readonly (readonly Received[])[] = [[{ type: 'stepDone' }], [{ type: 'nothingLeft' }], [{ type: 'stepFailed' }]];
    for (const ending of endings) {
      const busy = new Watched().receive(DRAIN);
      assert.equal(busy.times('reply'), 0);
      assert.deepEqual([busy.receive(...ending).times('reply'), busy.times('step')], [1, 1], JSON.stringify(ending));
    }
    const idle = new Watched().receive({ type: 'nothingLeft' }, DRAIN);
    assert.deepEqual([idle.times('reply'), idle.times('step')], [1, 1]);
    assert.deepEqual([idle.receive({ type: 'workArrived' }).times('reply'), idle.times('step')], [1, 1]);
    assert.equal(new Watched().receive({ type: 'stepFailed' }, DRAIN).times('reply'), 1);
  });

  it('continues after a handover request unless another owner takes over', () => {
    assert.equal(new Watched().receive({ type: 'nothingLeft' }, DRAIN, { type: 'goOn' }).times('step'), 2);
    assert.equal(new Watched().receive({ type: 'fenced' }).times('stop'), 1);
  });
});
