import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGround } from '../../../scripts/guard/ground.ts';
import { type Case, judge } from '../../../scripts/guard/judge.ts';
import { PLANT_HEADER } from '../../../scripts/guard/plants.ts';

const planted = (plant: string): Case => ({
  kinds: [],
  title: plant,
  bytes: 0,
  attack: ({ subject }) => subject.send({ method: 'GET', path: '/health', headers: { [PLANT_HEADER]: plant } }),
});

it('finds a turn that stalls, memory beyond the bound and the end of the process, and nothing else', async (t) => {
  const ground = await aGround({ mongodbUrl: null });
  t.after(() => ground.close());
  const cases = ['nothing', 'stall', 'nothing', 'memory', 'exit', 'nothing'].map(planted);
  const { failed, ...verdict } = await judge(ground, cases);
  assert.equal(verdict.cases, 6);
  assert.deepEqual(
    failed.map(({ title }) => title),
    ['stall', 'memory', 'exit'],
  );
  const [stall, memory, exit] = failed;
  assert.ok(stall && stall.cpuMs > 50, `${stall?.cpuMs} ms`);
  assert.ok(memory && memory.memory > 150_000_000, `${memory?.memory} bytes`);
  assert.match(exit?.ended ?? '', /^the process ended \(3\)/);
});
