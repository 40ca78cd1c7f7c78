import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CREDENTIAL, CREDENTIALS, DIGITS, factsOf, OPTIONS } from './facts.ts';
import { Puppet } from './puppet.ts';

describe('a device that a passkey is asked of', () => {
  it('is linked at once where the network wants no code compared', () => {
    const puppet = asked();
    puppet.ask({ type: 'answerPasskey', credential: CREDENTIAL });
    puppet.finish();
    assert.equal(puppet.asks.size, 0);
    puppet.say({ type: 'linked', phone: DIGITS, credentials: CREDENTIALS });
    puppet.say({ type: 'passkeyAsked', options: OPTIONS, expiresAt: puppet.now + 60_000 });
    puppet.finish();
    assert.deepEqual([puppet.stored.credentials, puppet.stored.pairing], [CREDENTIALS, null]);
    assert.equal(refusesAtOnce(puppet), true);
  });

  it('keeps the step when the network does not take the passkey', () => {
    const puppet = asked();
    puppet.ask({ type: 'answerPasskey', credential: CREDENTIAL });
    puppet.end(puppet.ready.find(({ what }) => what === 'answerPasskey')!, 'badly');
    assert.deepEqual([puppet.asks.size, puppet.stored.pairing?.step], [0, 'passkey']);
    assert.equal(refusesAtOnce(puppet), false);
  });

  it('is asked for none any more by a network that shows codes again, or that drops the line', () => {
    const again = asked();
    again.say({ type: 'qr', qr: '2', expiresAt: again.now + 20_000 });
    again.finish();
    assert.deepEqual([again.stored.pairing, refusesAtOnce(again)], [{ step: 'qr' }, true]);

    const dropped = asked();
    dropped.say({ type: 'closed', code: 428 });
    dropped.finish();
    assert.deepEqual([dropped.stored.pairing, refusesAtOnce(dropped)], [null, true]);
  });

  it('does not hear of one from a line that is over', () => {
    const puppet = new Puppet(factsOf());
    puppet.ask({ type: 'connect' });
    puppet.finish();
    puppet.say({ type: 'passkeyAsked', options: OPTIONS, expiresAt: puppet.now + 60_000 }, 0);
    puppet.finish();
    assert.deepEqual([puppet.stored.pairing ?? null, refusesAtOnce(puppet)], [null, true]);
  });
});

function asked(): Puppet {
  const puppet = new Puppet(factsOf());
  puppet.ask({ type: 'connect' });
  puppet.finish();
  puppet.say({ type: 'qr', qr: '1', expiresAt: puppet.now + 60_000 });
  puppet.say({ type: 'passkeyAsked', options: OPTIONS, expiresAt: puppet.now + 60_000 });
  puppet.finish();
  return puppet;
}

/** Nobody is bothered with it: the step is not on. */
function refusesAtOnce(puppet: Puppet): boolean {
  puppet.ask({ type: 'answerPasskey', credential: CREDENTIAL });
  return !puppet.last.some((effect) => effect.do === 'answerPasskey');
}
