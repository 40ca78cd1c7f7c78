import { pause, systemClock } from '../../runtime/clock.ts';
import { at } from '../../runtime/invariant.ts';
import { type Random, seededRandom } from '../../runtime/random.ts';
import { expected } from './caller.ts';
import { until } from './processes.ts';
import { World } from './world.ts';

export interface ImportRun {
  readonly rows: number;
  readonly kills: number;
  readonly seed: number;
  readonly mongodbUrl: string | null;
}

export interface ImportVerdict {
  readonly rows: number;
  readonly kills: number;
  /** Number of people in valid rows who are not contacts, or whose name is not that of their last row. */
  readonly missing: number;
  readonly strangers: number;
  /** Number of invalid rows that are not reported exactly once. */
  readonly misnamed: number;
  /** Number of people who opted in but lack a consent record, or do not have exactly one history entry. */
  readonly misremembered: number;
  /** Counts reported by the import that differ from the file. */
  readonly miscounted: readonly string[];
}

/**
 * One row in 50 is invalid, one in 40 repeats a person under a different name, and one in 100 opts
 * in.
 */
const BAD = 50;
const AGAIN = 40;
const AGREES = 100;
const LONGEST_LIFE_MS = 500;
const DONE_WITHIN_MS = 240_000;

interface Row {
  readonly phone: string;
  readonly name: string;
  readonly opt_in?: string;
}

export async function runImport({ rows: count, kills, seed, mongodbUrl }: ImportRun): Promise<ImportVerdict> {
  const random = seededRandom(seed);
  const rows = Array.from({ length: count }, (_, nth) => rowAt(nth));
  const world = await World.open({ guard: 'on', mongodbUrl });
  try {
    const { id } = expected(await world.api('POST', '/v1/contacts/import', { rows }), 202);
    const path = `/v1/contacts/imports/${id}`;
    let met = 0;
    while (met < kills && (await diesSoon(world, path, random))) met += 1;
    const done = await until(DONE_WITHIN_MS, async () => {
      const said = expected(await world.api('GET', path), 200);
      return said.status === 'done' && said;
    });
    if (!done) throw new Error('the import did not end');
    return { rows: count, kills: met, ...(await verdictOf(world, rows, done)) };
  } finally {
    await world.close();
  }
}

async function diesSoon(world: World, path: string, random: Random): Promise<boolean> {
  await pause(systemClock, Math.round(random() * LONGEST_LIFE_MS));
  await world.gateway.kill();
  await world.start();
  return expected(await world.api('GET', path), 200).status !== 'done';
}

const isBad = (nth: number): boolean => nth % BAD === 7;
const isAgain = (nth: number): boolean => nth % AGAIN === 11;
const agrees = (nth: number): boolean => nth % AGREES === 13;
const phoneOf = (nth: number): string => String(6_281_200_000_000 + nth);

function rowAt(nth: number): Row {
  if (isBad(nth)) return { phone: `nobody ${nth}`, name: 'x' };
  const phone = phoneOf(isAgain(nth) ? nth - 1 : nth);
  return { phone: `+${phone}`, name: `Row ${nth}`, ...(agrees(nth) && { opt_in: 'yes' }) };
}

interface Said {
  readonly errors: readonly { readonly row: number }[];
  readonly [count: string]: unknown;
}

async function verdictOf(world: World, rows: readonly Row[], said: Said): Promise<Omit<ImportVerdict, 'rows' | 'kills'>> {
  const numbers = rows.map((_row, nth) => nth);
  const good = new Map(numbers.filter((nth) => !isBad(nth)).map((nth) => [at(rows, nth).phone.slice(1), at(rows, nth).name]));
  const bad = numbers.filter(isBad);
  const agreed = numbers.filter((nth) => agrees(nth) && !isBad(nth));
  const there = await contactsIn(world);
  const counts: Readonly<Record<string, number>> = {
    total: rows.length,
    created: good.size,
    updated: rows.length - bad.length - good.size,
    invalid: bad.length,
    opted_in: agreed.length,
  };
  const named = Map.groupBy(said.errors, ({ row }) => row);
  return {
    missing: [...good].filter(([phone, name]) => there.get(phone) !== name).length,
    strangers: [...there.keys()].filter((phone) => !good.has(phone)).length,
    misnamed: bad.filter((nth) => named.get(nth + 1)?.length !== 1).length + Math.max(0, named.size - bad.length),
    misremembered: await misremembered(
      world,
      agreed.map((nth) => at(rows, nth).phone),
    ),
    miscounted: Object.entries(counts).flatMap(([name, count]) => (said[name] === count ? [] : [`${name} ${said[name]} of ${count}`])),
  };
}

async function contactsIn({ api }: World): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let after: string | null = ''; after !== null; ) {
    const { contacts, next_before, next_before_id } = expected(await api('GET', `/v1/contacts?limit=200${after}`), 200);
    for (const { phone, name } of contacts) found.set(phone, found.has(phone) ? 'twice' : name);
    after = next_before === null ? null : `&before=${next_before}&before_id=${next_before_id}`;
  }
  return found;
}

async function misremembered({ api }: World, phones: readonly string[]): Promise<number> {
  let wrong = 0;
  for (const phone of phones) {
    const { current, history } = expected(await api('GET', `/v1/consent/history/${encodeURIComponent(phone)}`), 200);
    if (current?.status !== 'opted_in' || current.source !== 'import' || history.length !== 1) wrong += 1;
  }
  return wrong;
}
