import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type DeviceFacts, rankOf, signOf, type TrafficFigures } from '../../../../actors/domain/health/signs.ts';

const NOW = Date.UTC(2026, 5, 1);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOTHING: TrafficFigures = { sent: 0, delivered: 0, failed: 0, received: 0 };

type Over = Partial<Omit<DeviceFacts, 'device'>> & { readonly device?: Partial<DeviceFacts['device']> };

const facts = ({ device, ...more }: Over = {}): DeviceFacts => ({
  device: { _id: 'd', status: 'connected', reason: null, reconnects: [], offline_since: null, ...device },
  restriction: null,
  day: NOTHING,
  week: NOTHING,
  campaigns: { sent: 0, optOuts: 0 },
  lastInboundAt: null,
  ...more,
});

const sent = (count: number, delivered: number, failed = 0): TrafficFigures => ({ sent: count, delivered, failed, received: 0 });
const said = (over: Over) => signOf(facts(over), null, NOW).reasons.map(({ what, color, figure }) => `${what} ${color} ${figure}`);
const times = (count: number) => Array.from({ length: count }, (_, nth) => NOW - nth * 1_000);

it('each trouble of a device makes its own reason, and nothing else', () => {
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
    [{ campaigns: { sent: 1_000, optOuts: 19 } }, []],
    [{ campaigns: { sent: 1_000, optOuts: 20 } }, ['opt_outs yellow 20']],
    [{ campaigns: { sent: 100, optOuts: 6 } }, ['opt_outs red 60']],
    [{ device: { reconnects: times(11) } }, ['reconnects yellow 10']],
    [{ device: { reconnects: times(40) } }, ['reconnects red 39']],
    [{ week: { ...NOTHING, received: 50 }, lastInboundAt: NOW - 30 * HOUR }, ['silence yellow 30']],
    [{ week: { ...NOTHING, received: 50 }, lastInboundAt: NOW - 23 * HOUR }, []],
    [{ ...offline(90), restriction }, ['offline red 90', 'restricted red 7']],
  ];
  for (const [over, expected] of cases) assert.deepEqual(said(over), expected, JSON.stringify(over));
});

it('a reason keeps its beginning, and an estimated one stays for an hour, so that no color flaps', () => {
  const falling = facts({ day: sent(40, 20), week: sent(300, 290) });
  let sign = signOf(falling, null, NOW);
  assert.deepEqual([sign.color, sign.reasons[0]?.since], ['yellow', NOW]);
  const colors: string[] = [];
  for (let minutes = 10; minutes <= 70; minutes += 10) {
    // Better and worse by turns.
    sign = signOf(minutes % 20 === 0 ? falling : facts(), sign, NOW + minutes * 60_000);
    colors.push(sign.color);
  }
  assert.deepEqual(colors, ['yellow', 'yellow', 'yellow', 'yellow', 'yellow', 'yellow', 'green']);
  const online = signOf(facts(), signOf(facts({ device: { status: 'failed' } }), null, NOW), NOW + 1_000);
  assert.equal(online.color, 'green', 'a device that is online again is so at once');
});

it('one red device ranks before many yellow ones', () => {
  const sign = (color: 'green' | 'yellow' | 'red') => ({ device: 'd', color, reasons: [] });
  const yellow = Array.from({ length: 100 }, () => sign('yellow'));
  assert.ok(rankOf([sign('red')]) > rankOf(yellow) && rankOf(yellow) > rankOf([sign('green')]));
});
