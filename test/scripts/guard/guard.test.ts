import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ground } from '../../../scripts/guard/ground.ts';
import { PARTS, runGuard } from '../../../scripts/guard/guard.ts';
import { type Case, type Figure, judge, type Verdict } from '../../../scripts/guard/judge.ts';
import { PLANT_HEADER } from '../../../scripts/guard/plants.ts';
import { hasRedis } from '../../support/redis.ts';

/** Faults that the node makes when it is asked to. */
const planted = (plant: string): Case => ({
  kinds: [],
  title: plant,
  bytes: 0,
  attack: ({ subject }) => subject.send({ method: 'GET', path: '/health', headers: { [PLANT_HEADER]: plant } }),
});

/** What the guard says of planted faults, on the node that it attacked. */
async function sayOfPlants(ground: Ground): Promise<readonly Verdict[]> {
  return [await judge(ground, ['nothing', 'stall', 'nothing', 'memory'].map(planted)), await judge(ground, [planted('exit')])];
}

const shown = ({ title, cpuMs, memory, ended }: Figure): string =>
  `${title}: ${Math.round(cpuMs)} ms, ${memory} bytes, ${ended ?? 'lives'}`;

describe('a node under generated hostile input', () => {
  it('survives hostile cases on every input surface, and planted faults are detected', async (t) => {
    if (!hasRedis) t.diagnostic('redis-server is not installed: the bus between nodes is left out');
    let ofPlants: readonly Verdict[] = [];
    const afterwards = async (ground: Ground): Promise<void> => {
      ofPlants = await sayOfPlants(ground);
    };
    // Pages of long lists have a story of each change (test/stories/lists-in-bytes.test.ts), as have few descriptors.
    const parts = PARTS.filter((part) => part !== 'descriptors' && part !== 'pages');
    // The night (scripts/guard/main.ts) sends all cases of all kinds.
    const verdicts = await runGuard({ mongodbUrl: null, size: 'short', oneOf: 3, seed: 1, hasRedis, parts, afterwards });
    assert.deepEqual([...verdicts.keys()], parts);
    const found = [...verdicts].flatMap(([part, { failed }]) => failed.map((figure) => `${part}: ${shown(figure)}`));
    assert.deepEqual(found, []);
    for (const [part, { cases }] of verdicts) if (part !== 'bus' || hasRedis) assert.ok(cases > 0, part);

    const [stall, memory, exit, ...others] = ofPlants.flatMap(({ failed }) => failed);
    assert.equal(others.length, 0);
    assert.deepEqual([stall?.title, memory?.title, exit?.title], ['stall', 'memory', 'exit']);
    assert.ok(stall && stall.cpuMs > 50, `${stall?.cpuMs} ms`);
    assert.ok(memory && memory.memory > 150_000_000, `${memory?.memory} bytes`);
    assert.match(exit?.ended ?? '', /^the process ended \(3\)/);
  });
});
