import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupsOf } from '../../../scripts/commands/test-groups.ts';

const files = Array.from({ length: 100 }, (_, nth) => `test/actors/domain/${nth}.test.ts`);

describe('test file groups', () => {
  it('contain every file once, with the small groups last', () => {
    const { alone, shared } = groupsOf(files, 2);
    assert.deepEqual([alone, shared.flat().sort()], [[], [...files].sort()]);
    assert.equal(shared[0]?.length, 24);
    assert.ok((shared.at(-1)?.length ?? 0) <= 4);
  });

  it('keep files outside the shared folders separate, and mark slow files', () => {
    assert.deepEqual(groupsOf(['test/house.test.ts', 'test/scripts/guard/guard.test.ts', 'test/docs.test.ts'], 2), {
      long: ['test/scripts/guard/guard.test.ts'],
      alone: ['test/docs.test.ts', 'test/house.test.ts'],
      shared: [],
    });
  });
});
