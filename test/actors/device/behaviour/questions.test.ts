import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkRefusal } from '../../../../actors/network/network-refusal.ts';
import { CREDENTIALS, DIGITS, factsOf } from './device-fixture.ts';
import { DeviceHarness } from './device-harness.ts';

const LINKED = factsOf({ credentials: CREDENTIALS, phone: DIGITS, wanted: true, status: 'connected' });
const GROUP = '120363000000000001@g.us';

function online(): DeviceHarness {
  const harness = new DeviceHarness(LINKED);
  harness.finish();
  harness.say({ type: 'opened', phone: DIGITS, name: null, about: null });
  harness.finish();
  return harness;
}

const get = (id: string) => ({ type: 'question', question: { name: 'groups.get', input: { id } } }) as const;
const list = { type: 'question', question: { name: 'groups.list', input: {} } } as const;
const can = { type: 'question', question: { name: 'capabilities', input: {} } } as const;

const underWay = (harness: DeviceHarness): number => harness.inFlight.filter(({ what }) => what === 'askNetwork').length;

describe('queries to the network', () => {
  it('run one at a time per group, but concurrently for different groups', () => {
    const harness = online();
    harness.ask(get(GROUP));
    harness.ask(get(GROUP));
    assert.equal(underWay(harness), 1);
    harness.ask(get('120363000000000002@g.us'));
    assert.equal(underWay(harness), 2);
    harness.finish();
    assert.equal(harness.asks.size, 0);
  });

  it('wait for a slot within the rate limit, and are never lost', () => {
    const harness = online();
    const since = harness.now;
    for (let nth = 0; nth < 9; nth += 1) {
      harness.ask(get(`12036300000000000${nth}@g.us`));
      harness.finish();
    }
    assert.equal(harness.asks.size, 4, 'a few go at once');
    while (harness.asks.size > 0 && harness.tick()) harness.finish();
    assert.equal(harness.asks.size, 0);
    assert.ok(harness.now - since >= 4_000, `${harness.now - since}`);
  });

  it('are sent even if the timer that triggers them fires a millisecond early', () => {
    for (let ms = 1; ms < 1_000; ms += 1) {
      const harness = online();
      for (let nth = 0; nth < 5; nth += 1) {
        harness.ask(get(`1203630000000000${nth + 10}@g.us`));
        harness.finish();
        if (nth === 0) harness.setClock(ms);
      }
      harness.ask(get(GROUP));
      const since = harness.now;
      harness.setClock(-1);
      while (underWay(harness) === 0 && harness.tick());
      assert.ok(harness.now - since <= 1_001, `after ${ms} ms it waited for ${harness.now - since}`);
    }
  });

  it('are sent even after the clock was set back an hour', () => {
    const harness = online();
    harness.ask(list);
    harness.finish();
    for (let nth = 0; nth < 5; nth += 1) {
      harness.ask(get(`12036300000000000${nth}@g.us`));
      harness.finish();
    }
    harness.finish();
    harness.setClock(-3_600_000);
    for (const again of [get(GROUP), list]) {
      harness.ask(again);
      for (let ticks = 0; harness.asks.size > 0 && ticks < 5 && underWay(harness) === 0; ticks += 1) harness.tick();
      assert.equal(underWay(harness), 1, again.question.name);
      harness.finish();
    }
    assert.equal(harness.asks.size, 0);
  });

  it('are rejected up front if the wait would be too long', () => {
    const harness = online();
    for (let nth = 0; nth < 40; nth += 1) harness.ask(get(`1203630000000000${nth + 10}@g.us`));
    assert.equal(harness.asks.size, 4 + 16, 'a bounded queue');
    harness.ask(list);
    harness.finish();
    harness.ask(list);
    assert.ok(![...harness.asks.values()].includes('list'), 'a second list within the minute is refused');
  });

  it('share the result of a pending query for the same list', () => {
    const harness = online();
    harness.ask(list);
    harness.ask(list);
    harness.ask(list);
    assert.deepEqual([underWay(harness), harness.asks.size], [1, 3]);
    harness.finish();
    assert.equal(harness.asks.size, 0, 'all who wait get it');
    harness.ask(list);
    harness.ask(list);
    harness.say({ type: 'closed', code: 428 });
    harness.finish();
    assert.equal(harness.asks.size, 0);
  });

  it('have a separate budget for each type of list', () => {
    const harness = online();
    harness.ask(list);
    harness.finish();
    harness.ask({ type: 'question', question: { name: 'channels.list', input: {} } });
    assert.equal(underWay(harness), 1);
  });

  it('are sent even while many incoming calls are being rejected', () => {
    const harness = online();
    const reject = { type: 'question', question: { name: 'calls.reject', input: { callId: 'c', from: GROUP } } } as const;
    for (let nth = 0; nth < 40; nth += 1) harness.ask(reject);
    assert.equal(harness.asks.size, 1 + 3, 'one goes, a few wait');
    for (let nth = 0; nth < 5; nth += 1) harness.ask(get(`1203630000000000${nth + 10}@g.us`));
    assert.equal(underWay(harness), 1 + 4);
  });

  it('are not delayed by the rate limit if the driver already has the result', () => {
    const harness = online();
    for (let nth = 0; nth < 20; nth += 1) {
      harness.ask(can);
      harness.finish();
    }
    assert.equal(harness.asks.size, 0);
  });

  it('are rejected and never sent if the connection is lost while they wait', () => {
    const harness = online();
    for (let nth = 0; nth < 12; nth += 1) harness.ask(get(`1203630000000000${nth + 10}@g.us`));
    const asked = underWay(harness);
    harness.say({ type: 'closed', code: 428 });
    assert.equal(harness.asks.size, asked);
    harness.finish();
    assert.equal(harness.asks.size, 0);
  });
});

