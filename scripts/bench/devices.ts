import { pathToFileURL } from 'node:url';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

export const DEVICES = 'devices: online in one node';
export const REAL_DEVICES = 'devices: on the driver of the real network, in one node';

const HOUR_MS = 3_600_000;

export async function benchDevices({ rounds, isQuick }: RoundsOptions, show: (table: Table) => void): Promise<void> {
  const args = [isQuick ? 'quick' : 'full'];
  show(
    await runRounds({
      title: DEVICES,
      ceiling: 'gateway',
      rounds,
      timeoutMs: 300_000,
      variants: [{ name: 'gateway', script: new URL('./devices/online.ts', import.meta.url), args }],
      metrics: [
        { key: 'heapKb', title: 'kB heap and external/device', digits: 1 },
        { key: 'rssKb', title: 'kB RSS/device', digits: 1 },
        { key: 'rate', title: 'messages/s, accepted → sent', digits: 0 },
        { key: 'cpuUs', title: 'CPU µs/message', digits: 0 },
      ],
    }),
  );
  show(
    await runRounds({
      title: REAL_DEVICES,
      ceiling: 'gateway',
      // One round is enough, because memory hardly varies. More rounds would be slow, because each
      // links thousands of devices.
      rounds: 1,
      timeoutMs: HOUR_MS,
      variants: [{ name: 'gateway', script: new URL('./devices/real.ts', import.meta.url), args }],
      metrics: [
        { key: 'heapKb', title: 'kB heap and external/device', digits: 1 },
        { key: 'rssKb', title: 'kB RSS/device', digits: 1 },
        { key: 'rssMb', title: 'MB RSS', digits: 0 },
        { key: 'talkKb', title: 'kB heap/device more once it talked', digits: 1 },
        { key: 'talkedRssMb', title: 'MB RSS then', digits: 0 },
        { key: 'talked', title: 'devices talked', digits: 0 },
        { key: 'cpuMs', title: 'CPU ms/text and answer', digits: 1 },
      ],
    }),
  );
}

export const DEVICE_NOTES = [
  'devices: marginal weight from 100 to 1,000 devices (10 to 60 with --quick), the sandbox network in another process; messages without pace, receipts included.',
  'devices on the driver of the real network: one round, marginal weight from 100 to 3,000 (1 to 3 with --quick; DEVICES=100,1000,3000 are the steps) after a start that logged all of them in, the protocol peer in another process; then each sends its first text, and is answered, and what the gateway keeps of that is weighed, too. The first links of thousands take about a quarter of an hour on a quiet machine.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchDevices(roundsOptions(process.argv.slice(2)), (table) => console.log(`${formatTable(table)}\n`));
  for (const note of DEVICE_NOTES) console.log(`- ${note}`);
}
