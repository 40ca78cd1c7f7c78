import { pathToFileURL } from 'node:url';
import { keysOf } from '../../runtime/keys-of.ts';
import { CASES, type CaseName } from './actors/workload.ts';
import { formatTable, type Metric, type RoundsOptions, roundsOptions, runRounds, type Table, type Variant } from './rounds.ts';

const SPEED: readonly Metric[] = [
  { key: 'rate', title: 'messages/s', digits: 0 },
  { key: 'cpuUs', title: 'CPU µs/message', digits: 3 },
];
const WEIGHT: readonly Metric[] = [{ key: 'bytes', title: 'heap bytes/actor', digits: 0 }];

/**
 * Fraction of the messages that each variant handles. Slow variants handle fewer, in waves of the
 * same size.
 */
const SHARE = { loop: 1, 'ready-list': 1, ours: 1, xstate: 0.3, comedy: 0.05, nact: 0.05 } as const;

const QUICK_SHARE = 0.05;
const QUICK_VARIANTS = new Set(['loop', 'ready-list', 'ours']);

export async function benchActors(options: RoundsOptions, show: (table: Table) => void): Promise<void> {
  for (const name of keysOf(CASES)) show(await benchCase(name, options));
}

function benchCase(name: CaseName, { rounds, isQuick }: RoundsOptions): Promise<Table> {
  const chosen = Object.entries(SHARE).filter(([variant]) => !isQuick || QUICK_VARIANTS.has(variant));
  const variants = chosen.map(([variant, share]) => toVariant(variant, name, isQuick ? share * QUICK_SHARE : share));
  const metrics = name === 'idle actor' ? WEIGHT : SPEED;
  return runRounds({ title: `actors: ${name}`, variants, ceiling: 'loop', metrics, rounds });
}

function toVariant(variant: string, name: CaseName, share: number): Variant {
  return { name: variant, script: new URL(`./actors/${variant}.ts`, import.meta.url), args: [name, String(share)] };
}

export const ACTOR_NOTES = [
  'xstate has no ask: the resolver travels in the event. comedy: at most 10,000 actors (making more takes minutes), so its ratios at 100,000 are flattered.',
  'nact: temporary references have random 32-bit ids, so of 100,000 questions at once some collide and their answers are lost: such a run has failed.',
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchActors(roundsOptions(process.argv.slice(2)), (table) => console.log(`${formatTable(table)}\n`));
  for (const note of ACTOR_NOTES) console.log(`- ${note}`);
}