describe('a network that rate-limits queries', () => {
  it('gets no more group queries until the given time, and callers get an error until then', () => {
    const harness = online();
    harness.ask(get(GROUP));
    const [asked] = harness.state.questions.asked.keys();
    harness.receive({ type: 'refused', to: asked ?? {}, error: networkRefusal(429) });
    harness.ask(get(GROUP));
    assert.equal(harness.asks.size, 0, 'refused, and not asked');
    harness.ask({ type: 'question', question: { name: 'channels.list', input: {} } });
    assert.equal(harness.asks.size, 1, 'about something else it may be asked');
    harness.setClock(60_000);
    harness.ask(get(GROUP));
    assert.ok([...harness.state.questions.asked.values()].some(({ question }) => question.name === 'groups.get'));
  });
});

describe('the list of groups', () => {
  /** Lets time pass until the device asks for it, or nothing is left to happen. */
  function asksByItself(harness: DeviceHarness): boolean {
    for (let ticks = 0; ticks < 20 && underWay(harness) === 0; ticks += 1) if (!harness.tick()) return false;
    return underWay(harness) > 0;
  }

  it('is requested after a login, but not again for a day', () => {
    const harness = online();
    assert.equal(underWay(harness), 0, 'not at once: others log in, too');
    const since = harness.now;
    assert.ok(asksByItself(harness));
    assert.ok(harness.now - since <= 30_000);
    harness.ask(list);
    assert.equal(underWay(harness), 1, 'who asks meanwhile gets the same answer');
    harness.finish();
    assert.equal(harness.asks.size, 0);
    harness.say({ type: 'closed', code: 428 });
    while (harness.state.connection.phase !== 'connecting' && harness.tick()) harness.finish();
    harness.say({ type: 'opened', phone: DIGITS, name: null, about: null });
    harness.finish();
    assert.equal(asksByItself(harness), false, 'the network tells what changed meanwhile');
  });

  it('is requested again only once within the rate limit, no matter how often the network reports changes', () => {
    const harness = online();
    const stale = () => harness.say({ type: 'groupsStale', token: 'stale' });
    assert.ok(asksByItself(harness));
    stale();
    harness.finish();
    assert.equal(harness.state.facts.groupsListedAt, null, 'what was asked for before it said so may be the old one');
    const since = harness.now;
    for (let nth = 0; nth < 5; nth += 1) stale();
    harness.finish();
    assert.ok(asksByItself(harness));
    assert.ok(harness.now - since >= 60_000, 'not sooner than a list may be asked for');
    harness.finish();
    assert.notEqual(harness.state.facts.groupsListedAt, null);
    assert.equal(asksByItself(harness), false, 'once is enough');
  });

  it('does not delay a move to another node, and is not requested for a device that ignores groups', () => {
    const harness = online();
    assert.ok(asksByItself(harness));
    harness.ask({ type: 'drain', must: false });
    for (const one of harness.ready.filter(({ what }) => what !== 'askNetwork')) harness.end(one, 'well');
    assert.equal(harness.asks.size, 0, 'drained while the network has not answered');
    const joined = online();
    assert.ok(asksByItself(joined));
    joined.ask(list);
    joined.ask({ type: 'drain', must: false });
    for (const one of joined.ready.filter(({ what }) => what !== 'askNetwork')) joined.end(one, 'well');
    assert.equal(joined.asks.size, 2, 'but who joined it is answered first');
    joined.finish();
    assert.equal(joined.asks.size, 0);
    const deaf = new DeviceHarness({ ...LINKED, ignore: { groups: true, channels: false } });
    deaf.finish();
    deaf.say({ type: 'opened', phone: DIGITS, name: null, about: null });
    deaf.finish();
    assert.equal(asksByItself(deaf), false);
  });
});
