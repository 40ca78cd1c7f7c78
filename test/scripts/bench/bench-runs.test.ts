import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How many items of a part stand in the verdict. */
const ITEMS = {
  actors: 8,
  log: 6,
  store: 2,
  http: 7,
  messages: 6,
  start: 2,
  metrics: 1,
  cluster: 6,
  webhooks: 3,
  stores: 3,
  devices: 6,
  sse: 4,
};

/** The rows of `npm run bench -- --quick --only part` under "How we stand". */
async function verdictOf(part: string): Promise<readonly (readonly string[])[]> {
  // The verdict is on the embedded store: MongoDB would be filled for nothing.
  const env = { ...process.env, MONGODB_URL: '' };
  const { stdout } = await run(process.execPath, ['scripts/bench/main.ts', '--quick', '--only', part], { env });
  const [, verdict = ''] = stdout.split('## How we stand');
  const lines = verdict.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
}

/** What a run for each change has time for; `NIGHT` runs all. */
const EVERY_DAY = ['log'];
const parts = Object.entries(ITEMS).filter(([part]) => process.env['NIGHT'] || EVERY_DAY.includes(part));
if (!process.env['NIGHT']) console.log(`Of the benchmark only ${EVERY_DAY.join(', ')} run here; npm run check:night runs all parts.`);

describe('the benchmark', () => {
  for (const [part, items] of parts) {
    it(`reports a figure for every item of ${part}`, async () => {
      const rows = await verdictOf(part);
      assert.equal(rows.length, items);
      for (const [item, ours, , , goal, met] of rows) {
        // What a few devices add to a process may be less than what its collector takes away meanwhile.
        assert.match(ours ?? '', /^-?[\d,.]+ /, item);
        assert.match(met ?? '', goal === '–' ? /^–$/ : /^(yes|NO)$/, item);
      }
    });
  }

  it('lists its parts if an unknown part is requested', async () => {
    const asked = run(process.execPath, ['scripts/bench/main.ts', '--only', 'actors,weather']);
    await assert.rejects(asked, /--only takes one or several, with commas, of actors, log, growth, groups, store, /);
  });
});
