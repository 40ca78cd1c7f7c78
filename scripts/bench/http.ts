import { pathToFileURL } from 'node:url';
import { formatTable, type Metric, type RoundsOptions, roundsOptions, runAll, runRounds, type Table, tabulate } from './rounds.ts';

const METRICS: readonly Metric[] = [
  { key: 'cpuUs', title: 'CPU µs/request', digits: 1 },
  { key: 'rate', title: 'requests/s', digits: 0 },
  { key: 'p99', title: 'p99 ms', digits: 1 },
];

const script = (name: string): URL => new URL(`./http/${name}.ts`, import.meta.url);

export async function benchHttp({ rounds, isQuick }: RoundsOptions, show: (table: Table) => void): Promise<void> {
  const size = isQuick ? 'quick' : 'full';
  const accept = {
    title: 'http: 202 to a 296-byte body, 50 connections',
    ceiling: 'bare hapi',
    rounds,
    metrics: [...METRICS, { key: 'commands', title: 'MongoDB commands', digits: 2 }],
    variants: [
      { name: 'bare hapi', script: script('bare-hapi'), args: [size] },
      { name: 'node:http + grouped insert', script: script('node-grouped'), args: [size] },
      { name: 'gateway', script: script('gateway'), args: [size] },
      ...(process.env['MONGODB_URL'] ? [{ name: 'gateway, MongoDB', script: script('gateway'), args: [size, 'mongodb'] }] : []),
    ],
  };
  const runs = await runAll(accept);
  show(tabulate(accept, runs));
  show(tabulate({ ...accept, title: 'http: the same, durable ceiling', ceiling: 'node:http + grouped insert' }, runs));
  show(
    await runRounds({
      title: 'http: a repeated JWT',
      ceiling: 'no credentials',
      rounds,
      metrics: METRICS,
      variants: [
        { name: 'no credentials', script: script('cheap-get'), args: [size, 'open'] },
        { name: 'JWT', script: script('cheap-get'), args: [size, 'jwt'] },
      ],
    }),
  );
  show(
    await runRounds({
      title: AGENTS,
      ceiling: 'GET /v1/inbox',
      rounds,
      metrics: METRICS,
      variants: [
        { name: 'GET /v1/inbox', script: script('agent'), args: [size, 'rest'] },
        { name: 'list_chats', script: script('agent'), args: [size, 'tool'] },
        { name: 'tools/list', script: script('agent'), args: [size, 'list'] },
      ],
    }),
  );
}

export const AGENTS = 'http: an AI agent over MCP, with a key';

export const HTTP_NOTES = [
  'gateway: a whole node at the default log level, its log to /dev/null, limits set so high that none refuses; its device is connected by its row only, so that accepting is measured and sending is not.',
  'The load comes from a second process. CPU is that of the server process with all its threads; the rates are bound by what the machine leaves for both.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchHttp(roundsOptions(process.argv.slice(2)), (table) => console.log(`${formatTable(table)}\n`));
  for (const note of HTTP_NOTES) console.log(`- ${note}`);
}
