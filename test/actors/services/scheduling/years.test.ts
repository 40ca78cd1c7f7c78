import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { type Random, seededRandom } from '../../../../runtime/random.ts';
import { aGateway, type Gateway } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { ZONES } from './calendar.ts';
import { DAY, done, type Fixture, fixturesIn, isOpen, opening, type Plan, recurIn, type Span } from './years.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const seed = Number(process.env['SEED'] ?? 7);
/** `FROM=2026-01-01 DAYS=730` lives through two years; without, the days around which many clocks change. */
const SPANS: readonly Span[] = process.env['FROM']
  ? [spanOf(process.env['FROM'], Number(process.env['DAYS'] ?? 730))]
  : [spanOf('2026-03-08', 1), spanOf('2026-10-03', 1)];

/** Who has slept looks what is due within a minute. */
const LATE_MS = 2 * MINUTE;

function spanOf(from: string, days: number): Span {
  const start = Date.parse(`${from}T00:00:00Z`);
  return [start, start + days * DAY];
}

interface Life {
  readonly gateway: Gateway;
  readonly fixtures: readonly Fixture[];
  readonly plan: Plan;
}

/** Businesses that send to twelve zones, each day of a span. What is to arrive is planned with another library than the gateway's. */
async function live(scope: Scope, kind: StoreKind, span: Span): Promise<Life> {
  const gateway = await aGateway(scope, { kind, config: { plans: plansFrom({ free: { messages: 1_000_000 } }) } });
  gateway.clock.jump(span[0] - HOUR - gateway.clock.now());
  const fixtures = await fixturesIn(gateway);
  const plan = await recurIn(gateway, fixtures[0]!, span);
  await gateway.clock.advanceTo(span[0]);
  const random = seededRandom(seed);
  for (let day = span[0]; day < span[1]; day += DAY) {
    for (const fixture of fixtures) await campaignOn(gateway, fixture, { day, plan, random });
    await pass(gateway, day + DAY, plan);
  }
  return { gateway, fixtures, plan };
}

/** Time is leapt over where nothing is due, as if the machine had slept. */
async function pass({ clock }: Gateway, until: number, plan: Plan): Promise<void> {
  const moments = [...new Set([...plan.values()].flat())].filter((at) => at >= clock.now() && at < until);
  for (const at of moments.toSorted((a, b) => a - b)) {
    if (at - clock.now() > 2 * MINUTE) clock.jump(at - MINUTE - clock.now());
    await clock.advanceTo(Math.max(clock.now(), at + MINUTE));
  }
  if (until - clock.now() > MINUTE) clock.jump(until - MINUTE - clock.now());
  await clock.advanceTo(until);
}

interface Today {
  readonly day: number;
  readonly plan: Plan;
  readonly random: Random;
}

/** It starts by itself at some moment of the day, in few zones within the window. */
async function campaignOn(gateway: Gateway, { api, device, window, people }: Fixture, { day, plan, random }: Today): Promise<void> {
  const isClear = (at: number): boolean => people.every(({ zone }) => isOpen(window, zone, at) === isOpen(window, zone, at + 2 * MINUTE));
  let scheduled_at = day;
  do scheduled_at = day + MINUTE + Math.floor(random() * (DAY - 2 * MINUTE));
  while (!isClear(scheduled_at));
  const recipients = people.map(({ phone }) => ({ phone: `+${phone}` }));
  const draft = { session_id: device.id, name: 'Daily', message_type: 'text', body: 'Hello', recipients, scheduled_at };
  await done(gateway, () => api('POST', '/v1/blasts', draft));
  for (const { phone, zone } of people) plan.set(phone, [...(plan.get(phone) ?? []), opening(window, zone, scheduled_at)]);
}

/** When messages reached this number, the first one first. */
const arrivals = ({ sandbox }: Gateway, phone: string, since: number): number[] =>
  sandbox.journal.of('accepted').flatMap(({ to, at }) => (at >= since && to?.startsWith(`${phone}@`) ? [at] : []));

eachStore('timed sends', (kind) => {
  for (const span of SPANS)
    it(`arrive exactly once and on time, in ${ZONES.length} zones from ${new Date(span[0]).toISOString()} (SEED=${seed})`, {
      timeout: 7_200_000,
    }, async (t) => {
      const { gateway, fixtures, plan } = await live(t, kind, span);
      let planned = 0;
      for (const [phone, moments] of plan) {
        const due = moments.filter((at) => at < span[1] - MINUTE).toSorted((a, b) => a - b);
        const came = arrivals(gateway, phone, span[0]);
        const late = due.map((at, nth) => (came[nth] ?? Number.NaN) - at);
        assert.ok(
          late.every((ms) => ms >= 0 && ms < LATE_MS),
          `${phone}: due ${dates(due)}, came ${dates(came)}`,
        );
        assert.equal(came.length, due.length, `${phone}: twice`);
        planned += due.length;
      }
      for (const { window, people } of fixtures)
        for (const { phone, zone } of people)
          assert.ok(
            arrivals(gateway, phone, span[0]).every((at) => isOpen(window, zone, at)),
            `${zone}: outside`,
          );
      t.diagnostic(`${planned} messages`);
    });
});

const dates = (moments: readonly number[]): string => moments.map((at) => new Date(at).toISOString()).join(' ');
