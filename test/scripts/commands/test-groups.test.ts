import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupsOf } from '../../../scripts/commands/test-groups.ts';

const files = Array.from({ length: 100 }, (_, nth) => `test/actors/domain/${nth}.test.ts`);

describe('the groups of test files', () => {
  it('hold each file once, small ones last', () => {
    const { alone, shared } = groupsOf(files, 2);
    assert.deepEqual([alone, shared.flat().sort()], [[], [...files].sort()]);
    assert.equal(shared[0]?.length, 24);
    assert.ok((shared.at(-1)?.length ?? 0) <= 3);
  });

  it('leave a file alone that is in no folder of those that share, and tell which of them are long', () => {
    assert.deepEqual(groupsOf(['test/house.test.ts', 'test/scripts/guard/guard.test.ts', 'test/docs.test.ts'], 2), {
      long: ['test/scripts/guard/guard.test.ts'],
      alone: ['test/docs.test.ts', 'test/house.test.ts'],
      shared: [],
    });
  });
});
