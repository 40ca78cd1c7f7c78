import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = (name: string): URL => new URL(`./official/${name}.ts`, import.meta.url);

export async function benchOfficial({ rounds, isQuick }: RoundsOptions, show: (table: Table) => void): Promise<void> {
  const size = isQuick ? 'quick' : 'full';
  show(
    await runRounds({
      title: 'official: webhooks of 1,000 updates, 300 updates/s',
      ceiling: 'gateway',
      rounds: 1,
      timeoutMs: 2_400_000,
      metrics: [
        { key: 'p50', title: 'p50 ms', digits: 0 },
        { key: 'p99', title: 'p99 ms', digits: 0 },
        { key: 'bareP99', title: 'p99 ms of a bare route', digits: 0 },
        { key: 'p50Ratio', title: 'p50 / bare', digits: 1 },
        { key: 'p99Ratio', title: 'p99 / bare', digits: 1 },
        { key: 'refused', title: 'not accepted', digits: 0 },
        { key: 'cpuUs', title: 'CPU µs/update', digits: 0 },
      ],
      variants: [{ name: 'gateway', script: script('updates'), args: [size] }],
    }),
  );
  for (const [text, of] of [
    ['ascii', ''],
    ['letters', ' of other letters than ASCII'],
  ] as const)
    show(
      await runRounds({
        title: `official: webhooks of 64 KB${of} with a wrong signature`,
        ceiling: 'bare route',
        rounds,
        timeoutMs: 600_000,
        metrics: [{ key: 'cpuUs', title: 'CPU µs', digits: 0 }],
        variants: [
          { name: 'bare route', script: script('forged'), args: [size, 'bare', text] },
          { name: 'gateway', script: script('forged'), args: [size, 'gateway', text] },
        ],
      }),
    );
}

export const OFFICIAL_NOTES = [
  'official: 200 webhooks (11 minutes, one round) of 500 messages and 500 statuses to a connected number over the embedded store; the time is until the answer, which follows the commit; CPU includes reading, storing and the client. Between two webhooks, the same bytes go to a bare route, so that the ratios hold beside other load. Forged: 1,000 calls after 1,000 others, 50 at once.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchOfficial(roundsOptions(process.argv.slice(2)), (table) => console.log(formatTable(table)));
  for (const note of OFFICIAL_NOTES) console.log(`- ${note}`);
}
