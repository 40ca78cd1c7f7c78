import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CREDENTIAL, CREDENTIALS, DIGITS, factsOf, OPTIONS } from './device-fixture.ts';
import { DeviceHarness } from './device-harness.ts';

describe('a device that a passkey is asked of', () => {
  it('is linked at once where the network wants no code compared', () => {
    const harness = asked();
    harness.ask({ type: 'answerPasskey', credential: CREDENTIAL });
    harness.finish();
    assert.equal(harness.asks.size, 0);
    harness.say({ type: 'linked', phone: DIGITS, credentials: CREDENTIALS });
    harness.say({ type: 'passkeyAsked', options: OPTIONS, expiresAt: harness.now + 60_000 });
    harness.finish();
    assert.deepEqual([harness.stored.credentials, harness.stored.pairing], [CREDENTIALS, null]);
    assert.equal(refusesAtOnce(harness), true);
  });

  it('keeps the step when the network does not take the passkey', () => {
    const harness = asked();
    harness.ask({ type: 'answerPasskey', credential: CREDENTIAL });
    harness.end(harness.ready.find(({ what }) => what === 'answerPasskey')!, 'badly');
    assert.deepEqual([harness.asks.size, harness.stored.pairing?.step], [0, 'passkey']);
    assert.equal(refusesAtOnce(harness), false);
  });

  it('is asked for none any more by a network that shows codes again, or that drops the connection', () => {
    const again = asked();
    again.say({ type: 'qr', qr: '2', expiresAt: again.now + 20_000 });
    again.finish();
    assert.deepEqual([again.stored.pairing, refusesAtOnce(again)], [{ step: 'qr' }, true]);

    const dropped = asked();
    dropped.say({ type: 'closed', code: 428 });
    dropped.finish();
    assert.deepEqual([dropped.stored.pairing, refusesAtOnce(dropped)], [null, true]);
  });

  it('ignores one from a connection that is over', () => {
    const harness = new DeviceHarness(factsOf());
    harness.ask({ type: 'connect' });
    harness.finish();
    harness.say({ type: 'passkeyAsked', options: OPTIONS, expiresAt: harness.now + 60_000 }, 0);
    harness.finish();
    assert.deepEqual([harness.stored.pairing ?? null, refusesAtOnce(harness)], [null, true]);
  });
});

function asked(): DeviceHarness {
  const harness = new DeviceHarness(factsOf());
  harness.ask({ type: 'connect' });
  harness.finish();
  harness.say({ type: 'qr', qr: '1', expiresAt: harness.now + 60_000 });
  harness.say({ type: 'passkeyAsked', options: OPTIONS, expiresAt: harness.now + 60_000 });
  harness.finish();
  return harness;
}

/** Nobody is bothered with it: the step is not on. */
function refusesAtOnce(harness: DeviceHarness): boolean {
  harness.ask({ type: 'answerPasskey', credential: CREDENTIAL });
  return !harness.last.some((effect) => effect.do === 'answerPasskey');
}
