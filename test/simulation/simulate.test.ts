import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PLANTS } from './plants.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const PLANS = fileURLToPath(new URL('./plans/', import.meta.url));
const NAMED = globSync('*.json', { cwd: PLANS });
/** Seeds of every run, the first ones in one process and the others in a second one. */
const FIXED_SEEDS = 40;
const FIRST_PROCESS = 28;
/** Seeds that depend on the day. */
const NEW_SEEDS = 10;
const today = Number(new Date().toISOString().slice(0, 10).replaceAll('-', '')) * 10;
/** A seed that both processes play. It has numbers on the official platform. */
const TWICE = 6;

/** One plant that the first seeds detect, one that its plan detects, and the promise that each breaks. The nightly run plays all plants. */
const PLANTED: readonly (readonly [plant: string, invariant: string])[] = [
  ['refund-twice', 'one refund for a message'],
  ['late-batch', 'quota never below zero'],
];
/** The seed that detects it changes with each commit. */
const MOST_SEEDS = 30;

interface Played {
  /** The name of the plan; absent for a seed. */
  readonly name?: string;
  readonly seed: number;
  readonly nodes: number;
  readonly hash: string;
  readonly violations: readonly { readonly invariant: string; readonly detail: string }[];
}

/** As in test processes: most objects are short-lived, so a larger young generation means fewer collections. */
const YOUNG = ['--min-semi-space-size=16', '--max-semi-space-size=32'];

/** The command that runs another one on a single core. Empty where the system has no such command. */
const ON_ONE_CORE = onOneCore();

function onOneCore(): readonly string[] {
  if (spawnSync('taskset', ['--version']).error) return [];
  const [, core = '0'] = /Cpus_allowed_list:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return ['taskset', '-c', core];
}

/** Runs a simulation in a separate process. Returns its output and exit code. */
async function simulate(words: readonly string[], env: NodeJS.ProcessEnv = {}, before: readonly string[] = []) {
  const [program = '', ...args] = [...before, process.execPath, ...YOUNG, MAIN, '--json', ...words];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  const printed = await text(child.stdout);
  const [code] = await ended;
  const lines = printed.split('\n').filter((line) => line !== '');
  return { code, played: lines.map((line): Played => JSON.parse(line)) };
}

describe('the cluster simulation', () => {
  it('satisfies every invariant, and produces the same history in any environment', async (t) => {
    const home = mkdtempSync(join(tmpdir(), 'another-home-'));
    try {
      const elsewhere = { TZ: 'America/Santiago', HOME: home, LANG: 'id_ID.UTF-8', LC_ALL: 'id_ID.UTF-8' };
      const others = ['--seed', String(FIRST_PROCESS + 1), '--seeds', String(FIXED_SEEDS - FIRST_PROCESS)];
      const plans = NAMED.flatMap((plan) => ['--plan', join(PLANS, plan)]);
      const [first, second] = await Promise.all([
        simulate([...plans, '--seed', '1', '--seeds', String(FIRST_PROCESS)], { TZ: 'Asia/Jakarta' }),
        simulate([...others, '--seed', String(today), '--seeds', String(NEW_SEEDS), '--seed', String(TWICE)], elsewhere, ON_ONE_CORE),
      ]);
      const played = [...first.played, ...second.played];
      const seeds = played.filter(({ name }) => name === undefined);
      for (const { seed, nodes, hash } of seeds) t.diagnostic(`seed ${seed} on ${nodes} nodes  ${hash} `);
      const broken = played.flatMap(({ name, seed, violations }) => violations.map((one) => ({ played: name ?? seed, ...one })));
      assert.deepEqual(broken, []);
      assert.equal(played.length - seeds.length, NAMED.length);
      assert.deepEqual([first.code, second.code], [0, 0]);
      assert.equal(new Set(seeds.map(({ seed }) => seed)).size, FIXED_SEEDS + NEW_SEEDS);
      const hashes = seeds.filter(({ seed }) => seed === TWICE).map(({ hash }) => hash);
      assert.equal(hashes.length, 2);
      assert.equal(hashes[0], hashes[1], `seed ${TWICE} has two histories`);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

describe('a planted fault', () => {
  for (const [plant, invariant] of PLANTED)
    it(`is detected: ${plant}`, async () => {
      const { plan } = PLANTS[plant]!;
      const words = plan === undefined ? ['--seeds', String(MOST_SEEDS), '--stop'] : ['--plan', join(PLANS, plan)];
      const { code, played } = await simulate([...words, '--plant', plant]);
      assert.equal(code, 1);
      const broken = played.flatMap(({ violations }) => violations.map((one) => one.invariant));
      assert.ok(broken.includes(invariant), `broken: ${broken}`);
    });
});
