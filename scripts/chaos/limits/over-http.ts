import { pause, systemClock } from '../../../runtime/clock.ts';
import { oneOf, type Random, seededRandom } from '../../../runtime/random.ts';
import { type Answer, type Call, expected } from '../../faults/caller.ts';
import { moveIn } from '../customer.ts';
import { World } from '../world.ts';
import { overfull, type Pass, wronged } from './judge.ts';

export interface HttpLimitsRun {
  readonly mongodbUrl: string;
  readonly seed: number;
  readonly nodes: number;
  /** Number of calls with one key, which more callers share than its limit allows. */
  readonly tries: number;
  readonly max: number;
  readonly everyMs: number;
  /** Number of keys with a single user, who waits for `Retry-After` after a refusal. */
  readonly patient: number;
  readonly apart: boolean;
}

export interface HttpLimitsVerdict {
  readonly tries: number;
  readonly passed: number;
  readonly overfull: number;
  readonly wronged: number;
  readonly waited: number;
  /** Number of calls that were refused again after waiting for `Retry-After`. */
  readonly broken: number;
  readonly seconds: number;
}

const WINDOW_MS = 60_000;
const CALLERS_PER_NODE = 4;
const PATIENT_MAX = 5;
const PATIENT_EVERY_MS = 3_000;
/** Maximum drift in a minute between this process's and Redis's clocks, plus rounding to whole ms. */
const SLACK_MS = 30;
const EARLY_MS = 1;

export async function runHttpLimits(run: HttpLimitsRun): Promise<HttpLimitsVerdict> {
  const { mongodbUrl, nodes, apart } = run;
  const world = await World.open({ guard: apart ? 'counting-apart' : 'on', mongodbUrl, nodes, redisDirectly: true });
  try {
    await moveIn(world, 0);
    return await tryAll(world, run);
  } finally {
    await world.close();
  }
}

async function tryAll(world: World, { seed, tries, max, everyMs, patient }: HttpLimitsRun): Promise<HttpLimitsVerdict> {
  const random = seededRandom(seed);
  const shared = await keyOf(world, max);
  const patients = await Promise.all(Array.from({ length: patient }, () => keyOf(world, PATIENT_MAX)));
  const [passes, refusals]: [Pass[], Pass[]] = [[], []];
  const startedAt = systemClock.monotonic();
  let left = tries;
  async function callOften(call: Call): Promise<void> {
    while (left > 0) {
      left -= 1;
      const { status, ...pass } = await timed(call);
      (status === 200 ? passes : refusals).push(pass);
      await pause(systemClock, Math.floor(random() ** 3 * everyMs));
    }
  }
  const callers = shared.flatMap((call) => Array.from({ length: CALLERS_PER_NODE }, () => callOften(call)));
  const waits = patients.map((calls) => waitAsTold(calls, random, () => left > 0));
  await Promise.all(callers);
  const promises = await Promise.all(waits);
  const limit = { max, windowMs: WINDOW_MS, slackMs: SLACK_MS };
  return {
    tries,
    passed: passes.length,
    overfull: overfull(passes, limit),
    wronged: wronged(passes, refusals, limit),
    waited: sum(promises.map(({ waited }) => waited)),
    broken: sum(promises.map(({ broken }) => broken)),
    seconds: Math.round((systemClock.monotonic() - startedAt) / 1_000),
  };
}

async function keyOf(world: World, perMinute: number): Promise<readonly Call[]> {
  const { key } = expected(await world.api('POST', '/v1/api-keys', { name: 'limits', rate_limit_per_minute: perMinute }), 201);
  return world.gateways.map((gateway) => gateway.callAs({ authorization: `Bearer ${key}` }));
}

const ask = (call: Call): Promise<Answer> => call('GET', '/v1/me');

async function timed(call: Call): Promise<Pass & { readonly status: number }> {
  const askedAt = systemClock.monotonic();
  const answer = await ask(call);
  expected(answer, 200, 429);
  return { status: answer.status, askedAt, answeredAt: systemClock.monotonic() };
}

async function waitAsTold(calls: readonly Call[], random: Random, goesOn: () => boolean): Promise<{ waited: number; broken: number }> {
  const count = { waited: 0, broken: 0 };
  const anyone = (): Call => oneOf(calls, random);
  while (goesOn()) {
    await pause(systemClock, Math.floor(random() * PATIENT_EVERY_MS));
    const { status, headers } = await ask(anyone());
    if (status !== 429) continue;
    await pause(systemClock, Number(headers['retry-after']) * 1_000 + EARLY_MS);
    count.waited += 1;
    if ((await ask(anyone())).status !== 200) count.broken += 1;
  }
  return count;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
