import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

/** A thousand devices online in one node. There is no ceiling to hold them against: for information. */
export function benchDevices({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  return runRounds({
    title: 'devices: online in one node',
    ceiling: 'gateway',
    rounds,
    timeoutMs: 300_000,
    variants: [{ name: 'gateway', script: new URL('./devices/online.ts', import.meta.url), args: [isQuick ? 'quick' : 'full'] }],
    metrics: [
      { key: 'heapKb', title: 'kB heap and external/device', digits: 1 },
      { key: 'rssKb', title: 'kB RSS/device', digits: 1 },
      { key: 'rate', title: 'messages/s, accepted → sent', digits: 0 },
      { key: 'cpuUs', title: 'CPU µs/message', digits: 0 },
    ],
  });
}

export const DEVICE_NOTES = [
  'devices: marginal weight from 100 to 1,000 devices (10 to 60 with --quick), the sandbox network in another process; messages without pace, receipts included.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(formatTable(await benchDevices(roundsOptions(process.argv.slice(2)))));
  for (const note of DEVICE_NOTES) console.log(`- ${note}`);
}
