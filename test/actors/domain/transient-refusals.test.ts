import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backoffAfter, type TransientCode, transientCodeOf } from '../../../actors/domain/transient-refusals.ts';
import type { Backoff } from '../../../store/messaging/message-row.ts';

const NOW = 1_000_000;
const MINUTE = 60_000;
const PERSON = '6281@s.whatsapp.net';
const GROUP = '1203@g.us';

type Refusing = Partial<{ code: TransientCode; backoffMs: number; chat_id: string; expires_at: number; backoff: Backoff; at: number }>;

function after({ code = 503, backoffMs = 0, chat_id = PERSON, at = NOW, expires_at, backoff }: Refusing = {}): Backoff | null {
  return backoffAfter({ chat_id, ...(expires_at !== undefined && { expires_at }), ...(backoff && { backoff }) }, { code, backoffMs }, at);
}

/** The pauses of a message that is refused each time. */
function pauses(refusing: Refusing): number[] {
  const found: number[] = [];
  let at = NOW;
  for (let backoff = after({ ...refusing, at }); backoff; backoff = after({ ...refusing, backoff, at })) {
    found.push(backoff.until - at);
    at = backoff.until;
  }
  return found;
}

describe('a temporarily refused message', () => {
  it('is recognized by the refusal code', () => {
    assert.deepEqual(
      ['refused_408', 'refused_421', 'refused_429', 'refused_500', 'refused_503'].map(transientCodeOf),
      [408, 421, 429, 500, 503],
    );
    for (const reason of ['refused_400', 'refused_463', 'refused_479', 'refused_4290', 'not_on_network', '503', ''])
      assert.equal(transientCodeOf(reason), null, reason);
  });

  it('gets six attempts in total, with doubling delays', () => {
    assert.deepEqual(pauses({}), [5_000, 10_000, 20_000, 40_000, 80_000]);
  });

  it('waits as long as the network requests, but at most thirty minutes after the first refusal', () => {
    assert.deepEqual(pauses({ backoffMs: 7_000 }), [7_000, 10_000, 20_000, 40_000, 80_000]);
    assert.deepEqual(pauses({ backoffMs: 10 * MINUTE }), [10 * MINUTE, 10 * MINUTE, 10 * MINUTE]);
    assert.deepEqual(pauses({ backoffMs: 31 * MINUTE }), []);
    assert.deepEqual(pauses({ backoffMs: Number.MAX_VALUE }), []);
  });

  it('never waits beyond its expiry', () => {
    assert.deepEqual(pauses({ expires_at: NOW + 16_000 }), [5_000, 10_000]);
    assert.equal(after({ expires_at: NOW + 5_000 }), null);
  });

  it('is retried once without delay in a group after a 421, but fails in a direct chat', () => {
    const again = after({ code: 421, chat_id: GROUP });
    assert.deepEqual(again, { codes: [421], tries: 1, since: NOW, until: NOW });
    assert.equal(after({ code: 421, chat_id: GROUP, ...(again && { backoff: again }) }), null);
    const between = after({ code: 503, chat_id: GROUP, ...(again && { backoff: again }) });
    assert.deepEqual(between?.codes, [421, 503]);
    assert.equal(after({ code: 421, chat_id: GROUP, ...(between && { backoff: between }) }), null, 'not after another one between');
    assert.equal(after({ code: 421 }), null);
  });

  it('waits while the official platform limits the number, and uses up neither attempts nor time', () => {
    const limited = (now: number, backoff?: Backoff) =>
      backoffAfter({ chat_id: PERSON, ...(backoff && { backoff }) }, { code: 503, backoffMs: 20 * MINUTE, limit: 'tier' }, now);
    let backoff = limited(NOW);
    for (let times = 1; times < 100; times += 1) backoff = limited(NOW + times * 20 * MINUTE, backoff ?? undefined);
    assert.equal(backoff?.limit, 'tier');
    const later = NOW + 100 * 20 * MINUTE;
    assert.deepEqual(after({ at: later, ...(backoff && { backoff }) }), { codes: [503], tries: 1, since: later, until: later + 5_000 });
  });

  it('gets its full time limit again if the wall clock was set back', () => {
    const later = { codes: [503], tries: 1, since: NOW + 60 * MINUTE, until: NOW + 60 * MINUTE };
    assert.equal(after({ backoff: later })?.since, NOW);
  });
});
