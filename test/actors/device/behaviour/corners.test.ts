import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { safeText } from '../../../../runtime/safe-text.ts';
import { rowOf } from '../../../support/rows.ts';
import { CREDENTIALS, DIGITS, factsOf } from './device-fixture.ts';
import { DeviceHarness } from './device-harness.ts';

const LINKED = factsOf({ credentials: CREDENTIALS, phone: DIGITS, wanted: true, status: 'connected' });
const HOUR = 3_600_000;

describe('a device that is asked to move to another node', () => {
  it('stays connected while the network delays acks', () => {
    const harness = withMail();
    harness.ask({ type: 'drain', must: false });
    harness.rows.set('C', rowOf('C', harness.now));
    harness.receive({ type: 'workArrived' });
    tickUntil(harness, () => harness.asks.size === 0);
    harness.finish();
    assert.equal(harness.state.connection.phase, 'online');
    assert.ok(harness.unacked.has('C'));
  });

  it('reconnects if no other node takes over', () => {
    const harness = online();
    harness.ask({ type: 'drain', must: false });
    harness.finish();
    assert.deepEqual([harness.state.connection.phase, harness.stored.status, harness.stored.node], ['down', 'connected', null]);
    tickUntil(harness, () => harness.state.connection.phase !== 'down');
    harness.finish();
    assert.equal(harness.state.connection.phase, 'connecting');
  });
});

it('a device that is going offline does not claim a message that is still being stored', () => {
  const harness = online();
  harness.receive({ type: 'workArrived' });
  harness.finish();
  harness.ask({ type: 'drain', must: false });
  harness.receive({ type: 'workArrived', ahead: rowOf('A', harness.now) });
  assert.ok(harness.inFlight.every(({ what }) => what !== 'claim'));
});

describe('a device that has claimed all waiting messages', () => {
  /** The rows of its claim were read; what arrives until it learns of them is not among them. */
  function claiming(harness: DeviceHarness, meanwhile: () => void): readonly string[] {
    harness.receive({ type: 'workArrived' });
    const claim = harness.inFlight.findIndex(({ what }) => what === 'claim');
    harness.inFlight.splice(claim, 1);
    meanwhile();
    const rows = [rowOf('A', harness.now)];
    harness.receive({ type: 'claimed', connectionId: harness.connection ?? 0, rows, pauseMs: 0, areAll: true });
    return harness.inFlight.map(({ what }) => what).filter((what) => what === 'claim');
  }

  it('does not look for more messages', () =>
    assert.deepEqual(
      claiming(online(), () => {}),
      [],
    ));

  it('looks for more messages if some arrive during the claim', () => {
    const harness = online();
    assert.deepEqual(
      claiming(harness, () => harness.receive({ type: 'workArrived' })),
      ['claim'],
    );
  });
});

describe('a device disconnected by the network', () => {
  it('reconnects almost immediately after the first 515 close, and with doubling delays after repeated ones', () => {
    const harness = new DeviceHarness(LINKED);
    harness.finish();
    const pauses: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      harness.say({ type: 'closed', code: 515 });
      const before = harness.now;
      harness.tick();
      pauses.push(harness.now - before);
      harness.finish();
    }
    assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000]);
  });

  it('sends nothing on a connection that was replaced by another login (440)', () => {
    const harness = online();
    harness.say({ type: 'closed', code: 440 });
    harness.ask({ type: 'deliver', message: { netId: 'O', to: '1@s.whatsapp.net', content: { type: 'text', body: '' }, quotes: null } });
    assert.deepEqual([harness.asks.size, harness.strays.size], [0, 0]);
  });

  it('stays offline if the user asked it to disconnect in the meantime', () => {
    const harness = online();
    harness.say({ type: 'closed', code: 440 });
    harness.ask({ type: 'disconnect' });
    harness.finish();
    assert.equal(harness.tick(), false);
    assert.deepEqual([harness.state.connection.phase, harness.stored.status], ['down', 'disconnected']);
  });

  it('does not store credentials that arrive after their login has ended', () => {
    const harness = online();
    harness.say({ type: 'closed', code: 401 });
    harness.say({ type: 'credentials', credentials: { login: 2 } }, harness.connects.at(-1));
    harness.finish();
    assert.equal(harness.state.facts.credentials, null);
    assert.deepEqual([harness.stored.status, harness.stored.credentials], ['failed', null]);
  });

  it('reconnects immediately on request, but keeps doubling the delays between its own attempts', () => {
    const harness = online();
    harness.say({ type: 'closed', code: 428 });
    for (let round = 0; round < 4; round += 1) {
      harness.ask({ type: 'connect' });
      harness.finish();
      harness.say({ type: 'closed', code: 503 });
    }
    const before = harness.now;
    harness.tick();
    assert.equal(harness.now - before, 8_000);
  });
});

