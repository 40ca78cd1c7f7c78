import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differing, hashesIn } from './hashes.ts';

const here = hashesIn('seed 1 on 2 nodes  aa01  ok  1.3 CPU s\n  broken: something\nseed 1 on 3 nodes  bb02  ok  2.1 CPU s\n');

describe('the histories of two machines', () => {
  it('are considered equal if the hashes of all shared seeds are equal', () => {
    assert.deepEqual(
      differing(here, hashesIn('  ℹ seed 1 on 2 nodes  aa01 \nseed 9 on 2 nodes  ff09  ok\nseed 1 on 2 nodes  aa01  ok')),
      [],
    );
  });

  it('are considered different if the hash for a seed and number of nodes differs', () => {
    assert.deepEqual(differing(here, hashesIn('seed 1 on 2 nodes  aa01  ok\nseed 1 on 3 nodes  cc03  ok')), ['seed 1 on 3 nodes']);
  });

  it('cannot be compared if the machines share no seeds', () => {
    assert.throws(() => differing(here, hashesIn('')), /no seed in common/);
  });
});
