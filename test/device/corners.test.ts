import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CREDENTIALS, DIGITS, factsOf } from './facts.ts';
import { Puppet } from './puppet.ts';
import { rowOf } from './rows.ts';

const LINKED = factsOf({ credentials: CREDENTIALS, phone: DIGITS, wanted: true, status: 'connected' });
const HOUR = 3_600_000;

describe('a device that is asked to rest for its next owner', () => {
  it('stays and goes on when the network keeps its acks back', () => {
    const puppet = withMail();
    puppet.ask({ type: 'drain', must: false });
    puppet.rows.set('C', rowOf('C', puppet.now));
    puppet.hear({ type: 'workArrived' });
    tickUntil(puppet, () => puppet.asks.size === 0);
    puppet.finish();
    assert.equal(puppet.state.line.phase, 'online');
    assert.ok(puppet.unacked.has('C'));
  });

  it('comes back by itself when nobody ends it', () => {
    const puppet = online();
    puppet.ask({ type: 'drain', must: false });
    puppet.finish();
    assert.deepEqual([puppet.state.line.phase, puppet.stored.status, puppet.stored.node], ['down', 'connected', null]);
    tickUntil(puppet, () => puppet.state.line.phase !== 'down');
    puppet.finish();
    assert.equal(puppet.state.line.phase, 'connecting');
  });
});

describe('a device that the network sends away', () => {
  it('comes again at once after linking, but not in circles (515)', () => {
    const puppet = new Puppet(LINKED);
    puppet.finish();
    const pauses: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      puppet.say({ type: 'closed', code: 515 });
      const before = puppet.now;
      puppet.tick();
      pauses.push(puppet.now - before);
      puppet.finish();
    }
    assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000]);
  });

  it('sends nothing on a line that another login took over (440)', () => {
    const puppet = online();
    puppet.say({ type: 'closed', code: 440 });
    puppet.ask({ type: 'deliver', message: { netId: 'O', to: '1@s.whatsapp.net', content: { type: 'text', body: '' }, quotes: null } });
    assert.deepEqual([puppet.asks.size, puppet.strays.size], [0, 0]);
  });

  it('does not come back after its user took it offline meanwhile', () => {
    const puppet = online();
    puppet.say({ type: 'closed', code: 440 });
    puppet.ask({ type: 'disconnect' });
    puppet.finish();
    assert.equal(puppet.tick(), false);
    assert.deepEqual([puppet.state.line.phase, puppet.stored.status], ['down', 'disconnected']);
  });

  it('keeps no secrets of a login that is over', () => {
    const puppet = online();
    puppet.say({ type: 'closed', code: 401 });
    puppet.say({ type: 'credentials', credentials: { login: 2 } }, puppet.dials.at(-1));
    puppet.finish();
    assert.equal(puppet.state.facts.credentials, null);
    assert.deepEqual([puppet.stored.status, puppet.stored.credentials], ['failed', null]);
  });

  it('tries at once when its user asks, but asking often does not make it try often', () => {
    const puppet = online();
    puppet.say({ type: 'closed', code: 428 });
    for (let round = 0; round < 4; round += 1) {
      puppet.ask({ type: 'connect' });
      puppet.finish();
      puppet.say({ type: 'closed', code: 503 });
    }
    const before = puppet.now;
    puppet.tick();
    assert.equal(puppet.now - before, 8_000);
  });
});

describe('a device that is being linked', () => {
  it('was never connected, so it is never disconnected', () => {
    const puppet = linking();
    const [save] = puppet.ready;
    assert.equal(save, undefined);
    puppet.say({ type: 'qr', qr: '1', expiresAt: puppet.now + 20_000 });
    puppet.end(puppet.ready[0]!, 'badly');
    puppet.finish();
    assert.deepEqual([puppet.stored.status, puppet.stored.qr], ['pending', null]);
  });

  it('gives a code to type to who asks before the first QR, and the next QR does not hide that', () => {
    const puppet = linking();
    puppet.ask({ type: 'pairByCode', digits: DIGITS });
    puppet.finish();
    assert.equal(puppet.asks.size, 1);
    for (const qr of ['1', '2']) {
      puppet.say({ type: 'qr', qr, expiresAt: puppet.now + 20_000 });
      puppet.finish();
      assert.deepEqual(puppet.stored.pairing, { step: 'code' });
    }
    assert.equal(puppet.asks.size, 0);
  });

  it('comes again the moment its login is stored, when the network sent it away before (515)', () => {
    const puppet = linking();
    puppet.say({ type: 'qr', qr: '1', expiresAt: puppet.now + 20_000 });
    puppet.finish();
    puppet.say({ type: 'linked', phone: DIGITS, credentials: CREDENTIALS });
    puppet.say({ type: 'closed', code: 515 });
    assert.deepEqual([puppet.dials, puppet.stored.credentials], [[1], undefined]);
    puppet.finish();
    assert.deepEqual([puppet.dials, puppet.stored.credentials], [[1, 2], CREDENTIALS]);
    assert.equal(puppet.state.line.phase, 'connecting');
  });

  it('dials through the proxy of its settings', () => {
    const puppet = new Puppet(factsOf({ proxyUrl: 'http://a' }));
    puppet.hear({ type: 'adjust', ignore: puppet.state.facts.ignore, proxyUrl: 'http://b' });
    puppet.ask({ type: 'connect' });
    assert.deepEqual(
      puppet.last.flatMap((effect) => (effect.do === 'dial' ? effect.proxyUrl : [])),
      ['http://b'],
    );
  });
});

