import { type Answer, type Api, type Device, type Gateway, PHONE } from '../../../support/gateway.ts';
import { datesOf, dayNumber, expectedMoment, wallClock, weekday, ZONES } from './calendar.ts';

export const DAY = 86_400_000;
const SECOND = 1_000;
const MINUTE = 60_000;

export type Span = readonly [number, number];

/** Hours of every day; some of them the clocks jump over. */
export interface Window {
  readonly start: readonly [number, number];
  readonly end: readonly [number, number];
}

/** A business, its window, and whom its campaigns go to: with their zone where it is theirs that counts. */
export interface Fixture {
  readonly api: Api;
  readonly device: Device;
  readonly window: Window;
  readonly people: readonly { readonly phone: string; readonly zone: string }[];
}

/** Numbers that say where somebody is. */
const ABROAD = {
  'America/Santiago': '56912345678',
  'Pacific/Apia': '6857212345',
  'Asia/Kathmandu': '9779812345678',
  'Asia/Jakarta': '6281299990000',
  'America/New_York': '12125550123',
  'Europe/London': '447700900123',
  'America/Nuuk': '299221234',
  'Africa/Casablanca': '212612345678',
  'America/St_Johns': '17095550123',
  'Africa/Cairo': '201012345678',
};
const OFFICES = [
  { timezone: 'Asia/Jakarta', zone: 'recipient', window: { start: [2, 15], end: [4, 0] }, people: ABROAD },
  { timezone: 'Australia/Lord_Howe', zone: 'business', window: { start: [2, 5], end: [3, 0] }, people: '6281299990001' },
  { timezone: 'Pacific/Chatham', zone: 'business', window: { start: [2, 50], end: [4, 0] }, people: '6281299990002' },
] as const;

const clockOf = ([hour, minute]: readonly [number, number]): string =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;

/** Three businesses whose send windows are those of twelve zones. */
export async function fixturesIn(gateway: Gateway): Promise<readonly Fixture[]> {
  const fixtures: Fixture[] = [];
  for (const [nth, { timezone, zone, window, people }] of OFFICES.entries()) {
    const tenant = await gateway.signUp(`Office ${nth}`, `+628110000000${nth}`);
    const device = await tenant.linked(String(Number(PHONE) + nth));
    const settings = {
      send_window: { enabled: true, zone, start: clockOf(window.start), end: clockOf(window.end), days: [0, 1, 2, 3, 4, 5, 6] },
      pacing: { min_delay_ms: 0, max_delay_ms: 0 },
      warmup: { enabled: false },
    };
    await done(gateway, () => tenant.api('PUT', '/v1/profile', { timezone }));
    await done(gateway, () => tenant.api('PUT', '/v1/settings', settings));
    // A login would end after two hours.
    const { key } = await done(gateway, () => tenant.api('POST', '/v1/api-keys', { name: 'years' }));
    const reached =
      typeof people === 'string'
        ? [{ phone: people, zone: timezone }]
        : Object.entries(people).map(([where, phone]) => ({ zone: where, phone }));
    fixtures.push({ api: gateway.as(key), device, window, people: reached });
  }
  return fixtures;
}

/** The answer's body; who asks too often waits as told. */
export async function done({ clock }: Gateway, ask: () => ReturnType<Api>): Promise<Answer['body']> {
  for (;;) {
    const { status, body, headers } = await ask();
    if (status < 300) return body;
    if (status !== 429) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
    await clock.advance(Number(headers.get('retry-after')) * SECOND);
  }
}

/** What is to arrive on a phone, and when: epoch ms. */
export type Plan = Map<string, number[]>;

const TIMES = [
  [2, 10],
  [0, 0],
  [12, 0],
  [9, 0],
  [23, 30],
  [2, 30],
  [1, 30],
  [23, 30],
  [2, 30],
  [3, 0],
  [2, 15],
  [0, 30],
] as const;
const RARELY = [
  { schedule_type: 'weekly', day: 0, isOn: (date: Date_) => weekday(date) === 0 },
  { schedule_type: 'monthly', day: 31, isOn: ({ day, daysInMonth }: Date_) => day === daysInMonth },
] as const;
type Date_ = ReturnType<typeof datesOf>[number];

/** In each zone one daily recurring message and a weekly or monthly one, each to somebody of its own; gives when they are due. */
export async function recurIn(gateway: Gateway, { api, device }: Fixture, span: Span): Promise<Plan> {
  const plan: Plan = new Map();
  for (const [nth, zone] of ZONES.entries()) {
    const [hour, minute] = TIMES[nth]!;
    const { schedule_type, day, isOn } = RARELY[nth % RARELY.length]!;
    const often = { phone: `62813000000${10 + nth}`, schedule_type: 'daily', schedule_config: { hour, minute } };
    const rarely = { phone: `62813000000${40 + nth}`, schedule_type, schedule_config: { hour, minute, day } };
    for (const { phone, ...schedule } of [often, rarely])
      await done(gateway, () =>
        api('POST', `${device.path}/recurring`, { name: zone, targets: [phone], message: zone, timezone: zone, ...schedule }),
      );
    plan.set(
      often.phone,
      momentsOf(zone, span, [hour, minute], () => true),
    );
    plan.set(rarely.phone, momentsOf(zone, span, [hour, minute], isOn));
  }
  return plan;
}

function momentsOf(zone: string, span: Span, time: readonly [number, number], isOn: (date: Date_) => boolean): number[] {
  const moments = datesOf(zone, span)
    .filter(isOn)
    .map((date) => expectedMoment(zone, date, ...time));
  // Where a day is missing its midnight is the next day's: one moment, one run.
  return [...new Set(moments)].filter((at) => at > span[0] && at < span[1] - MINUTE);
}

/** By the digits on the wall. */
export function isOpen({ start, end }: Window, zone: string, at: number): boolean {
  const { hour, minute } = wallClock(zone, at);
  const now = hour * 60 + minute;
  return now >= start[0] * 60 + start[1] && now < end[0] * 60 + end[1];
}

/** The first moment from `at` on in the window, by the other library. */
export function opening({ start, ...window }: Window, zone: string, at: number): number {
  if (isOpen({ start, ...window }, zone, at)) return at;
  const dates = datesOf(zone, [at, at + 2 * DAY]);
  const moments = dates
    .map((date) => expectedMoment(zone, date, ...start))
    .filter((moment) => moment > at && isOpen({ start, ...window }, zone, moment));
  if (moments.length === 0) throw new Error(`${zone} never opens after ${dayNumber(wallClock(zone, at).toPlainDate())}`);
  return Math.min(...moments);
}
