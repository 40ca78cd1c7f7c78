import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_GROWTH_MB = 64;

/** The short form of a row of `npm run bench -- --only sse`, where 200 readers stop. */
it(`closing 50 stalled streams takes less than ${MAX_GROWTH_MB} MB of memory, and the other streams get everything`, async (t) => {
  // It ends when the other readers have all that was said.
  const args = ['--expose-gc', 'scripts/bench/sse/stalled.ts', 'quick', 'stall'];
  const { stdout } = await run(process.execPath, args, { timeout: 600_000 });
  const { growthMb, closed } = JSON.parse(stdout.trimEnd().split('\n').at(-1)!);
  t.diagnostic(`grew by ${growthMb.toFixed(1)} MB`);
  assert.equal(closed, 50);
  assert.ok(growthMb < MAX_GROWTH_MB, `${growthMb} MB`);
});
