import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeviceFacts } from '../../../../actors/device/behaviour/facts.ts';
import { CREDENTIALS, DIGITS, factsOf } from './device-fixture.ts';
import { DeviceHarness } from './device-harness.ts';

const HOUR = 3_600_000;
const LINKED = { credentials: CREDENTIALS, phone: DIGITS, wanted: true } as const;

/** A linked device whose login is under way. */
function loggingIn(facts: Partial<DeviceFacts> = {}): DeviceHarness {
  const harness = new DeviceHarness(factsOf({ ...LINKED, status: 'disconnected', ...facts }));
  harness.finish();
  return harness;
}

function linking(): DeviceHarness {
  const harness = new DeviceHarness(factsOf());
  harness.ask({ type: 'connect' });
  harness.finish();
  return harness;
}

const events = ({ last }: DeviceHarness) =>
  last.flatMap((effect) => (effect.do === 'save' && effect.sessionEvent ? [effect.sessionEvent] : []));

const shown = ({ stored }: DeviceHarness) => [stored.status, stored.reason, stored.reason_code, stored.reason_until, stored.wanted];

/** Lets time pass to the next try; gives how long that took. */
function nextTry(harness: DeviceHarness): number {
  const since = harness.now;
  const before = harness.connects.length;
  while (harness.connects.length === before) assert.ok(harness.tick(), 'it tries again');
  harness.finish();
  return harness.now - since;
}

describe('a linked device with a refused login', () => {
  it('is disconnected with a reason, keeps its login, reports the refusal once, and retries every hour', () => {
    for (const [code, reason] of [
      [405, 'client_outdated'],
      [409, 'network_refused'],
      [411, 'network_refused'],
    ] as const) {
      const harness = loggingIn();
      harness.say({ type: 'closed', code });
      const at = harness.now;
      assert.deepEqual(events(harness), [{ type: 'disconnected', at, reason: `status_${code}`, cause: reason, code, until: null }]);
      harness.finish();
      assert.deepEqual(shown(harness), ['disconnected', reason, code, null, undefined]);
      assert.deepEqual([harness.stored.reason_since, harness.state.facts.credentials], [at, CREDENTIALS]);
      assert.equal(harness.stored.alert_at, undefined, 'it was not online: no outage begins');
      for (let tries = 0; tries < 3; tries += 1) {
        const waited = nextTry(harness);
        assert.ok(waited >= 0.9 * HOUR && waited <= HOUR, `${waited}`);
        harness.say({ type: 'closed', code });
        assert.deepEqual(events(harness), [], 'the same reason is no news');
        harness.finish();
      }
      assert.equal(harness.stored.reason_since, at);
    }
  });

  it('reports an outage if it was online, and reports it again when the reason changes', () => {
    const harness = loggingIn();
    harness.say({ type: 'opened', phone: DIGITS, name: null, about: null });
    harness.finish();
    harness.say({ type: 'closed', code: 428 });
    harness.finish();
    const since = harness.stored.offline_since;
    nextTry(harness);
    harness.say({ type: 'closed', code: 405 });
    assert.deepEqual(
      events(harness).map((event) => event.type === 'disconnected' && [event.reason, event.cause]),
      [['status_405', 'client_outdated']],
    );
    harness.finish();
    assert.equal(harness.stored.offline_since, since, 'the outage began before');
    nextTry(harness);
    harness.say({ type: 'opened', phone: DIGITS, name: null, about: null });
    harness.finish();
    const { reason, reason_since, reason_code, retry_at } = harness.stored;
    assert.deepEqual([reason, reason_since, reason_code, retry_at], [null, null, null, null]);
  });

  it('reconnects at the time given by the network, not before', () => {
    const harness = loggingIn();
    const until = harness.now + 5 * HOUR;
    harness.say({ type: 'closed', code: 402, until });
    harness.finish();
    assert.deepEqual(shown(harness), ['disconnected', 'banned_temporarily', 402, until, undefined]);
    const waited = nextTry(harness);
    assert.ok(waited >= 5 * HOUR && waited <= 5 * HOUR + 1_000, `${waited}`);
  });

  it('keeps the time of its next login attempt when it moves to another node', () => {
    const { stored, now } = (() => {
      const harness = loggingIn();
      harness.say({ type: 'closed', code: 409 });
      harness.finish();
      return harness;
    })();
    const retryAt = stored.retry_at ?? assert.fail('no time for the next try was stored');
    const moved = loggingIn({ reason: 'network_refused', retryAt });
    assert.deepEqual([moved.connects, moved.state.connection.phase, moved.stored.status], [[], 'backingOff', 'disconnected']);
    assert.equal(nextTry(moved), retryAt - now);
  });

  it('must be linked again after 401 or 403, and reports that even if it was already offline', () => {
    for (const [code, reason] of [
      [401, 'logged_out'],
      [403, 'banned'],
    ] as const) {
      const harness = loggingIn();
      harness.say({ type: 'closed', code });
      assert.deepEqual(
        events(harness).map((event) => event.type === 'disconnected' && [event.reason, event.code]),
        [[reason, code]],
      );
      harness.finish();
      assert.deepEqual([harness.stored.status, harness.stored.reason, harness.stored.credentials], ['failed', reason, null]);
    }
  });

  it('retries soon if the network returns 500 or 503, or does not respond', () => {
    for (const code of [500, 503]) {
      const harness = loggingIn();
      harness.say({ type: 'closed', code });
      assert.deepEqual(events(harness), []);
      harness.finish();
      assert.deepEqual(shown(harness), ['disconnected', `status_${code}`, code, null, undefined]);
      assert.ok(nextTry(harness) <= 1_000);
    }
    const silent = loggingIn();
    silent.receive({ type: 'overdue', connectionId: silent.connection ?? 0, jitter: 0.5 });
    silent.finish();
    assert.deepEqual(shown(silent), ['disconnected', 'unreachable', null, null, undefined]);
  });
});

describe('a device whose linking is refused', () => {
  it('stays pending with the reason, reports it, and waits until the user retries', () => {
    for (const [code, reason] of [
      [405, 'client_outdated'],
      [409, 'network_refused'],
      [402, 'banned_temporarily'],
    ] as const) {
      const harness = linking();
      harness.say({ type: 'closed', code });
      assert.equal(events(harness).length, 1);
      harness.finish();
      assert.deepEqual(shown(harness), ['pending', reason, code, null, false]);
      assert.deepEqual([harness.state.connection.phase, harness.timers.has('retry')], ['down', false]);
      harness.ask({ type: 'connect' });
      harness.finish();
      assert.deepEqual(shown(harness), ['pending', null, null, null, true], 'asked again: nothing is known against it');
    }
  });

  it('shows why its connection closed, or no reason if the QR code was simply never scanned', () => {
    const ended = (code: number) => {
      const harness = linking();
      harness.say({ type: 'closed', code });
      assert.deepEqual(events(harness), []);
      harness.finish();
      return [harness.stored.status, harness.stored.reason];
    };
    assert.deepEqual(ended(503), ['pending', 'status_503']);
    assert.deepEqual(ended(0), ['pending', 'unreachable']);
    assert.deepEqual(ended(408), ['pending', null]);
  });
});
