import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JournalEntry } from '../../../actors/network/sandbox/protocol.ts';
import type { Send } from '../../../scripts/faults/rounds.ts';
import { isClean, judge, type Line, type Logged } from '../../../scripts/faults/verdict.ts';

const OWN = '6281100000001';
const BODY = 'from 1';

const anna: Send = { point: 'after-send', to: '6281210000001', status: 202, id: 'm1' };
const unanswered: Send = { ...anna, status: null, id: null };
const jid = (digits: string): string => `${digits}@s.whatsapp.net`;

function entry(what: JournalEntry['what'], phone = OWN): JournalEntry {
  return { seq: 1, at: 0, what, phone, netId: 'n1', to: jid(anna.to) };
}

function sentTo(status: string, id = 'm1'): Logged {
  return { id, direction: 'outbound', chat_id: jid(anna.to), body: 'x', status };
}

const inbound: Logged = { id: 'i1', direction: 'inbound', chat_id: jid('6281211110001'), body: BODY, status: 'delivered' };

/** The verdict on one request and one message that a phone wrote. */
function verdict(send: Send, journal: readonly JournalEntry[], log: readonly Logged[]): Line {
  const ledger = { sends: [send], written: [{ point: 'after-send', body: BODY } as const], kills: new Map([['after-send', 1] as const]) };
  return judge({ ledger, own: OWN, journal, log })[0]!;
}

describe('the verdict on a crash run', () => {
  it('is clean if the network, the log and the store each contain every message exactly once', () => {
    const line = verdict(anna, [entry('accepted'), entry('duplicate'), entry('delivered', anna.to)], [sentTo('delivered'), inbound]);
    assert.ok(isClean(line));
    assert.equal(line.absorbed, 1);
  });

  it('counts an accepted message that never reached the network as lost', () => {
    assert.equal(verdict(anna, [], [sentTo('queued'), inbound]).lost, 1);
    assert.equal(verdict(anna, [entry('accepted', '6281100000002')], [sentTo('queued'), inbound]).lost, 1);
  });

  it('allows a request that got no response to be sent once or not at all', () => {
    assert.deepEqual(pick(verdict(unanswered, [], [inbound])), { lost: 0, doubled: 0, wrong: 0 });
    assert.deepEqual(pick(verdict(unanswered, [entry('accepted')], [sentTo('sent'), inbound])), { lost: 0, doubled: 0, wrong: 0 });
    const twice = [entry('accepted'), { ...entry('accepted'), netId: 'n2' }];
    assert.deepEqual(pick(verdict(unanswered, twice, [sentTo('sent'), inbound])), { lost: 0, doubled: 1, wrong: 0 });
  });

  it("reports a log that differs from the caller's responses or the network's journal", () => {
    const accepted = [entry('accepted')];
    const wrong = [
      verdict(anna, accepted, []),
      verdict(anna, accepted, [sentTo('queued')]),
      verdict(anna, accepted, [sentTo('failed')]),
      verdict(anna, accepted, [sentTo('read')]),
      verdict(anna, accepted, [sentTo('sent', 'm2')]),
      verdict(anna, accepted, [sentTo('sent'), sentTo('sent', 'm2')]),
      verdict(anna, [], [sentTo('sent')]),
      verdict(unanswered, accepted, []),
      verdict({ ...unanswered, status: 503 }, accepted, [sentTo('sent')]),
    ];
    assert.deepEqual(
      wrong.map((line) => line.wrong),
      wrong.map(() => 1),
    );
  });

  it('reports incoming messages that are missing from the log or logged twice', () => {
    const accepted = [entry('accepted')];
    assert.equal(verdict(anna, accepted, [sentTo('sent')]).inboundLost, 1);
    assert.equal(verdict(anna, accepted, [sentTo('sent'), inbound, { ...inbound, id: 'i2' }]).inboundDoubled, 1);
  });
});

const pick = ({ lost, doubled, wrong }: Line) => ({ lost, doubled, wrong });
