/**
 * The nightly simulation of merging people (merging.ts): PEOPLE of them under SEED, on two nodes per store. The stores
 * are the embedded one and the MongoDB server at MONGODB_URL, or its double. A separate program, because the test
 * runner tracks every promise, which costs a fifth more.
 */
import { engines, type StoreKind, scoped } from '../support/stores.ts';
import { play } from './merging.ts';

const people = Number(process.env['PEOPLE'] ?? 10_000);
const seed = Number(process.env['SEED'] ?? 1);
const ROUNDS = 3;
const SHOWN = 20;

async function broken(kind: StoreKind): Promise<boolean> {
  const before = process.cpuUsage();
  const promises = await scoped((scope) => play(scope, kind, { seed, people, rounds: ROUNDS }));
  const { user, system } = process.cpuUsage(before);
  const seconds = Math.round((user + system) / 1_000_000);
  process.stdout.write(`${kind.name}: ${people} people, seed ${seed}: ${promises.length} broken promises, ${seconds} CPU s\n`);
  for (const one of promises.slice(0, SHOWN)) process.stdout.write(`  ${one}\n`);
  return promises.length > 0;
}

// The double comes last and runs only without a server.
for (const kind of engines.slice(0, 2)) if (await broken(kind)) process.exitCode = 1;
process.exit();