describe('a device being linked', () => {
  it('is never reported as disconnected, because it was never connected', () => {
    const harness = linking();
    const [save] = harness.ready;
    assert.equal(save, undefined);
    harness.say({ type: 'qr', qr: '1', expiresAt: harness.now + 20_000 });
    harness.end(harness.ready[0]!, 'badly');
    harness.finish();
    assert.deepEqual([harness.stored.status, harness.stored.qr], ['pending', null]);
  });

  it('gets the pairing code that was requested before the first QR code, and keeps it when the next QR code arrives', () => {
    const harness = linking();
    harness.ask({ type: 'pairByCode', digits: DIGITS });
    harness.finish();
    assert.equal(harness.asks.size, 1);
    for (const qr of ['1', '2']) {
      harness.say({ type: 'qr', qr, expiresAt: harness.now + 20_000 });
      harness.finish();
      assert.deepEqual(harness.stored.pairing, { step: 'code' });
    }
    assert.equal(harness.asks.size, 0);
  });

  it('reconnects as soon as the login is stored if the network disconnected it earlier (515)', () => {
    const harness = linking();
    harness.say({ type: 'qr', qr: '1', expiresAt: harness.now + 20_000 });
    harness.finish();
    harness.say({ type: 'linked', phone: DIGITS, credentials: CREDENTIALS });
    harness.say({ type: 'closed', code: 515 });
    assert.deepEqual([harness.connects, harness.stored.credentials], [[1], undefined]);
    harness.finish();
    assert.deepEqual([harness.connects, harness.stored.credentials], [[1, 2], CREDENTIALS]);
    assert.equal(harness.state.connection.phase, 'connecting');
  });

  it('connects through the configured proxy', () => {
    const harness = new DeviceHarness(factsOf({ proxyUrl: 'http://a' }));
    const { ignore, pacing, habits, history } = harness.state.facts;
    harness.receive({ type: 'settings', settings: { ignore, pacing, habits, history, proxyUrl: 'http://b', isOfficial: false } });
    harness.ask({ type: 'connect' });
    assert.deepEqual(
      harness.last.flatMap((effect) => (effect.do === 'connect' ? effect.proxyUrl : [])),
      ['http://b'],
    );
  });
});

describe('a device with an unusable proxy', () => {
  it('reports the error, and retries only if it is linked', () => {
    const fresh = linking();
    fresh.say({ type: 'closed', code: 502 });
    fresh.finish();
    assert.deepEqual([fresh.state.connection.phase, fresh.stored.status, fresh.stored.reason], ['failed', 'failed', 'status_502']);
    fresh.ask({ type: 'connect' });
    fresh.finish();
    assert.equal(fresh.state.connection.phase, 'linking');
    const linked = online();
    linked.say({ type: 'closed', code: 502 });
    linked.finish();
    assert.deepEqual(
      [linked.state.connection.phase, linked.stored.status, linked.stored.reason],
      ['backingOff', 'disconnected', 'status_502'],
    );
  });
});

describe('a device with unreadable credentials', () => {
  it('fails, keeps its credentials, and connects with them when the user reconnects', () => {
    const harness = online();
    harness.say({ type: 'closed', code: 423 });
    harness.finish();
    const { status, reason, wanted } = harness.stored;
    assert.deepEqual([status, reason, wanted], ['failed', 'status_423', false]);
    assert.deepEqual(harness.state.facts.credentials, CREDENTIALS);
    harness.ask({ type: 'connect' });
    harness.finish();
    assert.equal(harness.state.connection.phase, 'connecting');
  });
});

