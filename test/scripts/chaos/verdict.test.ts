import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JournalEntry } from '../../../actors/network/sandbox/protocol.ts';
import type { Evidence } from '../../../scripts/chaos/evidence.ts';
import { judgeLogins } from '../../../scripts/chaos/logins.ts';
import { OWNED, staleInDevice, staleInMessage } from '../../../scripts/chaos/trail.ts';
import { judge, violations } from '../../../scripts/chaos/verdict.ts';

const ANNA = '6281210000001';
const NOTHING = { spans: [], excuses: [] };

describe('the verdict on a chaos run', () => {
  it('is clean if everything arrived exactly once', () => {
    assert.deepEqual(violations(judge(evidence())), []);
  });

  it('reports losses, duplicates and unfinished work', () => {
    const twice = [accepted(1), accepted(2)];
    assert.equal(judge(evidence({ journal: [] })).lost, 1);
    assert.equal(judge(evidence({ journal: twice })).doubled, 1);
    assert.equal(judge(evidence({ messages: [{ _id: 'm1', direction: 'outbound', body: null, status: 'sending' }] })).unsent, 1);
    assert.equal(violations(judge(evidence({ stranded: 2 })))[0], 'stranded: 2');
    assert.equal(judge(evidence({ devices: [{ _id: 'd1', status: 'disconnected' }] })).offline, 1);
    assert.deepEqual(violations(judge(evidence({ settledMs: null }))), ['the system never settled']);
  });

  it('allows a message whose outcome is unknown to arrive once or not at all', () => {
    const sends = [
      { to: ANNA, status: 202, id: 'm1' },
      { to: '6281210000002', status: null, id: null },
    ];
    assert.deepEqual(violations(judge(evidence({ ledger: { sends, written: [] } }))), []);
  });

  it('reports incoming messages that were stored twice or not at all', () => {
    const ledger = { sends: [{ to: ANNA, status: 202, id: 'm1' }], written: ['from 1'] };
    const inbound = (id: string) => ({ _id: id, direction: 'inbound' as const, body: 'from 1', status: 'delivered' });
    const sent = evidence().messages;
    assert.equal(judge(evidence({ ledger })).inboundLost, 1);
    assert.equal(judge(evidence({ ledger, messages: [...sent, inbound('i1')] })).inboundLost, 0);
    assert.equal(judge(evidence({ ledger, messages: [...sent, inbound('i1'), inbound('i2')] })).inboundDoubled, 1);
  });

  it('reports a write by an earlier owner that follows a write by the next owner', () => {
    assert.equal(staleInDevice([OWNED, 1, 1, OWNED, 2, 2]), 0);
    assert.equal(staleInDevice([OWNED, 1, OWNED, 1, 2]), 1);
    assert.equal(staleInMessage([1, 1, 3, 3]), 0);
    assert.equal(staleInMessage([1, 3, 1, 3]), 1);
  });
});

describe('the login check of a chaos run', () => {
  const evicted = [login(1_000, 'n1#1'), logout(5_000, 'n1#1', 440), login(5_000, 'n2#1')];

  it('reports a node that evicted a healthy node', () => {
    assert.deepEqual(pick(judgeLogins(evicted, NOTHING)), { evictions: 1, wrongEvictions: 1, longestQuarrel: 1 });
  });

  it('accepts the eviction of a node that was down, paused or unreachable', () => {
    for (const why of ['dead', 'stalled', 'unheard'] as const) {
      const excuses = [{ node: 'n1#1', why, from: 4_000, to: 4_800 }];
      assert.equal(judgeLogins(evicted, { spans: [], excuses }).wrongEvictions, 0);
    }
    const other = [{ node: 'n2#1', why: 'stalled' as const, from: 4_000, to: 6_000 }];
    assert.equal(judgeLogins(evicted, { spans: [], excuses: other }).wrongEvictions, 1);
  });

  it('accepts a node that evicts itself', () => {
    const again = [login(1_000, 'n1#1'), logout(5_000, 'n1#1', 440), login(5_000, 'n1#1')];
    assert.equal(judgeLogins(again, NOTHING).evictions, 0);
  });

  it('reports two nodes that repeatedly replace each other', () => {
    const quarrel = [
      ...evicted,
      ...[logout(6_000, 'n2#1', 440), login(6_000, 'n1#1')],
      ...[logout(7_000, 'n1#1', 440), login(7_000, 'n2#1')],
    ];
    assert.equal(judgeLogins(quarrel, NOTHING).longestQuarrel, 3);
    const before = [{ node: 'n2#1', why: 'stalled' as const, from: 4_900, to: 5_500 }];
    assert.equal(judgeLogins(quarrel, { spans: [], excuses: before }).longestQuarrel, 3);
    const since = [{ node: 'n2#1', why: 'stalled' as const, from: 5_500, to: 6_500 }];
    assert.equal(judgeLogins(quarrel, { spans: [], excuses: since }).longestQuarrel, 2, 'a fault of its own');
  });

  it('measures how long two running nodes held a connection at the same time', () => {
    const spans = [
      { device: 'd1', node: 'n1#1', from: 0, to: 9_000 },
      { device: 'd1', node: 'n2#1', from: 5_000, to: 20_000 },
    ];
    assert.equal(judgeLogins([], { spans, excuses: [] }).overlapMs, 4_000);
    const excuses = [{ node: 'n1#1', why: 'stalled' as const, from: 1_000, to: 8_950 }];
    assert.equal(judgeLogins([], { spans, excuses }).overlapMs, 50);
  });
});

function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    ledger: { sends: [{ to: ANNA, status: 202, id: 'm1' }], written: [] },
    journal: [accepted(1)],
    messages: [{ _id: 'm1', direction: 'outbound', body: null, status: 'sent' }],
    devices: [{ _id: 'd1', status: 'connected' }],
    timeline: NOTHING,
    stranded: 0,
    settledMs: 0,
    ...changes,
  };
}

function entry(at: number, about: Omit<JournalEntry, 'seq' | 'at' | 'phone'>): JournalEntry {
  return { seq: at, at, phone: '628130001', ...about };
}
const accepted = (at: number): JournalEntry => entry(at, { what: 'accepted', to: `${ANNA}@s.whatsapp.net` });
function login(at: number, node: string): JournalEntry {
  return entry(at, { what: 'login', deviceId: `d1 ${node}` });
}
function logout(at: number, node: string, code: number): JournalEntry {
  return entry(at, { what: 'logout', deviceId: `d1 ${node}`, code });
}
const pick = ({ evictions, wrongEvictions, longestQuarrel }: ReturnType<typeof judgeLogins>) => ({
  evictions,
  wrongEvictions,
  longestQuarrel,
});
