import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differing, hashesIn } from './hashes.ts';

const here = hashesIn('seed 1 on 2 nodes  aa01  ok  1.3 CPU s\n  broken: something\nseed 1 on 3 nodes  bb02  ok  2.1 CPU s\n');

describe('histories of two machines', () => {
  it('are the same if each common seed has the same hash, whatever else the runs printed', () => {
    assert.deepEqual(
      differing(here, hashesIn('  ℹ seed 1 on 2 nodes  aa01 \nseed 9 on 2 nodes  ff09  ok\nseed 1 on 2 nodes  aa01  ok')),
      [],
    );
  });

  it('differ by number of nodes and seed', () => {
    assert.deepEqual(differing(here, hashesIn('seed 1 on 2 nodes  aa01  ok\nseed 1 on 3 nodes  cc03  ok')), ['seed 1 on 3 nodes']);
  });

  it('cannot be compared without a common seed', () => {
    assert.throws(() => differing(here, hashesIn('')), /no seed in common/);
  });
});
