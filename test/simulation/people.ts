/**
 * The night's part of the play of people (merging.ts): PEOPLE of them under SEED, on two nodes of each store: the embedded one, and a MongoDB server where
 * MONGODB_URL says which, else its double. A program of its own: the test runner follows every promise, which costs a fifth more.
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

// The double stands last: it is played where there is no server.
for (const kind of engines.slice(0, 2)) if (await broken(kind)) process.exitCode = 1;
process.exit();
