import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CLOSED } from '../../../../actors/network/port.ts';
import { CREDENTIALS, DIGITS, factsOf } from './device-fixture.ts';
import { DeviceHarness } from './device-harness.ts';

const LINKED = { credentials: CREDENTIALS, phone: DIGITS, wanted: true } as const;

/** The session events that the last step asked to store. */
const events = ({ last }: DeviceHarness) =>
  last.flatMap((effect) => (effect.do === 'save' && effect.sessionEvent ? [effect.sessionEvent] : []));

function online(status: 'connected' | 'disconnected'): DeviceHarness {
  const harness = new DeviceHarness(factsOf({ ...LINKED, status }));
  harness.finish();
  harness.say({ type: 'opened', phone: DIGITS, name: 'Toko', about: null });
  return harness;
}

it('a device that comes online saves its connected event and clears its alert in one step', () => {
  const harness = online('disconnected');
  assert.deepEqual(events(harness), [{ type: 'connected', at: harness.now, phone_number: DIGITS, wa_name: 'Toko' }]);
  harness.finish();
  assert.equal(harness.stored.alert_at, null);
});

it('a device that moved to this node while online emits no event when it reconnects', () => {
  assert.deepEqual(events(online('connected')), []);
});

it('a device that loses its connection emits one event with the close code, and an alert after 5 minutes', () => {
  const harness = online('connected');
  harness.say({ type: 'closed', code: CLOSED.failed });
  assert.deepEqual(events(harness), [
    { type: 'disconnected', at: harness.now, reason: 'status_500', cause: 'status_500', code: 500, until: null },
  ]);
  const lostAt = harness.now;
  harness.finish();
  assert.equal(harness.stored.alert_at, lostAt + 300_000);
  harness.tick();
  assert.deepEqual(events(harness), []);
});

it('a device reports code 440 when another computer replaces its login, and 1000 when it disconnects on request', () => {
  const taken = online('connected');
  taken.say({ type: 'closed', code: CLOSED.replaced });
  assert.deepEqual(
    events(taken).map((event) => event.type === 'disconnected' && event.reason),
    ['status_440'],
  );
  const wanted = online('connected');
  wanted.ask({ type: 'disconnect' });
  assert.deepEqual(
    events(wanted).map((event) => event.type === 'disconnected' && event.reason),
    ['status_1000'],
  );
});
