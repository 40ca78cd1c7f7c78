import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { safeText } from '../../../runtime/safe-text.ts';
import { rowOf } from '../../support/rows.ts';
import { CREDENTIALS, DIGITS, factsOf } from './behaviour/device-fixture.ts';
import { DeviceHarness } from './behaviour/device-harness.ts';

function online(): DeviceHarness {
  const harness = new DeviceHarness(factsOf({ credentials: CREDENTIALS, phone: DIGITS, wanted: true, status: 'connected' }));
  harness.finish();
  harness.say({ type: 'opened', phone: DIGITS, name: null, about: null });
  harness.finish();
  return harness;
}

/** With one message on the wire. */
function withMail(): DeviceHarness {
  const harness = online();
  harness.rows.set('A', rowOf('A', harness.now));
  harness.receive({ type: 'workArrived' });
  harness.finish();
  assert.ok(harness.unacked.has('A'));
  return harness;
}

describe('a message that could not be written to the connection', () => {
  it('does not close the connection, and is sent again', () => {
    const harness = withMail();
    harness.say({ type: 'unwritten', netId: 'A' });
    harness.unacked.delete('A');
    const connects = harness.connects.length;
    for (let times = 0; times < 5 && !harness.unacked.has('A'); times += 1) {
      harness.tick();
      harness.finish();
    }
    assert.deepEqual([harness.unacked.has('A'), harness.connects.length, harness.state.connection.phase], [true, connects, 'online']);
  });

  it('is marked as sent if the write succeeds after all', () => {
    const harness = withMail();
    harness.say({ type: 'unwritten', netId: 'A' });
    harness.say({ type: 'acked', netId: 'A', at: harness.now });
    assert.ok(harness.last.some((effect) => effect.do === 'markSent'));
    assert.equal(harness.state.sending.unwritten.size, 0);
  });
});

const DAY = 86_400_000;

function askDeletion(harness: DeviceHarness, id: string): void {
  const target = { message_id: 'm', chat_id: '1@s.whatsapp.net', target: 'm', from: null };
  const own = { tenant_id: 't', session_id: 's', epoch: 0, created_at: harness.now };
  harness.ask({ type: 'action', action: { _id: id, kind: 'erase', value: safeText(''), net_id: id, ...target, ...own } });
}

/** With a deletion that its caller waits for no more. */
function withDeletion(): DeviceHarness {
  const harness = online();
  askDeletion(harness, 'D');
  harness.finish();
  assert.ok(harness.unacked.delete('D'));
  harness.say({ type: 'unwritten', netId: 'D' });
  tickUntil(harness, () => harness.asks.size === 0);
  return harness;
}

function tickUntil(harness: DeviceHarness, isSo: () => boolean): void {
  for (let ticks = 0; ticks < 5_000 && !isSo(); ticks += 1) {
    harness.tick();
    harness.finish();
  }
  assert.ok(isSo());
}

describe('a deletion that could not be written to the connection', () => {
  it('is sent again under its own id until the network accepts it', () => {
    const harness = withDeletion();
    const connects = harness.connects.length;
    for (let times = 0; times < 3; times += 1) {
      tickUntil(harness, () => harness.unacked.has('D'));
      harness.unacked.delete('D');
    }
    harness.say({ type: 'acked', netId: 'D', at: harness.now });
    harness.finish();
    assert.deepEqual([harness.intents.size, harness.state.pendingActions.size, harness.connects.length], [0, 0, connects]);
  });

  it('fails after a day of attempts', () => {
    const harness = withDeletion();
    const { now } = harness;
    tickUntil(harness, () => harness.intents.size === 0);
    assert.ok(harness.now - now >= DAY - 60_000);
    assert.equal(harness.state.pendingActions.size, 0);
  });

  it('is sent on the next connection, and does not prevent the device from moving to another node', () => {
    const harness = withDeletion();
    harness.ask({ type: 'drain', must: false });
    harness.finish();
    assert.deepEqual([harness.asks.size, harness.state.connection.phase, [...harness.intents.keys()]], [0, 'down', ['D']]);
  });
});

describe('a device with two unsent deletions of the same message', () => {
  /** With both; their callers wait no more. */
  function withTwo(): DeviceHarness {
    const harness = withDeletion();
    askDeletion(harness, 'E');
    harness.finish();
    assert.ok(harness.unacked.delete('E'));
    tickUntil(harness, () => harness.asks.size === 0);
    return harness;
  }

  it('resends only the later one, and marks both as completed when the network accepts it', () => {
    const harness = withTwo();
    for (let times = 0; times < 2; times += 1) {
      tickUntil(harness, () => harness.unacked.has('E'));
      harness.unacked.delete('E');
      assert.ok(!harness.unacked.has('D'));
    }
    harness.say({ type: 'acked', netId: 'E', at: harness.now });
    harness.finish();
    assert.deepEqual([harness.intents.size, harness.state.pendingActions.size], [0, 0]);
    for (let ticks = 0; ticks < 10; ticks += 1) harness.tick();
    assert.deepEqual([...harness.unacked], []);
  });

  it('sends only the later one on the next connection', () => {
    const harness = withTwo();
    harness.say({ type: 'closed', code: 500 });
    tickUntil(harness, () => harness.connection !== null);
    harness.say({ type: 'opened', phone: DIGITS, name: null, about: null });
    harness.finish();
    assert.deepEqual([[...harness.unacked], [...harness.intents.keys()]], [['E'], ['D', 'E']]);
  });

  it('resends the earlier one if the network rejects the later one', () => {
    const harness = withTwo();
    harness.say({ type: 'refused', netId: 'E', reason: 'x' });
    harness.finish();
    tickUntil(harness, () => harness.unacked.has('D'));
  });
});

it('a device rejects another deletion while 1,000 deletions are unwritten', () => {
  const harness = online();
  for (let nth = 0; nth <= 1_000; nth += 1) askDeletion(harness, String(nth));
  assert.deepEqual([harness.asks.size, harness.last.map((effect) => effect.do)], [1_000, ['refuse']]);
});
