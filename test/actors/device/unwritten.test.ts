import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rowOf } from '../../support/rows.ts';
import { CREDENTIALS, DIGITS, factsOf } from './behaviour/device-fixture.ts';
import { DeviceHarness } from './behaviour/device-harness.ts';

/** Online, with one message on the wire. */
function withMail(): DeviceHarness {
  const harness = new DeviceHarness(factsOf({ credentials: CREDENTIALS, phone: DIGITS, wanted: true, status: 'connected' }));
  harness.finish();
  harness.say({ type: 'opened', phone: DIGITS, name: null, about: null });
  harness.finish();
  harness.rows.set('A', rowOf('A', harness.now));
  harness.receive({ type: 'workArrived' });
  harness.finish();
  assert.ok(harness.unacked.has('A'));
  return harness;
}

describe('a message that the connection could not write', () => {
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

  it('is sent when it was written after all', () => {
    const harness = withMail();
    harness.say({ type: 'unwritten', netId: 'A' });
    harness.say({ type: 'acked', netId: 'A', at: harness.now });
    assert.ok(harness.last.some((effect) => effect.do === 'markSent'));
    assert.equal(harness.state.sending.unwritten.size, 0);
  });
});
