import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CREDENTIAL, CREDENTIALS, DIGITS, factsOf, OPTIONS } from './device-fixture.ts';
import { DeviceHarness } from './device-harness.ts';

describe('a device with a passkey request', () => {
  it('is linked immediately if the network does not require a code comparison', () => {
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

  it('still accepts a passkey after the network rejects one', () => {
    const harness = asked();
    harness.ask({ type: 'answerPasskey', credential: CREDENTIAL });
    harness.end(harness.ready.find(({ what }) => what === 'answerPasskey')!, 'badly');
    assert.deepEqual([harness.asks.size, harness.stored.pairing?.step], [0, 'passkey']);
    assert.equal(refusesAtOnce(harness), false);
  });

  it('rejects another passkey after the network has accepted one, and waits for the next step', () => {
    const harness = asked();
    harness.ask({ type: 'answerPasskey', credential: CREDENTIAL });
    harness.finish();
    assert.deepEqual([harness.asks.size, harness.stored.pairing?.step], [0, 'passkey']);
    assert.equal(pairingOf(harness).public_key, null);
    assert.equal(refusesAtOnce(harness), true);
    harness.say({ type: 'passkeyConfirm', code: 'ABCD-1234', expiresAt: harness.now + 60_000 });
    harness.finish();
    assert.equal(harness.stored.pairing?.step, 'passkey_confirm');
  });

  it("forwards all extensions except an authenticator's secrets", () => {
    const options = { ...OPTIONS, hints: ['hybrid'], extensions: { prf: { eval: { first: 'AA' } }, largeBlob: { read: true }, uvm: true } };
    const harness = asked(options);
    assert.deepEqual(JSON.parse(pairingOf(harness).public_key ?? ''), { ...options, extensions: { uvm: true } });
    const results = { prf: { results: { first: 'AA' } }, largeBlob: { blob: 'AA' }, uvm: [[2, 4, 2]] };
    harness.ask({ type: 'answerPasskey', credential: { ...CREDENTIAL, clientExtensionResults: results } });
    const [effect] = harness.last;
    assert.ok(effect?.do === 'answerPasskey');
    assert.deepEqual(effect.credential, { ...CREDENTIAL, clientExtensionResults: { uvm: [[2, 4, 2]] } });
  });

  it('drops the request when it expires on the network', () => {
    const harness = new DeviceHarness(factsOf());
    harness.ask({ type: 'connect' });
    harness.finish();
    const expiresAt = harness.now + 600_000;
    harness.say({ type: 'passkeyAsked', options: OPTIONS, expiresAt });
    harness.finish();
    harness.tick();
    harness.finish();
    assert.ok(harness.now >= expiresAt);
    assert.equal(harness.stored.pairing, null);
  });

  it('drops the request if the network shows QR codes again or disconnects', () => {
    const again = asked();
    again.say({ type: 'qr', qr: '2', expiresAt: again.now + 20_000 });
    again.finish();
    assert.deepEqual([again.stored.pairing, refusesAtOnce(again)], [{ step: 'qr' }, true]);

    const dropped = asked();
    dropped.say({ type: 'closed', code: 428 });
    dropped.finish();
    assert.deepEqual([dropped.stored.pairing, refusesAtOnce(dropped)], [null, true]);
  });

  it('ignores a request from an earlier connection', () => {
    const harness = new DeviceHarness(factsOf());
    harness.ask({ type: 'connect' });
    harness.finish();
    harness.say({ type: 'passkeyAsked', options: OPTIONS, expiresAt: harness.now + 60_000 }, 0);
    harness.finish();
    assert.deepEqual([harness.stored.pairing ?? null, refusesAtOnce(harness)], [null, true]);
  });
});

function asked(options = OPTIONS): DeviceHarness {
  const harness = new DeviceHarness(factsOf());
  harness.ask({ type: 'connect' });
  harness.finish();
  harness.say({ type: 'qr', qr: '1', expiresAt: harness.now + 60_000 });
  harness.say({ type: 'passkeyAsked', options, expiresAt: harness.now + 60_000 });
  harness.finish();
  return harness;
}

function pairingOf({ stored: { pairing } }: DeviceHarness) {
  assert.ok(pairing?.step === 'passkey');
  return pairing;
}

/** Nobody is bothered with it: the step is not on. */
function refusesAtOnce(harness: DeviceHarness): boolean {
  harness.ask({ type: 'answerPasskey', credential: CREDENTIAL });
  return !harness.last.some((effect) => effect.do === 'answerPasskey');
}
