import { DatabaseSync } from 'node:sqlite';
import { MongoClient } from 'mongodb';
import { type AudienceDeps, batchOf, countOf } from '../../../actors/services/contacts/audience.ts';
import { labelWriterOf } from '../../../actors/services/contacts/contacts.ts';
import { attributesFor, type LabelWriter, tagIdsFor } from '../../../actors/services/contacts/labels.ts';
import { compileSegment } from '../../../actors/services/contacts/segment-query.ts';
import type { Rules } from '../../../actors/services/contacts/segment-rules.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { at, present } from '../../../runtime/invariant.ts';
import { contactsIn, contactsSpec, within } from '../../../store/contacts/contacts.ts';
import { labelsIn } from '../../../store/contacts/labels.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { toOrder, toWhere } from '../../../store/engines/embedded/filter.ts';
import { layoutOf } from '../../../store/engines/embedded/layout.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import type { Filter, Sort, Store } from '../../../store/port.ts';
import { scratchDirectory } from '../scratch.ts';
import { turnsWatched } from './loop-watch.ts';
import { contactOf, somebody } from './rows.ts';

/** Arguments: `embedded|mongodb <contacts>`. Prints the time, longest event-loop tick and query plan. */
const [, , kind, size] = process.argv;
const people = Number(size);
const TENANT = 'bench';
const BATCH_SIZE = 1_000;
const TIMES = 5;
const RECIPIENTS = 500;

const RULES: Readonly<Record<string, Rules>> = {
  few: { all: [{ field: 'tag', op: 'is', value: 'few' }] },
  half: {
    all: [
      { field: 'tag', op: 'is', value: 'half' },
      { field: 'country', op: 'is', value: 'ID' },
    ],
  },
  either: {
    any: [
      { field: 'tag', op: 'is', value: 'few' },
      { field: 'attr.city', op: 'is', value: 'bandung' },
    ],
  },
  looked: { all: [{ field: 'name', op: 'contains', value: '77' }] },
};

const directory = scratchDirectory();
const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/');
url.pathname = `/bench_${process.pid}`;
const store: Store = kind === 'mongodb' ? await openMongo({ url: url.href }) : openEmbedded({ path: `${directory}/gateway.db` });
const deps: AudienceDeps = { contacts: contactsIn(store), labels: labelsIn(store), consentsOf: async () => new Map() };
await store.prepare();
const labelWriter = await planted();

const figures: Record<string, number> = {};
for (const [name, rules] of Object.entries(RULES)) {
  const query = compileSegment(rules, labelWriter.labelIndex, systemClock.now());
  console.log(`${kind}, ${name}: ${JSON.stringify(rules)}\n  ${await planOf(within(TENANT, {}, query.filter))}`);
  let count = 0;
  const began = systemClock.monotonic();
  const { turnMost } = await turnsWatched(async () => {
    for (let times = 0; times < TIMES; times += 1) count = await countOf(deps, TENANT, query);
  });
  figures[name] = (systemClock.monotonic() - began) / TIMES;
  figures['turn'] = Math.max(figures['turn'] ?? 0, turnMost);
  console.log(`  ${count} of ${people} contacts`);
}
figures['batch'] = await batchMs();
console.log(JSON.stringify(figures));
await finished();

async function batchMs(): Promise<number> {
  const query = compileSegment(present(RULES['half'], 'the rule of half'), labelWriter.labelIndex, systemClock.now());
  const middle = at(await deps.contacts.byPhones(TENANT, [somebody(people / 2).phone]), 0);
  const asked = within(TENANT, { _id: { $gt: middle._id } }, query.filter);
  console.log(`${kind}, ${RECIPIENTS} recipients of half\n  ${await planOf(asked, { _id: 1 })}`);
  const began = systemClock.monotonic();
  for (let times = 0; times < TIMES; times += 1) await batchOf(deps, TENANT, query, middle._id, RECIPIENTS);
  return (systemClock.monotonic() - began) / TIMES;
}

async function planted(): Promise<LabelWriter> {
  const made = await labelWriterOf(deps, TENANT, systemClock.now());
  const tags = await tagIdsFor(made, ['half', 'few']);
  const city = at(Object.keys(await attributesFor(made, { city: 'x' })), 0);
  const ids = { tag: (name: string): string => at(tags, name === 'half' ? 0 : 1), city };
  for (let from = 0; from < people; from += BATCH_SIZE) {
    const now = systemClock.now();
    await deps.contacts.addMany(Array.from({ length: BATCH_SIZE }, (_, nth) => contactOf(TENANT, somebody(from + nth), ids, now)));
  }
  return made;
}

async function planOf(filter: Filter, sort?: Sort): Promise<string> {
  if (kind === 'mongodb') {
    const client = await MongoClient.connect(url.href);
    const page = sort ? { sort, limit: RECIPIENTS } : {};
    const plan = await client.db().collection('contacts').find(filter, page).explain('queryPlanner');
    await client.close();
    return stagesOf(plan['queryPlanner']['winningPlan']);
  }
  const layout = layoutOf(contactsSpec);
  const { sql, params } = toWhere(layout, filter);
  const rows = sort ? `doc FROM contacts${sql}${toOrder(layout, sort)} LIMIT ${RECIPIENTS}` : `count(*) FROM contacts${sql}`;
  const db = new DatabaseSync(`${directory}/gateway.db`, { readOnly: true });
  const steps = db.prepare(`EXPLAIN QUERY PLAN SELECT ${rows}`).all(...params);
  db.close();
  return steps.map(({ detail }) => String(detail)).join(' · ');
}

function stagesOf(plan: unknown): string {
  if (typeof plan !== 'object' || plan === null) return '';
  const named = new Map<string, unknown>(Object.entries(plan));
  const stage = named.get('stage') ?? named.get('Node Type');
  const index = named.get('indexName') ?? named.get('Index Name');
  const own = typeof stage === 'string' ? [`${stage}${typeof index === 'string' ? ` ${index}` : ''}`] : [];
  return [...own, ...Object.values(plan).map(stagesOf)].filter(Boolean).join(' ← ');
}

async function finished(): Promise<void> {
  if (kind === 'mongodb') {
    const client = await MongoClient.connect(url.href);
    await client.db().dropDatabase();
    await client.close();
  }
  await store.close();
}
