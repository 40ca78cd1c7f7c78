import type { JournalEntry } from '../../actors/network/sandbox/protocol.ts';
import { seededRandom } from '../../runtime/random.ts';
import { expected } from './caller.ts';
import type { Point } from './points.ts';
import { emptyLedger, round } from './rounds.ts';
import { judge, type Line, type Logged } from './verdict.ts';
import { SHOP, World, type WorldOptions } from './world.ts';

export interface RunOptions extends WorldOptions {
  readonly points: readonly Point[];
  readonly kills: number;
  readonly seed: number;
  readonly onKill?: (point: Point) => void;
}

export async function run({ points, kills, seed, onKill, ...options }: RunOptions): Promise<readonly Line[]> {
  const random = seededRandom(seed);
  const ledger = emptyLedger();
  const world = await World.open(options);
  try {
    for (const point of points) {
      for (let kill = 0; kill < kills; kill++) {
        await round(world, ledger, point, random);
        onKill?.(point);
      }
    }
    // The log is read first, because the journal may know more than the log, but not less.
    const log = await wholeLog(world);
    return judge({ ledger, own: SHOP, log, journal: await wholeJournal(world) });
  } finally {
    await world.close();
  }
}

async function wholeLog(world: World): Promise<readonly Logged[]> {
  const log: Logged[] = [];
  for (let query: string | null = ''; query !== null; ) {
    const { messages, next_before, next_before_id } = expected(await world.api('GET', `${world.path}/messages?limit=200${query}`), 200);
    log.push(...messages);
    query = next_before === null ? null : `&before=${next_before}&before_id=${next_before_id}`;
  }
  return log;
}

async function wholeJournal(world: World): Promise<readonly JournalEntry[]> {
  const journal: JournalEntry[] = [];
  for (;;) {
    const after = journal.at(-1)?.seq ?? 0;
    const { entries } = expected(await world.sandbox('GET', `/sandbox/journal?limit=10000&after=${after}`), 200);
    if (entries.length === 0) return journal;
    journal.push(...entries);
  }
}