it('a device drops a pending reaction that was requested before the device was linked', () => {
  for (const [linkedHoursAgo, isDone] of [
    [2, true],
    [0.5, false],
  ] as const) {
    const harness = new DeviceHarness({ ...LINKED, linkedAt: Date.UTC(2026, 0, 1) - linkedHoursAgo * HOUR });
    const target = { message_id: 'm', chat_id: 'c', target: 'm', from: null };
    const own = { tenant_id: 't', session_id: 's', epoch: 0, created_at: harness.now - HOUR };
    harness.intents.set('R', { _id: 'R', kind: 'react', value: safeText('👍'), net_id: 'R', ...target, ...own });
    open(harness);
    assert.equal(harness.intents.has('R'), isDone);
  }
});

describe('a message whose outcome is unknown', () => {
  const claimed = (hoursAgo: number, harness: DeviceHarness) =>
    ({ ...rowOf('A', harness.now - 30 * HOUR), status: 'sending', attempts: 1, claimed_at: harness.now - hoursAgo * HOUR }) as const;

  it('is retried despite frequent disconnects, and fails after many attempts over an hour', () => {
    for (const [hoursAgo, isSent] of [
      [0.5, true],
      [2, false],
    ] as const) {
      const harness = new DeviceHarness(LINKED);
      harness.rows.set('A', { ...claimed(hoursAgo, harness), attempts: 20 });
      open(harness);
      assert.equal(harness.unacked.has('A'), isSent);
    }
  });

  it('is retried no matter how long it waited before the first attempt', () => {
    const harness = new DeviceHarness(LINKED);
    harness.rows.set('A', claimed(1, harness));
    open(harness);
    assert.ok(harness.unacked.has('A'));
  });

  it('fails one day after the first attempt', () => {
    const harness = new DeviceHarness(LINKED);
    harness.rows.set('A', claimed(25, harness));
    open(harness);
    assert.deepEqual([harness.unacked.size, harness.rows.get('A')?.status], [0, 'failed']);
  });
});

function tickUntil(harness: DeviceHarness, isSo: () => boolean): void {
  for (let ticks = 0; ticks < 100 && !isSo(); ticks += 1) harness.tick();
  assert.ok(isSo());
}

function open(harness: DeviceHarness): DeviceHarness {
  harness.finish();
  harness.say({ type: 'opened', phone: DIGITS, name: null, about: null });
  harness.finish();
  return harness;
}

describe('status updates', () => {
  const story = { netId: 'I', chat: 'status@broadcast', from: '1@s.whatsapp.net', fromName: null } as const;
  const content = { type: 'text', body: 'My day' } as const;

  it('are never stored as messages, whether a contact or the owner posts them', () => {
    const harness = online();
    for (const type of ['received', 'wrote'] as const) {
      harness.say({ type, message: { ...story, content, quotes: null, at: harness.now } });
      assert.deepEqual(harness.last, [{ do: 'acknowledge', token: 'I' }]);
    }
  });

  it('are acknowledged but otherwise ignored when they are deleted', () => {
    const harness = online();
    harness.say({ type: 'deleted', token: 'T', ...story, target: 'X', at: harness.now });
    assert.deepEqual(harness.last, [{ do: 'acknowledge', token: 'T' }]);
    harness.say({ type: 'received', message: { ...story, chat: '1@s.whatsapp.net', content, quotes: null, at: harness.now } });
    assert.deepEqual(
      harness.last.map((effect) => effect.do),
      ['storeInbound'],
    );
  });
});

const online = (): DeviceHarness => open(new DeviceHarness(LINKED));

function linking(): DeviceHarness {
  const harness = new DeviceHarness(factsOf());
  harness.ask({ type: 'connect' });
  harness.finish();
  return harness;
}

function withMail(): DeviceHarness {
  const harness = online();
  harness.rows.set('A', rowOf('A', harness.now));
  harness.receive({ type: 'workArrived' });
  harness.finish();
  return harness;
}
