import { Callers, pickBy, streamOf } from './callers.ts';
import { Faults } from './faults.ts';
import type { History, Violation } from './history.ts';
import { leaveWorld } from './isolate.ts';
import { Ledger } from './ledger.ts';
import { Dead } from './process.ts';
import { type Step, Steps } from './steps.ts';
import { StoreOracles } from './store-oracles.ts';
import { type SimTenant, setUp } from './tenants.ts';
import { Verdict } from './verdict.ts';
import { World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
/** Time without faults after which everything must be settled. */
const PEACE_MS = 30 * MINUTE;
/** The network blocks a replaced device for an hour before it may return. */
const PEACE_AFTER_REPLACED_MS = 75 * MINUTE;
const EARLIEST_END_MS = 4 * MINUTE;
const LOOKS_EVERY_MS = 30 * SECOND;

/** The run to play: a whole seed, only some of its actions, or the steps of a named plan. */
export interface Plan {
  readonly name?: string;
  readonly seed: number;
  readonly nodes: number;
  /** Names of actions and faults; default: all that the seed chooses. */
  readonly only?: readonly string[];
  /** The steps of a named plan, played instead of the actions and faults that the seed chooses. */
  readonly steps?: readonly Step[];
}

export interface Outcome {
  readonly plan: Plan;
  readonly hash: string;
  readonly violations: readonly Violation[];
  readonly history: History;
  /** Names of the actions that were played. */
  readonly actions: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Runs a world up to its verdict. `directory`: an empty one for the nodes' files. */
export async function play(plan: Plan, directory: string): Promise<Outcome> {
  const world = new World(plan.seed, directory);
  const onUnhandled = (cause: unknown): void => {
    if (!(cause instanceof Dead))
      world.history.violated('no unhandled rejection', cause instanceof Error ? `${cause.stack}` : String(cause));
  };
  process.on('unhandledRejection', onUnhandled);
  try {
    return await playIn(world, plan);
  } finally {
    for (const { process: one } of world.nodes.values()) one.kill();
    await world.time.advance(1);
    process.off('unhandledRejection', onUnhandled);
    leaveWorld();
  }
}

async function playIn(world: World, plan: Plan): Promise<Outcome> {
  const { history, random, time } = world;
  // Each seed has its own mix, so that faults do not mask each other.
  const options = {
    troubleMs: plan.steps ? durationOf(plan.steps) : world.pick([4, 6, 12]) * MINUTE,
    sends: 15 + Math.floor(random() * 50),
    faults: 4 + Math.floor(random() * 20),
    isLively: random() < 0.5,
    comesInBursts: random() < 0.5,
  };
  // A low quota with many simultaneous messages, so that several nodes reach the limit at the same moment.
  const isScarce = random() < 0.35;
  if (isScarce && !plan.steps) world.quota = 8 + Math.floor(random() * 20);
  const isReceiverBroken = random() < 0.3;
  const oracles = new StoreOracles(world);
  const ids = Array.from({ length: plan.nodes }, (_, nth) => `n${nth}`);
  for (const id of ids) await world.during(world.boot(id));
  // Every fourth seed has numbers on the official platform beside linked phones.
  const hasOfficial = !plan.steps && streamOf(plan.seed, 'official')() < 0.25;
  const tenants = await setUp(world, hasOfficial).catch((cause: unknown) => {
    history.violated('a quiet world can be set up', String(cause));
    return [];
  });
  if (tenants.length === 0) return { plan, hash: history.hash, violations: history.violations, history, actions: [], counts: {} };
  if (isReceiverBroken && !plan.steps) world.brokenHook = tenants[0]?.hook ?? null;
  history.note('the world is set up');
  const ledger = new Ledger();
  const callers = new Callers(world, ledger, tenants);
  const faults = new Faults(world, tenants, ids);
  const verdict = new Verdict(world, ledger, tenants);
  for (const tenant of tenants) void callers.follow(tenant);
  const chosen = chosenFaults(faults.names, random, options.isLively);
  history.note(`faults of this seed: ${[...new Set(chosen)].join(', ')}`);
  const hasOptedOut = ({ id }: SimTenant, phone: string): boolean =>
    (oracles.optedOut.get(`${id}:${phone}`) ?? Number.POSITIVE_INFINITY) < time.monotonic() - 5 * SECOND;

  const only = plan.steps ? [] : plan.only;
  const actions: string[] = [];
  const broke = (cause: unknown): void =>
    history.violated('callers do not break', cause instanceof Error ? `${cause.stack}` : String(cause));
  const act = (name: string, run: (random: ReturnType<typeof streamOf>) => unknown, likely = 1, comesInBursts = false): void => {
    const own = streamOf(world.seed, name);
    const isDone = own() < likely;
    const share = comesInBursts ? Math.floor(own() * 8) / 8 + own() * 0.0001 : own();
    if (!isDone || (only && !only.includes(name))) return;
    actions.push(name);
    time.after(share * (options.troubleMs - 2 * MINUTE), () => void Promise.resolve(run(own)).catch(broke));
  };
  const each = (count: number, letter: string, run: (random: ReturnType<typeof streamOf>, name: string) => unknown, likely = 1): void => {
    for (let nth = 0; nth < count; nth += 1)
      act(`${letter}${nth}`, (own) => run(own, `${letter}${nth}`), likely, letter === 's' && (options.comesInBursts || isScarce));
  };
  each(options.faults, 'f', (own) => faults.begin(pickBy(own, chosen), Math.ceil(own() * (own() < 0.2 ? 90 : 20) * SECOND), own));
  each(options.sends, 's', (own, name) => callers.send(own, name, own() < 0.2 ? 'scheduled' : 'send'));
  each(options.sends / 3, 'w', (own, name) => callers.write(own, name, false));
  each(3, 'k', (own, name) => callers.write(own, name, true), 0.7);
  each(3, 'c', (own, name) => callers.campaign(own, name, hasOptedOut), 0.6);
  each(3, 'u', (own, name) => callers.unschedule(own, name));
  each(3, 'd', (own, name) => callers.decide(own, name), 0.5);
  each(2, 't', (own, name) => callers.takeOff(own, name), 0.3);
  each(2, 'n', (own, name) => callers.signUp(own, name), 0.5);
  const steps = new Steps(world, callers, ledger, tenants);
  for (const step of plan.steps ?? []) time.after(step.afterS * SECOND, () => void steps.take(step).catch(broke));

  const begun = time.monotonic();
  while (time.monotonic() - begun < options.troubleMs) {
    await time.advance(LOOKS_EVERY_MS);
    verdict.lookAtPhones();
  }
  history.note('peace: no more faults');
  faults.endAll();
  const peace = time.monotonic();
  const mostMs = chosen.includes('replaced') ? PEACE_AFTER_REPLACED_MS : PEACE_MS;
  while (time.monotonic() - peace < mostMs) {
    await time.advance(LOOKS_EVERY_MS);
    verdict.lookAtPhones();
    if (time.monotonic() - peace > EARLIEST_END_MS && verdict.open().length === 0) break;
  }
  history.note(`settled after ${Math.round((time.monotonic() - peace) / SECOND)} s`);
  for (const what of verdict.open()) history.violated('everything settles', what);
  verdict.give();
  const { hash, violations, events } = history;
  const { outgoing, incoming, campaigns, noAnswers } = ledger;
  const accepted = outgoing.filter(({ id }) => id !== null).length;
  const counts = {
    ...{ accepted, inbound: incoming.length, campaigns: campaigns.length, hooks: world.hooks.length, noAnswers },
    ...{ kills: faults.kills, boots: world.boots, storeCalls: world.storeCalls, events },
    virtualMinutes: Math.round(time.monotonic() / MINUTE),
  };
  return { plan, hash, violations, history, actions, counts };
}

const durationOf = (steps: readonly Step[]): number => Math.max(...steps.map(({ afterS }) => afterS)) * SECOND + 2 * MINUTE;

function chosenFaults(names: readonly string[], random: () => number, isLively: boolean): readonly string[] {
  const chosen = names.filter(() => random() < (isLively ? 0.75 : 0.4));
  if (random() < 0.7) chosen.push('killAtWrite', 'killAtWrite', 'killAtWrite', 'killAtEffect', 'kill', 'stumble', 'stumble');
  return chosen.length > 0 ? chosen : ['kill'];
}
