/**
 * `npm run simulate`: see USAGE. The simulated parts are in world.ts, the checked promises in store-oracles.ts and
 * verdict.ts.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import './isolate.ts';
import { PLANTS, plant } from './plants.ts';
import type { Outcome, Plan } from './play.ts';

const planted = Object.entries(PLANTS).map(([name, { about }]) => `    ${name.padEnd(20)} ${about}`);
const USAGE = `npm run simulate [-- --seed 1 --seeds 1 --nodes 2]

Runs a cluster of whole nodes in one process under one seed: virtual time, a simulated store, Redis and phone network, callers
that retry, and faults. Checks what callers were told, phones show and receivers got against each other. Prints each seed with
the hash of its history: the same seed of the same commit has the same hash everywhere. Exits with 1 where a promise was broken.
  --seed      the first seed (1); may be given again for another series
  --seeds     how many (1), for each series in order
  --nodes     nodes of the cluster, 2 to 5 (2)
  --timeline  print what happened in each seed
  --stop      end with the first seed that breaks a promise
  --json      one JSON object for each seed
  --plan      play the named plan in this file; may be given again, and together with --seed
  --minimise  play a broken seed again with ever fewer actions, at most so often, and print the plan that is left
  --plant     put a fault into the code first, to see that it is found:
${planted.join('\n')}`;

/** Lazily loaded modules, imported up front: later, they would be read from disk while virtual time passes. */
const LOADED_LATE = [
  ...['@simplewebauthn/server', 'file-type', 'qrcode', 'web-push', 'stripe'],
  ...['../../actors/network/official/driver.ts', '../../actors/services/official/open-login.ts'],
  '../../actors/services/official/templates.ts',
];

interface Options {
  readonly plans: readonly Plan[];
  readonly timeline: boolean;
  readonly stop: boolean;
  readonly json: boolean;
  readonly mostPlays: number | null;
  readonly plant: string | null;
}

async function main(): Promise<void> {
  const options = optionsIn();
  if (options === null) return say(USAGE);
  if (options.plant !== null) plant(options.plant);
  const { play } = await import('./play.ts');
  for (const late of LOADED_LATE) await import(late);
  const directory = mkdtempSync(join(tmpdir(), 'simulation-'));
  let broken = 0;
  try {
    for (const [nth, plan] of options.plans.entries()) {
      const before = process.cpuUsage();
      const outcome = await play(plan, directory);
      const { user, system } = process.cpuUsage(before);
      report(outcome, options, (user + system) / 1_000_000);
      if (outcome.violations.length === 0) continue;
      broken += 1;
      if (options.mostPlays !== null) await minimise(plan, (part) => play(part, directory), options.mostPlays);
      if (options.stop) {
        if (!options.json) say(`found with seed ${plan.seed}, number ${nth + 1}`);
        break;
      }
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  const { user, system } = process.cpuUsage();
  if (!options.json)
    say(`${broken} of ${options.plans.length} seeds broke a promise (${((user + system) / 1_000_000).toFixed(0)} CPU seconds)`);
  process.exitCode = broken > 0 ? 1 : 0;
}

function optionsIn(): Options | null {
  const [text, flag] = [{ type: 'string' } as const, { type: 'boolean' } as const];
  const series = { ...text, multiple: true } as const;
  const { values } = parseArgs({
    options: {
      ...{ seed: series, seeds: series, plan: series, nodes: text, minimise: text, plant: text },
      ...{ timeline: flag, stop: flag, json: flag, help: { ...flag, short: 'h' } },
    },
  });
  if (values.help) return null;
  const { timeline = false, stop = false, json = false } = values;
  const nodes = whole('--nodes', values.nodes ?? '2', 2, 5);
  const named = (values.plan ?? []).map((path): Plan => JSON.parse(readFileSync(path, 'utf8')));
  const { seed: firsts = named.length > 0 ? [] : ['1'], seeds: counts = [] } = values;
  const seeds = firsts.flatMap((text, nth): readonly Plan[] => {
    const first = whole('--seed', text, 0, 2 ** 31);
    return Array.from({ length: whole('--seeds', counts[nth] ?? '1', 1, 1_000_000) }, (_, more) => ({ seed: first + more, nodes }));
  });
  const mostPlays = values.minimise === undefined ? null : whole('--minimise', values.minimise, 1, 10_000);
  return { plans: [...named, ...seeds], timeline, stop, json, mostPlays, plant: values.plant ?? null };
}

function whole(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Error(`${name} must be a whole number from ${least} to ${most}`);
}

function report({ plan, hash, violations, history, counts }: Outcome, { json, timeline }: Options, cpuS: number): void {
  if (timeline) say(history.timeline());
  const told = violations.map(({ invariant, detail }) => ({ invariant, detail: history.named(detail) }));
  if (json) return say(JSON.stringify({ ...plan, hash, violations: told, remarks: Object.fromEntries(history.remarks), counts }));
  const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  say(
    `${plan.name ?? `seed ${plan.seed}`} on ${plan.nodes} nodes  ${hash}  ${told.length === 0 ? 'ok' : 'BROKEN'}  ${cpuS.toFixed(1)} CPU s  ${figures.join(', ')}`,
  );
  for (const { invariant, detail } of told.slice(0, 12)) say(`  broken: ${invariant}: ${detail}`);
}

async function minimise(plan: Plan, playIt: (plan: Plan) => Promise<Outcome>, mostPlays: number): Promise<void> {
  const { minimised } = await import('./minimise.ts');
  const part = await minimised(plan, playIt, mostPlays);
  if (part === null) return;
  const { history, violations } = await playIt(part);
  say(history.timeline());
  for (const { invariant, detail } of violations) say(`  broken: ${invariant}: ${history.named(detail)}`);
  say(`${part.only?.length} actions are left: ${JSON.stringify(part)}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 2;
});
// Dead nodes hold no resources that are worth waiting for.
process.exit();
