import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../runtime/clock.ts';
import type { Sample } from '../chaos/reports.ts';
import type { World } from '../chaos/world.ts';

export interface NodeSample extends Sample {
  /** Node and start number: `n1#2` is the second start of node `n1`. */
  readonly name: string;
}

export interface Moment {
  readonly at: number;
  readonly nodes: readonly NodeSample[];
  readonly redisKeys: number | null;
  readonly rows: Readonly<Record<string, number>>;
  readonly fileBytes: number;
}

const ANSWERS_WITHIN_MS = 5_000;

export async function momentOf(world: World, startedAt: number): Promise<Moment> {
  const at = Math.round(systemClock.monotonic() - startedAt);
  const [nodes, redisKeys, rows] = await Promise.all([
    Promise.all(world.running.map((node) => node.sample(ANSWERS_WITHIN_MS))),
    world.redis.run((redis) => redis.dbsize()).catch(() => null),
    rowsIn(world),
  ]);
  return { at, nodes: nodes.filter((node) => node !== null), redisKeys, rows, fileBytes: bytesIn(world.directory) };
}

async function rowsIn({ db }: World): Promise<Readonly<Record<string, number>>> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).toSorted();
  const counts = await Promise.all(names.map((name) => db.collection(name).estimatedDocumentCount()));
  return Object.fromEntries(names.map((name, i) => [name, counts[i] ?? 0]));
}

function bytesIn(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
