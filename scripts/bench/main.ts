import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { present, at as valueAt } from '../../runtime/invariant.ts';
import { ACTOR_NOTES, benchActors } from './actors.ts';
import { AI_NOTES, benchAi } from './ai.ts';
import { AUTO_REPLY_NOTES, benchAutoReply } from './auto-reply.ts';
import { BLAST_NOTES, benchCampaigns } from './campaigns.ts';
import { benchCluster, CLUSTER_NOTES } from './cluster.ts';
import { benchConsole, CONSOLE_NOTES } from './console.ts';
import { benchCrm, CRM_NOTES } from './contacts.ts';
import { benchDevices, DEVICE_NOTES } from './devices.ts';
import { benchFelt, FELT_NOTES } from './felt.ts';
import { aboveCeilings, PARTS_WITH_CEILINGS, verdicts } from './goals.ts';
import { benchGroups, GROUP_NOTES } from './groups.ts';
import { benchGrowth, GROWTH_NOTES } from './growth.ts';
import { benchHttp, HTTP_NOTES } from './http.ts';
import { benchLog, LOG_NOTES } from './log.ts';
import { benchMessages, MESSAGE_NOTES } from './messages.ts';
import { benchMetrics, METRICS_NOTES } from './metrics.ts';
import { benchOfficial, OFFICIAL_NOTES } from './official.ts';
import { formatTable, type RoundsOptions, roundsOptions, type Table } from './rounds.ts';
import { benchSse, benchStalled, SSE_NOTES } from './sse.ts';
import { benchStart, START_NOTES } from './start.ts';
import { benchStore } from './store.ts';
import { benchStores, STORE_NOTES } from './stores.ts';
import { benchSuite, SUITE_NOTES } from './suite.ts';
import { benchWebhooks, WEBHOOK_NOTES } from './webhooks.ts';
import { benchWhatsApp, WHATSAPP_NOTES } from './whatsapp.ts';

interface Part {
  readonly notes: readonly string[];
  run(options: RoundsOptions, show: (table: Table) => void): Promise<void>;
}

const PARTS: Readonly<Record<string, Part>> = {
  actors: { notes: ACTOR_NOTES, run: benchActors },
  log: { notes: LOG_NOTES, run: benchLog },
  growth: { notes: GROWTH_NOTES, run: benchGrowth },
  groups: { notes: GROUP_NOTES, run: async (options, show) => show(await benchGroups(options)) },
  store: { notes: [], run: async (options, show) => show(await benchStore(options)) },
  http: { notes: HTTP_NOTES, run: benchHttp },
  messages: { notes: MESSAGE_NOTES, run: async (options, show) => show(await benchMessages(options)) },
  whatsapp: { notes: WHATSAPP_NOTES, run: async (options, show) => show(await benchWhatsApp(options)) },
  suite: { notes: SUITE_NOTES, run: async (options, show) => show(await benchSuite(options)) },
  start: { notes: START_NOTES, run: async (options, show) => show(await benchStart(options)) },
  metrics: { notes: METRICS_NOTES, run: async (options, show) => show(await benchMetrics(options)) },
  campaigns: { notes: BLAST_NOTES, run: async (options, show) => show(await benchCampaigns(options)) },
  crm: { notes: CRM_NOTES, run: benchCrm },
  'auto-reply': { notes: AUTO_REPLY_NOTES, run: async (options, show) => show(await benchAutoReply(options)) },
  ai: { notes: AI_NOTES, run: benchAi },
  cluster: { notes: CLUSTER_NOTES, run: benchCluster },
  webhooks: { notes: WEBHOOK_NOTES, run: benchWebhooks },
  stores: { notes: STORE_NOTES, run: async (options, show) => show(await benchStores(options)) },
  official: { notes: OFFICIAL_NOTES, run: benchOfficial },
  console: { notes: CONSOLE_NOTES, run: benchConsole },
  devices: { notes: DEVICE_NOTES, run: benchDevices },
  felt: { notes: FELT_NOTES, run: async (options, show) => show(await benchFelt(options)) },
  sse: {
    notes: SSE_NOTES,
    async run(options, show) {
      show(await benchSse(options));
      show(await benchStalled(options));
    },
  },
};

const METHOD =
  'Every (variant, round) is a process of its own, in the order A B C A B C …; a figure is the median of the rounds, a ratio the median of the ratios within a round. Where a machine is shared, trust CPU ratios before rates.';

/** With `--ceilings`, exits with 1 if a ratio is above its ceiling. */
async function main(argv: readonly string[]): Promise<void> {
  const options = roundsOptions(argv);
  const names = chosen(argv);
  const tables: Table[] = [];
  const show = (table: Table): void => {
    tables.push(table);
    console.log(`${formatTable(table)}\n`);
  };
  console.log(`${machine()}; ${options.rounds} rounds${options.isQuick ? ', quick: the figures mean little' : ''}.\n`);
  const parts = names.map((name) => present(PARTS[name], name));
  for (const part of parts) await part.run(options, show);
  console.log(`## How we stand\n\n${machine()}\n\n${verdicts(tables)}\n`);
  for (const note of [METHOD, ...parts.flatMap(({ notes }) => notes)]) console.log(`- ${note}`);
  if (!argv.includes('--ceilings')) return;
  const above = aboveCeilings(tables);
  console.log(`\n${above.length === 0 ? 'no ratio is above its ceiling' : `ABOVE THE CEILING: ${above.join('; ')}`}`);
  if (above.length > 0) process.exitCode = 1;
}

function chosen(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('--only');
  if (at === -1) return argv.includes('--ceilings') ? PARTS_WITH_CEILINGS : Object.keys(PARTS);
  const names = (argv[at + 1] ?? '').split(',');
  if (names.every((name) => Object.hasOwn(PARTS, name))) return names;
  throw new RangeError(`--only takes one or several, with commas, of ${Object.keys(PARTS).join(', ')}`);
}

function machine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = valueAt(loadavg(), 0).toFixed(1);
  return `${availableParallelism()} x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${memory} GiB, Node ${process.version}, load ${load}`;
}

await main(process.argv.slice(2)).catch((cause: unknown) => {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 1;
});