describe('a device whose proxy cannot be used', () => {
  it('says so and rests while it is not linked; once it is, it tries again', () => {
    const fresh = linking();
    fresh.say({ type: 'closed', code: 502 });
    fresh.finish();
    assert.deepEqual([fresh.state.line.phase, fresh.stored.status, fresh.stored.reason], ['failed', 'failed', 'status_502']);
    fresh.ask({ type: 'connect' });
    fresh.finish();
    assert.equal(fresh.state.line.phase, 'linking');
    const linked = online();
    linked.say({ type: 'closed', code: 502 });
    linked.finish();
    assert.deepEqual([linked.state.line.phase, linked.stored.status, linked.stored.reason], ['backingOff', 'disconnected', 'status_502']);
  });
});

describe('a device whose login cannot be read', () => {
  it('has failed, keeps the login that it has, and is connected with it once that is readable', () => {
    const puppet = online();
    puppet.say({ type: 'closed', code: 423 });
    puppet.finish();
    const { status, reason, wanted } = puppet.stored;
    assert.deepEqual([status, reason, wanted], ['failed', 'status_423', false]);
    assert.deepEqual(puppet.state.facts.credentials, CREDENTIALS);
    puppet.ask({ type: 'connect' });
    puppet.finish();
    assert.equal(puppet.state.line.phase, 'connecting');
  });
});

describe('a message of unknown outcome', () => {
  const claimed = (hoursAgo: number, puppet: Puppet) =>
    ({ ...rowOf('A', puppet.now - 30 * HOUR), status: 'sending', attempts: 1, claimed_at: puppet.now - hoursAgo * HOUR }) as const;

  it('is sent again however often its line drops within a short time, and given up after many tries over an hour', () => {
    for (const [hoursAgo, isSent] of [
      [0.5, true],
      [2, false],
    ] as const) {
      const puppet = new Puppet(LINKED);
      puppet.rows.set('A', { ...claimed(hoursAgo, puppet), attempts: 20 });
      open(puppet);
      assert.equal(puppet.unacked.has('A'), isSent);
    }
  });

  it('is sent again, however long it had waited before its first try', () => {
    const puppet = new Puppet(LINKED);
    puppet.rows.set('A', claimed(1, puppet));
    open(puppet);
    assert.ok(puppet.unacked.has('A'));
  });

  it('is given up a day after its first try', () => {
    const puppet = new Puppet(LINKED);
    puppet.rows.set('A', claimed(25, puppet));
    open(puppet);
    assert.deepEqual([puppet.unacked.size, puppet.rows.get('A')?.status], [0, 'failed']);
  });
});

function tickUntil(puppet: Puppet, isSo: () => boolean): void {
  for (let ticks = 0; ticks < 100 && !isSo(); ticks += 1) puppet.tick();
  assert.ok(isSo());
}

function open(puppet: Puppet): Puppet {
  puppet.finish();
  puppet.say({ type: 'opened', phone: DIGITS, name: null, about: null });
  puppet.finish();
  return puppet;
}

const online = (): Puppet => open(new Puppet(LINKED));

function linking(): Puppet {
  const puppet = new Puppet(factsOf());
  puppet.ask({ type: 'connect' });
  puppet.finish();
  return puppet;
}

function withMail(): Puppet {
  const puppet = online();
  puppet.rows.set('A', rowOf('A', puppet.now));
  puppet.hear({ type: 'workArrived' });
  puppet.finish();
  return puppet;
}
