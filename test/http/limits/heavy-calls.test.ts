import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { BodyIntake } from '../../../http/core/body-intake.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { aGateway } from '../../support/gateway.ts';
import { type Answer, aServer, as, type Sample } from '../../support/http-sample.ts';
import { embedded } from '../../support/stores.ts';

/** As many as one tenant has at work, and as many as may wait. */
const [AT_WORK, WAITING] = [2, 50];
const TOO_MANY = 8;

async function until(what: string, check: () => boolean): Promise<void> {
  for (let tries = 0; !check(); tries += 1) {
    assert.ok(tries < 6_000, `${what}: that never came to be`);
    await pause(systemClock, 5);
  }
}

interface Flooded {
  readonly web: Sample;
  /** Calls that a handler has begun. */
  begun(): number;
  /** Answers of the flooding tenant so far. */
  readonly answers: readonly Answer[];
  /** Lets all that has begun and will begin go on. */
  release(): void;
  readonly over: Promise<unknown>;
}

/** One tenant's calls, more than its share and its queue, of which none goes on. */
async function flooded(t: TestContext, call: (web: Sample) => Promise<Answer>, count: number, intake?: BodyIntake): Promise<Flooded> {
  const web = await aServer(intake ? { intake } : {});
  t.after(() => web[Symbol.asyncDispose]());
  const held = Promise.withResolvers<void>();
  const answers: Answer[] = [];
  let begun = 0;
  web.inside(async () => {
    begun += 1;
    await held.promise;
    return { ok: true };
  });
  const calls = Array.from({ length: count }, async () => void answers.push(await call(web)));
  return { web, begun: () => begun, answers, release: held.resolve, over: Promise.all(calls) };
}

for (const [how, call] of [
  ['that write', (web: Sample, who: string) => web.post('/v1/heavy', {}, as(who))],
  ['that read', (web: Sample, who: string) => web.get('/v1/heavy', as(who))],
] as const)
  it(`heavy calls ${how} run two at a time per tenant, queue up to 50, and do not delay other tenants`, async (t) => {
    const { web, begun, answers, release, over } = await flooded(t, (sample) => call(sample, 'owner'), AT_WORK + WAITING + TOO_MANY);
    await until('what is too much is refused', () => answers.length === TOO_MANY);
    for (const { status, body, headers } of answers)
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'OVERLOADED', '5']);
    await until('the share is at work', () => begun() === AT_WORK);
    const neighbour = call(web, 'neighbour');
    await until('the neighbour is served beside it', () => begun() === AT_WORK + 1);
    release();
    assert.equal((await neighbour).status, 200);
    await over;
    assert.equal(answers.filter(({ status }) => status === 200).length, AT_WORK + WAITING);
  });

it('a queued heavy call uses the time at which it starts, not the time at which it was queued', async (t) => {
  let [moment, asked] = [systemClock.now(), 0];
  const now = (): number => {
    asked += 1;
    return moment;
  };
  const web = await aServer({ clock: { ...systemClock, now } });
  t.after(() => web[Symbol.asyncDispose]());
  const held = Promise.withResolvers<void>();
  const begun: number[] = [];
  web.inside(async (call) => {
    begun.push(call.now);
    await held.promise;
    return { ok: true };
  });
  const post = () => web.post('/v1/heavy', {}, as('owner'));
  const atWork = Array.from({ length: AT_WORK }, post);
  await until('the share is at work', () => begun.length === AT_WORK);
  const before = asked;
  const waits = post();
  await until('another one came', () => asked > before);
  moment += 15_000;
  held.resolve();
  await Promise.all([...atWork, waits]);
  assert.deepEqual(begun, [moment - 15_000, moment - 15_000, moment]);
});

it("a queued heavy call's body is charged to its tenant", async (t) => {
  const big = `{}${' '.repeat(90_000)}`;
  const intake = new BodyIntake(systemClock, 400_000);
  const { web, begun, release, over } = await flooded(t, (sample) => sample.post('/v1/heavy', {}, as('owner')), AT_WORK, intake);
  await until('the share is at work', () => begun() === AT_WORK);
  const waits = web.post('/v1/heavy', big, as('owner'));
  const next = async (who: string): Promise<string> => (await web.post('/v1/bearer', `[${' '.repeat(20_000)}`, as(who))).body.code;
  // Before all of it has come there is room for another one.
  let [code, tries] = ['', 0];
  for (; code !== 'OVERLOADED' && tries < 500; tries += 1) code = await next('owner');
  assert.equal(code, 'OVERLOADED');
  assert.equal(await next('neighbour'), 'INVALID_JSON');
  release();
  assert.equal((await waits).status, 200);
  await over;
});

/** The bound of a body for which a row names none. */
const ORDINARY_BYTES = 1_048_576;

it('every operation with a long list or a full export is marked as heavy', async (t) => {
  const { node } = await aGateway(t, { kind: embedded });
  const rows = node.http.rows.filter(({ access }) => access !== 'none' && access !== 'operator');
  const isLong = ({ maxKeys, maxBytes, limit, produces = [] }: (typeof rows)[number]): boolean =>
    maxKeys !== undefined || (maxBytes ?? 0) > ORDINARY_BYTES || limit === 'bulk' || produces.some((type) => /csv|ndjson/.test(type));
  const light = rows.filter((row) => isLong(row) && !row.heavy && !row.bytes?.stream);
  assert.deepEqual(
    light.map(({ id }) => id),
    [],
  );
  assert.ok(rows.some((row) => isLong(row) && row.heavy));
});
