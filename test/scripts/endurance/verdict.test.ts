import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Evidence } from '../../../scripts/endurance/evidence.ts';
import { seriesOf } from '../../../scripts/endurance/flatness.ts';
import type { Moment, NodeSample } from '../../../scripts/endurance/samples.ts';
import { judge, violationsIn } from '../../../scripts/endurance/verdict.ts';

const MINUTE = 60_000;

describe('the verdict on an endurance run', () => {
  it('is clean if callers, log, phones and webhooks agree and no resource grows', () => {
    assert.deepEqual(wrongIn(), []);
  });

  it('reports messages that a phone does not show, shows twice, or shows without a log entry', () => {
    assert.deepEqual(wrongIn({ shown: [] }), ['lost: 1', 'unlike: 1']);
    assert.deepEqual(wrongIn({ shown: ['out 1', 'out 1'] }), ['doubled: 1', 'unlike: 1']);
    const unknown = { rows: evidence().rows.filter(({ direction }) => direction === 'inbound'), told: told(['message.received m2']) };
    assert.deepEqual(wrongIn(unknown), ['unlike: 1']);
  });

  it('allows a send that got no response to arrive once or not at all, if the log agrees', () => {
    const sends = [...evidence().ledger.sends, { to: '1', body: 'out 9', isOnPeer: false, status: null }];
    assert.deepEqual(wrongIn({ ledger: { ...evidence().ledger, sends } }), []);
    assert.deepEqual(wrongIn({ ledger: { ...evidence().ledger, sends }, shown: ['out 1', 'out 9'] }), ['unlike: 1']);
  });

  it('reports incoming messages that are missing from the log or logged twice', () => {
    const written = ['in 1', 'in 2'];
    assert.deepEqual(wrongIn({ ledger: { ...evidence().ledger, written } }), ['inboundLost: 1']);
    const again = { _id: 'm3', direction: 'inbound' as const, body: 'in 1', status: 'delivered' };
    const rows = [...evidence().rows, again];
    assert.deepEqual(wrongIn({ rows, told: told(['message.sent m1', 'message.received m2', 'message.received m3']) }), [
      'inboundDoubled: 1',
    ]);
  });

  it('reports a lost webhook, a webhook without a message, and duplicate events', () => {
    assert.deepEqual(wrongIn({ told: told(['message.sent m1']) }), ['webhooksLost: 1']);
    assert.deepEqual(wrongIn({ told: told(['message.sent m1', 'message.received m2', 'message.sent m7']) }), ['webhooksStrange: 1']);
    const twice = told(['message.sent m1', 'message.received m2']);
    twice.get('message.sent m1')?.ids.add('another event');
    assert.deepEqual(wrongIn({ told: twice }), ['webhooksDoubled: 1']);
  });

  it('reports resources that still grow in the second half of the run', () => {
    const leaking = momentsOf((minute) => node({ timers: 20 + minute * 2 }));
    assert.deepEqual(wrongIn({}, leaking), ['timers of n1#1 grows']);
    const warming = momentsOf((minute) => node({ timers: minute < 10 ? 20 : 200 }));
    assert.deepEqual(wrongIn({}, warming), []);
  });

  it('judges each process separately, and requires at least one that ran long enough', () => {
    const renewed = momentsOf((minute) => node({ name: `n2#${Math.floor(minute / 10)}`, heap: minute * 1e8 }));
    assert.deepEqual(wrongIn({}, renewed), ['no node lived long enough to show a leak']);
  });
});

const wrongIn = (changes: Partial<Evidence> = {}, moments = momentsOf(() => node())): readonly string[] =>
  violationsIn(judge({ ...evidence(), ...changes }, seriesOf(moments)));

function evidence(): Evidence {
  return {
    ledger: { sends: [{ to: '1', body: 'out 1', isOnPeer: true, status: 202 }], written: ['in 1'], campaigns: [] },
    rows: [
      { _id: 'm1', direction: 'outbound', body: 'out 1', status: 'delivered' },
      { _id: 'm2', direction: 'inbound', body: 'in 1', status: 'delivered' },
    ],
    shown: ['out 1'],
    told: told(['message.sent m1', 'message.received m2']),
    violations: [],
    offline: 0,
    settledMs: 1_000,
    left: '',
  };
}

const told = (keys: readonly string[]) => new Map(keys.map((key) => [key, { ids: new Set([`event of ${key}`]), accepted: 1, tries: 1 }]));

const momentsOf = (nodeAt: (minute: number) => NodeSample): readonly Moment[] =>
  Array.from({ length: 30 }, (_, minute) => ({ at: minute * MINUTE, nodes: [nodeAt(minute)], redisKeys: 12, rows: {}, fileBytes: 0 }));

const node = (changes: Partial<NodeSample> = {}): NodeSample => ({
  name: 'n1#1',
  heap: 1e8,
  rss: 3e8,
  handles: 30,
  kinds: {},
  timers: 20,
  files: 50,
  lagP99: 12,
  cpuUs: 0,
  ...changes,
});
