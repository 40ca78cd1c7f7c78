import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway, PHONE } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';

const LISTED = 4_000;
const ALONE = 100;
/** Of CPU, in one turn of the event loop. The goal is 50 ms; a machine that is busy with more than this has room. */
const LONGEST_TURN_MS = 100;

it("bulk calls with thousands of people do not block other tenants' writes", async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const [acme, other] = [await gateway.signUp(), await gateway.signUp('Other', '+62 811-0000-8888')];
  let nth = 0;
  /** CPU of this thread, which is server and client, from a request to its answer, in milliseconds. */
  const write = async (): Promise<number> => {
    nth += 1;
    const took = stopwatch();
    const { status } = await other.api('PUT', `/v1/consent/%2B62813${10_000_000 + nth}`, { status: 'opted_in' });
    assert.equal(status, 200);
    return took();
  };
  for (let warm = 0; warm < ALONE; warm += 1) await write();
  const alone: number[] = [];
  for (let each = 0; each < ALONE; each += 1) alone.push(await write());

  const { id: session_id } = await acme.linked(PHONE);
  const phones = Array.from({ length: LISTED }, (_, each) => `+62812${10_000_000 + each}`);
  const campaign = {
    session_id,
    name: 'Sale',
    message_type: 'text',
    body: 'Hi {name}',
    recipients: phones.map((phone) => ({ phone, name: 'Anna' })),
  };
  const calls = [
    { path: '/v1/consent/bulk', body: { phones, status: 'opted_out' }, mostTimes: 4 },
    { path: '/v1/blasts', body: campaign, mostTimes: 4 },
    // All of them have opted out by now: little is done but reading, in many turns.
    { path: '/v1/blasts/preview', body: campaign, mostTimes: 6 },
  ];
  for (const { path, body, mostTimes } of calls) {
    let isDone = false;
    const called = acme.api('POST', path, body).finally(() => {
      isDone = true;
    });
    const turns: number[] = [];
    const watched = watch(() => isDone, turns);
    const beside: number[] = [];
    while (!isDone) beside.push(await write());
    await watched;
    const { status, body: answer } = await called;
    assert.ok(status < 300, `${path} → ${status} ${JSON.stringify(answer).slice(0, 200)}`);
    const [slow, usual] = [at(beside, 0.5), at(alone, 0.5)];
    assert.ok(beside.length >= 10 && slow <= mostTimes * usual, `${path}: ${slow} ms of ${beside.length} writes beside, ${usual} ms alone`);
    assert.ok(at(turns, 1) <= LONGEST_TURN_MS, `${path}: a turn of ${at(turns, 1)} ms`);
  }
});

/** Milliseconds of CPU of this thread since it was made. */
function stopwatch(): () => number {
  const began = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system - began.user - began.system) / 1000;
  };
}

/** Notes what each turn of the event loop costs. */
async function watch(isOver: () => boolean, turns: number[]): Promise<void> {
  while (!isOver()) {
    const took = stopwatch();
    await new Promise(setImmediate);
    turns.push(took());
  }
}

/** The value below which this share of them lies. */
const at = (all: readonly number[], share: number): number =>
  all.toSorted((one, another) => one - another)[Math.ceil(all.length * share) - 1] ?? Number.NaN;
