import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = new URL('./campaigns/fan-out.ts', import.meta.url);

export function benchCampaigns({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const [few, many] = isQuick ? ['1000', '10000'] : ['10000', '100000'];
  return runRounds({
    title: 'blasts: list to lane',
    ceiling: 'bare loop',
    rounds,
    timeoutMs: 300_000,
    variants: [
      { name: 'bare loop', script, args: ['bare', many] },
      { name: 'campaign', script, args: ['campaign', many] },
      { name: 'campaign, a tenth of it', script, args: ['campaign', few] },
    ],
    metrics: [
      { key: 'rate', title: 'recipients/s', digits: 0 },
      { key: 'cpuUs', title: 'CPU µs/recipient', digits: 1 },
      { key: 'heapMb', title: 'MB of heap at the most', digits: 1 },
    ],
  });
}

export const BLAST_NOTES = [
  'blasts: claim 1,000 recipients, render three tokens, insert their messages, mark them, full synchronous; the campaign also looks at window, consent, quota and devices before each batch and counts once a second.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(formatTable(await benchCampaigns(roundsOptions(process.argv.slice(2)))));
  for (const note of BLAST_NOTES) console.log(`- ${note}`);
}
