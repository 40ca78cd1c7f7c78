import assert from 'node:assert/strict';
import { it } from 'node:test';
import { complaintLimitsIn, complaintsIn, DEFAULT_COMPLAINT_LIMITS, holdingBack } from '../../../../actors/domain/health/complaints.ts';
import { type DeviceFacts, rankOf, signOf, type TrafficFigures } from '../../../../actors/domain/health/signs.ts';

const NOW = Date.UTC(2026, 5, 1);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOTHING: TrafficFigures = { sent: 0, delivered: 0, failed: 0, received: 0 };

const QUIET = { sent: 0, optOuts: 0, blocks: 0, first: 0, unknown: 0 };
const LIMITS = DEFAULT_COMPLAINT_LIMITS;

type Over = Partial<Omit<DeviceFacts, 'device'>> & { readonly device?: Partial<DeviceFacts['device']> };

const facts = ({ device, ...more }: Over = {}): DeviceFacts => ({
  device: { _id: 'd', status: 'connected', reason: null, reconnects: [], offline_since: null, ...device },
  restriction: null,
  day: NOTHING,
  week: NOTHING,
  campaigns: QUIET,
  lastInboundAt: null,
  ...more,
});

const sent = (count: number, delivered: number, failed = 0): TrafficFigures => ({ sent: count, delivered, failed, received: 0 });
const said = (over: Over) => signOf(facts(over), null, LIMITS, NOW).reasons.map(({ what, color, figure }) => `${what} ${color} ${figure}`);
const times = (count: number) => Array.from({ length: count }, (_, nth) => NOW - nth * 1_000);

it("a device's health shows exactly the expected reasons for each problem", () => {
  const offline = (minutes: number) => ({ device: { status: 'disconnected', offline_since: NOW - minutes * 60_000 } as const });
  const restriction = { until: NOW + DAY, reason: 'new chats', new_chats_used: 7, new_chats_quota: 10 };
  const cases: readonly (readonly [Over, readonly string[]])[] = [
    [{}, []],
    [{ device: { status: 'pending' } }, []],
    [{ device: { status: 'pending', reason: 'client_outdated', reason_since: NOW - 120_000 } }, ['client_outdated red 2']],
    [{ device: { status: 'disconnected', reason: 'banned_temporarily', offline_since: NOW } }, ['banned_temporarily red 0']],
    [{ device: { status: 'disconnected', reason: 'network_refused', offline_since: NOW } }, ['network_refused red 0']],
    [{ device: { status: 'failed', offline_since: NOW - 120_000 } }, ['failed red 2']],
    [offline(4), []],
    [offline(5), ['offline yellow 5']],
    [offline(61), ['offline red 61']],
    [{ restriction }, ['restricted red 7']],
    [{ day: sent(40, 20), week: sent(300, 290) }, ['delivery yellow 0.5']],
    [{ day: sent(40, 10), week: sent(300, 290) }, ['delivery red 0.25']],
    // Its own week is the measure: customers who are rarely reached are no sign.
    [{ day: sent(40, 20), week: sent(300, 160) }, []],
    [{ day: sent(19, 0), week: sent(300, 290) }, []],
    [{ day: sent(15, 15, 5), week: sent(300, 290) }, ['failing yellow 0.25']],
    [{ day: sent(5, 5, 20) }, ['failing red 0.8']],
    [{ campaigns: { ...QUIET, sent: 1_000, optOuts: 19 } }, []],
    [{ campaigns: { ...QUIET, sent: 1_000, optOuts: 20 } }, ['opt_outs yellow 20']],
    [{ campaigns: { ...QUIET, sent: 100, optOuts: 6 } }, ['opt_outs red 60']],
    [{ campaigns: { ...QUIET, sent: 3, optOuts: 3 } }, []],
    [{ campaigns: { ...QUIET, sent: 50, optOuts: 2 } }, []],
    [{ campaigns: { ...QUIET, sent: 1_000, blocks: 5 } }, ['blocks yellow 5']],
    [{ campaigns: { ...QUIET, sent: 1_999, first: 1_999 } }, []],
    [{ campaigns: { ...QUIET, sent: 2_000, first: 1_700 } }, ['first_contacts yellow 0.85']],
    [{ campaigns: { ...QUIET, sent: 60, unknown: 40 } }, ['lookups yellow 0.4']],
    [{ device: { reconnects: times(11) } }, ['reconnects yellow 10']],
    [{ device: { reconnects: times(40) } }, ['reconnects red 39']],
    [{ week: { ...NOTHING, received: 50 }, lastInboundAt: NOW - 30 * HOUR }, ['silence yellow 30']],
    [{ week: { ...NOTHING, received: 50 }, lastInboundAt: NOW - 23 * HOUR }, []],
    [{ ...offline(90), restriction }, ['offline red 90', 'restricted red 7']],
  ];
  for (const [over, expected] of cases) assert.deepEqual(said(over), expected, JSON.stringify(over));
});

it('a health reason keeps its start time, and remains for an hour to avoid flapping', () => {
  const falling = facts({ day: sent(40, 20), week: sent(300, 290) });
  let sign = signOf(falling, null, LIMITS, NOW);
  assert.deepEqual([sign.color, sign.reasons[0]?.since], ['yellow', NOW]);
  const colors: string[] = [];
  for (let minutes = 10; minutes <= 70; minutes += 10) {
    // Better and worse by turns.
    sign = signOf(minutes % 20 === 0 ? falling : facts(), sign, LIMITS, NOW + minutes * 60_000);
    colors.push(sign.color);
  }
  assert.deepEqual(colors, ['yellow', 'yellow', 'yellow', 'yellow', 'yellow', 'yellow', 'green']);
  const online = signOf(facts(), signOf(facts({ device: { status: 'failed' } }), null, LIMITS, NOW), LIMITS, NOW + 1_000);
  assert.equal(online.color, 'green', 'a device that is online again is so at once');
});

it('the health ranking puts a device with one red reason above a device with many yellow ones', () => {
  const sign = (color: 'green' | 'yellow' | 'red') => ({ device: 'd', color, reasons: [] });
  const yellow = Array.from({ length: 100 }, () => sign('yellow'));
  assert.ok(rankOf([sign('red')]) > rankOf(yellow) && rankOf(yellow) > rankOf([sign('green')]));
});

it('complaint limits come from the settings, and campaigns are paused only above them', () => {
  const held = (text: string, over: Partial<typeof QUIET>) =>
    holdingBack(complaintsIn({ ...QUIET, ...over }, complaintLimitsIn(text) ?? LIMITS)).map(({ what }) => what);
  assert.deepEqual(held('optouts:20', { sent: 1_000, optOuts: 20 }), []);
  assert.deepEqual(held('optouts:20', { sent: 1_000, optOuts: 21 }), ['opt_outs']);
  assert.deepEqual(held('optouts:off', { sent: 1_000, optOuts: 500 }), []);
  assert.deepEqual(held('blocks:0', { sent: 1_000, blocks: 3 }), ['blocks']);
  assert.deepEqual(complaintLimitsIn('optouts:20,blocks:5,first:0.8,lookups:0.3'), LIMITS);
  assert.deepEqual(complaintLimitsIn('first:0.5, lookups:off'), { ...LIMITS, first_contacts: 0.5, lookups: null });
  for (const bad of [
    '',
    'optouts',
    'optouts:',
    'optouts:-1',
    'first:1.5',
    'optouts:1001',
    'optouts:1,optouts:2',
    'stops:3',
    'optouts:1;blocks:2',
  ])
    assert.equal(complaintLimitsIn(bad), null, bad);
});
