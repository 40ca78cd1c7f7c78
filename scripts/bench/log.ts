import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MongoClient } from 'mongodb';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import { askedOf } from './log/filters.ts';
import { embeddedPlans, mongoPlans } from './log/plans.ts';
import { plant } from './log/plant.ts';
import { formatTable, type RoundsOptions, roundsOptions, runRounds, type Table } from './rounds.ts';
import { scratchDirectory } from './scratch.ts';

const script = new URL('./log/pages.ts', import.meta.url);
const FEW = 1_000;
const mongoUrl = process.env['MONGODB_URL'];

export async function benchLog({ rounds, isQuick }: RoundsOptions, show: (table: Table) => void): Promise<void> {
  const many = isQuick ? 20_000 : 1_000_000;
  const directory = scratchDirectory();
  const embedded = (count: number): string => join(directory, `log-${count}.db`);
  for (const count of [FEW, many]) await plantedIn(openEmbedded({ path: embedded(count) }), count);
  show(await tableOf('embedded', { few: embedded(FEW), many: embedded(many) }, many, rounds));
  tell(await embeddedPlans(embedded(many), many));
  if (!mongoUrl) return console.log('MONGODB_URL is not set: the log in MongoDB is left out.\n');
  const run = randomBytes(4).toString('hex');
  const mongo = (count: number): string => withDatabase(mongoUrl, `bench_${run}_${count}`);
  try {
    for (const count of [FEW, many]) await plantedIn(await openMongo({ url: mongo(count) }), count);
    show(await tableOf('mongodb', { few: mongo(FEW), many: mongo(many) }, many, rounds));
    tell(await mongoPlans(mongo(many), many));
  } finally {
    for (const count of [FEW, many]) await dropped(mongo(count));
  }
}

export const LOG_NOTES = [
  'log: the median of 60 pages of 50 from one device, by the wall, in the process that asks; the first 20 are not counted. Both logs hold as many of what is asked for; the rest is what grows.',
  'log: a server that speaks the protocol of MongoDB may sort what a filter finds rather than walk the index; there a page is read from the stretch of time that its plan shows (store/paging/adaptive-range.ts).',
];

async function plantedIn(store: Parameters<typeof plant>[0], count: number): Promise<void> {
  await plant(store, count);
  await store.close();
}

function tableOf(store: string, places: { few: string; many: string }, many: number, rounds: number): Promise<Table> {
  return runRounds({
    title: `log: a page of 50, ${store}`,
    ceiling: 'few messages',
    rounds,
    variants: [
      { name: 'few messages', script, args: [store, places.few, String(FEW)] },
      { name: 'many messages', script, args: [store, places.many, String(many)] },
    ],
    metrics: askedOf(many).map(({ key, title }) => ({ key, title: `µs, ${title}`, digits: 0 })),
  });
}

function tell(plans: readonly string[]): void {
  console.log(`${plans.map((plan) => `- ${plan}`).join('\n')}\n`);
}

function withDatabase(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}

async function dropped(url: string): Promise<void> {
  const client = await MongoClient.connect(url);
  await client.db().dropDatabase();
  await client.close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchLog(roundsOptions(process.argv.slice(2)), (table) => console.log(`${formatTable(table)}\n`));
  for (const note of LOG_NOTES) console.log(`- ${note}`);
}
