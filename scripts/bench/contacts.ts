import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';

const script = (name: string): URL => new URL(`./contacts/${name}.ts`, import.meta.url);
const run = promisify(execFile);

export async function benchCrm(options: RoundsOptions, show: (table: Table) => void): Promise<void> {
  show(await benchImport(options));
  show(await benchImportAsks(options));
  show(await benchSegments(options));
}

function benchImport({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const [few, many] = isQuick ? (['1000', '5000'] as const) : (['10000', '100000'] as const);
  return runRounds({
    title: 'crm: contacts imported from CSV',
    ceiling: 'parser and inserts alone',
    rounds,
    timeoutMs: 180_000,
    variants: [
      { name: 'parser and inserts alone', script: script('import-bare'), args: [many] },
      { name: 'gateway', script: script('import'), args: [many] },
      { name: 'gateway, a tenth of the rows', script: script('import'), args: [few] },
      { name: 'gateway, idle', script: script('idle') },
    ],
    metrics: [
      { key: 'rate', title: 'rows/s', digits: 0 },
      { key: 'cpuUs', title: 'CPU µs/row', digits: 1 },
      { key: 'lateP99', title: 'event loop late, p99 ms', digits: 1 },
      { key: 'heapMb', title: 'most MB held', digits: 1 },
    ],
  });
}

function benchImportAsks({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const [few, many] = isQuick ? (['1000', '5000'] as const) : (['10000', '100000'] as const);
  return runRounds({
    title: 'crm: what an import asks of its process',
    ceiling: 'a tenth of the rows',
    rounds,
    timeoutMs: 300_000,
    variants: [
      { name: 'a tenth of the rows', script: script('import'), args: [few, 'turns'] },
      { name: 'all rows', script: script('import'), args: [many, 'turns'] },
      { name: 'a tenth of the rows, memory', script: script('import'), args: [few, 'live'] },
      { name: 'all rows, memory', script: script('import'), args: [many, 'live'] },
    ],
    metrics: [
      { key: 'turnP99', title: 'CPU of one turn, p99 ms', digits: 1 },
      { key: 'turnMost', title: 'at the most', digits: 1 },
      { key: 'liveMb', title: 'MB in use', digits: 1 },
    ],
  });
}

async function benchSegments({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const people = isQuick ? '5000' : '200000';
  const kinds = process.env['MONGODB_URL'] ? ['embedded', 'mongodb'] : ['embedded'];
  for (const kind of kinds) await plans(kind, people);
  return runRounds({
    title: `crm: segments of ${Number(people).toLocaleString('en')} contacts counted`,
    ceiling: 'embedded',
    rounds,
    timeoutMs: 300_000,
    variants: kinds.map((kind) => ({ name: kind, script: script('segment'), args: [kind, people] })),
    metrics: [
      { key: 'few', title: 'one tag, 1 in 1,000, ms', digits: 1 },
      { key: 'half', title: 'tag and country, half of them, ms', digits: 1 },
      { key: 'either', title: 'tag or attribute, ms', digits: 1 },
      { key: 'looked', title: 'part of a name: each is looked at, ms', digits: 0 },
      { key: 'batch', title: 'the next 500 of half, ms', digits: 1 },
      { key: 'turn', title: 'most CPU of one turn, ms', digits: 1 },
    ],
  });
}

async function plans(kind: string, people: string): Promise<void> {
  const { stdout } = await run(process.execPath, [fileURLToPath(script('segment')), kind, people]);
  console.log(`${stdout.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
}

export const CRM_NOTES = [
  'crm: an import reads on a thread of its own, resolves numbers, looks everybody up and records where it is; the ceiling believes numbers and looks nobody up. Its event loop also writes: the embedded store is synchronous.',
  'crm: segments are counted in one question but for a part of a name, which no index knows: then others work between batches.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchCrm(roundsOptions(process.argv.slice(2)), (table) => console.log(`${formatTable(table)}\n`));
  for (const note of CRM_NOTES) console.log(`- ${note}`);
}
