import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { device } from '../../../../actors/device/behaviour/device.ts';
import { GATES } from '../../../../actors/device/behaviour/facts.ts';
import { closed } from '../../../../actors/device/behaviour/sending.ts';
import type { DeviceCommand, DeviceState } from '../../../../actors/device/protocol.ts';
import { LANES } from '../../../../store/messaging/messages.ts';
import { rowOf } from '../../../support/rows.ts';
import { CREDENTIALS, DIGITS, factsOf } from './device-fixture.ts';

const NOW = 1_000_000;
const FACTS = factsOf({ credentials: CREDENTIALS, phone: DIGITS, wanted: true, status: 'connected' });
const ROW = { ...rowOf('A', NOW), status: 'queued' } as const;

/** Online, with nothing waiting. */
function idle(): DeviceState {
  const [made] = device.start(FACTS, NOW);
  return {
    ...made,
    connection: { phase: 'online', connectionId: 1, failures: 0, since: NOW },
    sending: { ...closed, phase: 'idle', emptyUpTo: GATES.firstContacts },
  };
}

type Hint = Omit<Extract<DeviceCommand, { type: 'workArrived' }>, 'type'>;

const claimsOf = (state: DeviceState, hint: Hint) => {
  const [next, ...effects] = device.handle(state, { type: 'workArrived', ...hint }, NOW);
  return {
    next,
    claims: effects.flatMap((effect) => ('do' in effect && effect.do === 'claim' ? [[effect.row?._id ?? null, effect.isAhead]] : [])),
  };
};

describe('a message that is still being stored', () => {
  it('is claimed immediately if no other messages are waiting, and is not claimed again once it is stored', () => {
    const { next, claims } = claimsOf(idle(), { ahead: ROW });
    assert.deepEqual(claims, [['A', true]]);
    const [taken] = device.handle(next, { type: 'claimed', connectionId: 1, rows: [ROW], pauseMs: 0, areAll: true }, NOW);
    assert.deepEqual(claimsOf(taken, { id: 'A' }).claims, []);
    assert.deepEqual(claimsOf(taken, { id: 'B' }).claims, [[null, undefined]]);
  });

  it('does not trigger an outbox check, unlike a notification that does not identify a message', () => {
    const doneFor = (hint: Hint) => {
      const [, ...effects] = device.handle(idle(), { type: 'workArrived', ...hint }, NOW);
      return effects.some((effect) => 'do' in effect && effect.do === 'processOutbox');
    };
    assert.deepEqual([doneFor({ ahead: ROW }), doneFor({ id: 'B' }), doneFor({})], [false, false, true]);
  });

  const withSending = (change: Partial<DeviceState['sending']>): DeviceState => ({ ...idle(), sending: { ...idle().sending, ...change } });
  const others: readonly (readonly [string, DeviceState, Hint])[] = [
    ['other rows may be waiting', withSending({ emptyUpTo: GATES.shut }), { ahead: ROW }],
    ['other rows may be waiting behind the scheduled gate', withSending({ emptyUpTo: GATES.scheduled }), { ahead: ROW }],
    ['other rows are being claimed', withSending({ phase: 'claiming' }), { ahead: ROW }],
    ['the device is offline', withSending({ phase: 'closed' }), { ahead: ROW }],
    ['the device has a pace', { ...idle(), facts: { ...FACTS, pacing: { minDelayMs: 1, maxDelayMs: 5 } } }, { ahead: ROW }],
    [
      'a typing indicator precedes each message',
      { ...idle(), facts: { ...FACTS, pacing: { minDelayMs: 0, maxDelayMs: 0, typing: true } } },
      { ahead: ROW },
    ],
    [
      'the network restricts first contacts',
      { ...idle(), facts: { ...FACTS, restriction: { until: null, reason: 'spam', new_chats_used: null, new_chats_quota: null } } },
      { ahead: ROW },
    ],
    ['it belongs to a campaign', idle(), { ahead: { ...ROW, lane: LANES.campaign } }],
  ];
  for (const [when, state, hint] of others)
    it(`is not claimed before it is stored if ${when}`, () => {
      const { next, claims } = claimsOf(state, hint);
      assert.deepEqual([claims, next], [[], state]);
    });
});
