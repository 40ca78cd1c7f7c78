import { pathToFileURL } from 'node:url';
import { baseline } from '../faults/whatsapp/published.ts';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = new URL('./whatsapp/texts.ts', import.meta.url);

export const TEXTS = 'whatsapp: a warm text until it is read, over the protocol peer';

export function benchWhatsApp({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const bare = baseline();
  Object.assign(process.env, bare.env);
  console.log(`${bare.is}\n`);
  return runRounds({
    title: TEXTS,
    ceiling: 'bare',
    rounds,
    timeoutMs: 900_000,
    variants: ['bare', 'gateway'].map((name) => ({ name, script, args: [name, isQuick ? 'quick' : 'full'] })),
    metrics: [
      { key: 'sequential', title: 'CPU ms, one after the other', digits: 2 },
      { key: 'eight', title: 'CPU ms, 8 at once', digits: 2 },
      { key: 'everybody', title: 'CPU ms, 20 devices', digits: 2 },
      { key: 'pair', title: 'CPU ms, group of 2', digits: 2 },
      { key: 'group', title: 'CPU ms, group of 50', digits: 2 },
    ],
  });
}

export const WHATSAPP_NOTES = [
  'whatsapp: `bare` is the client library with the Signal code that it is published with, which npm fetches for the run; without npm it runs over ours, and the ratios are stricter. The peer is in a process of its own. With --quick: 2 devices, and a group of 5. The sequential ratio needs a quiet machine: half of such a text is waiting for the disk.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(formatTable(await benchWhatsApp(roundsOptions(process.argv.slice(2)))));
  for (const note of WHATSAPP_NOTES) console.log(`- ${note}`);
}
