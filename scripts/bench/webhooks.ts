import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

export const AGES = 'webhooks: their age when they arrive, at 300 sends a second';

const script = (name: string): URL => new URL(`./webhooks/${name}.ts`, import.meta.url);

export async function benchWebhooks({ rounds, isQuick }: RoundsOptions, show: (table: Table) => void): Promise<void> {
  const size = isQuick ? 'quick' : 'full';
  show(
    await runRounds({
      title: 'webhooks: a 472-byte delivery, 50 at once',
      ceiling: 'undici dispatch',
      rounds,
      metrics: [
        { key: 'cpuUs', title: 'CPU µs', digits: 1 },
        { key: 'rate', title: 'deliveries/s', digits: 0 },
      ],
      variants: [
        { name: 'undici dispatch', script: script('bare-dispatch'), args: [size] },
        { name: 'signed delivery', script: script('signed-delivery'), args: [size] },
      ],
    }),
  );
  show(
    await runRounds({
      title: 'webhooks: beside an endpoint that never answers',
      ceiling: 'without it',
      rounds,
      metrics: [
        { key: 'p50', title: 'p50 ms', digits: 1 },
        { key: 'p99', title: 'p99 ms', digits: 1 },
      ],
      variants: [
        { name: 'without it', script: script('beside'), args: [size, 'alone'] },
        { name: '10,000 waiting for it', script: script('beside'), args: [size, 'hanging'] },
      ],
    }),
  );
  show(
    await runRounds({
      title: AGES,
      ceiling: 'gateway',
      rounds,
      timeoutMs: 300_000,
      metrics: [
        { key: 'p50', title: 'p50 s', digits: 2 },
        { key: 'p99', title: 'p99 s', digits: 2 },
        { key: 'each', title: 'deliveries/send', digits: 2 },
        { key: 'cpuMs', title: 'CPU ms/send', digits: 2 },
      ],
      variants: [{ name: 'gateway', script: script('ages'), args: [size] }],
    }),
  );
}

export const WEBHOOK_NOTES = [
  'their age: 60 devices of one tenant, 30 s, one endpoint that answers at once in another process and wants what is sent, delivered and read; the last delivery counts, too.',
  'webhooks: a signed delivery carries both signatures, is guarded, timed and given a place at its host; the bare dispatch is none of that. The receiver is a process of its own.',
  'beside an endpoint: 10 other tenants, from a delivery being due to its reaching the receiver, store and actor included.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchWebhooks(roundsOptions(process.argv.slice(2)), (table) => console.log(`${formatTable(table)}\n`));
  for (const note of WEBHOOK_NOTES) console.log(`- ${note}`);
}
