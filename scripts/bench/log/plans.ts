import { DatabaseSync } from 'node:sqlite';
import { MongoClient } from 'mongodb';
import { at } from '../../../runtime/invariant.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import { messagesIn } from '../../../store/messaging/messages.ts';
import type { Collection, Doc, Filter, Sort, Store } from '../../../store/port.ts';
import { askedOf } from './filters.ts';
import { BEGUN_AT, DEVICE, EVERY_MS, TENANT } from './plant.ts';

type Plans = readonly string[];

export async function embeddedPlans(path: string, count: number): Promise<Plans> {
  const statements: string[] = [];
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
    statements.push(sql);
    return prepare.call(this, sql);
  };
  const store = openEmbedded({ path });
  const plans: string[] = [];
  const messages = messagesIn(store);
  for (const { title, filter } of askedOf(count)) {
    statements.length = 0;
    await Array.fromAsync(messages.list(TENANT, DEVICE, filter, { limit: 51, before: null, beforeId: null }));
    const sql = statements.find((text) => text.startsWith('SELECT rowid'));
    if (sql) plans.push(`embedded, ${title}: ${explained(path, sql)}`);
  }
  DatabaseSync.prototype.prepare = prepare;
  await store.close();
  return plans;
}

function explained(path: string, sql: string): string {
  const db = new DatabaseSync(path, { readOnly: true });
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  db.close();
  return steps.map(({ detail }) => String(detail)).join('; ');
}

export async function mongoPlans(url: string, count: number): Promise<Plans> {
  const store = await openMongo({ url });
  const client = await MongoClient.connect(url);
  const asked: { filter: Filter; sort: Sort }[] = [];
  const messages = messagesIn(listening(store, (filter, sort) => asked.push({ filter, sort })));
  const plans: string[] = [];
  for (const { title, filter } of askedOf(count)) {
    asked.length = 0;
    await Array.fromAsync(
      messages.list(TENANT, DEVICE, filter, { limit: 51, before: null, beforeId: null, now: BEGUN_AT + count * EVERY_MS }),
    );
    const query = at(asked, -1);
    const found = client.db().collection('messages').find(query.filter, { sort: query.sort, limit: 51 });
    const { queryPlanner, executionStats } = await found.explain('executionStats');
    plans.push(`mongodb, ${title}: ${inWords({ queryPlanner, executionStats })}`);
  }
  await client.close();
  await store.close();
  return plans;
}

function listening(store: Store, receive: (filter: Filter, sort: Sort) => void): Store {
  return {
    ...store,
    name: store.name,
    collection<T extends Doc>(spec: Parameters<Store['collection']>[0]): Collection<T> {
      const collection = store.collection<T>(spec);
      return new Proxy(collection, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return (...args: [filter: Filter, options: { sort: Sort }]) => {
            if (name === 'find') receive(args[0], args[1].sort);
            return Reflect.apply(value, target, args);
          };
        },
      });
    },
  };
}

interface Stage {
  readonly stage?: string;
  readonly indexName?: string;
  readonly inputStage?: Stage;
  readonly 'Node Type'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Stage[];
}

interface Explained {
  readonly queryPlanner: { readonly winningPlan: Stage & { readonly queryPlan?: Stage } };
  readonly executionStats?: { readonly totalKeysExamined: number; readonly totalDocsExamined: number };
}

function inWords({ queryPlanner: { winningPlan }, executionStats: stats }: Explained): string {
  const steps: string[] = [];
  for (let at: Stage | undefined = winningPlan.queryPlan ?? winningPlan; at; at = at.inputStage ?? at.Plans?.[0])
    steps.push([at.stage ?? at['Node Type'], at.indexName ?? at['Index Name']].filter(Boolean).join(' '));
  return steps.join(' < ') + (stats ? `; ${stats.totalKeysExamined} keys, ${stats.totalDocsExamined} documents read` : '');
}
