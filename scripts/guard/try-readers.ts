import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { kept } from '../chaos/child.ts';
import { type Figure, MAX_TURN_MS, mayTake, type Verdict, verdictOf } from './judge.ts';
import { MemoryMeter } from './memory-meter.ts';
import type { ReadReport } from './reader-victim.ts';

const VICTIM = fileURLToPath(new URL('../victims/start.js', import.meta.url));

export async function tryReaders(mutations: number, seed: number): Promise<Verdict> {
  const victim = fork(VICTIM, ['readers'], {
    execArgv: ['--expose-gc', '--max-semi-space-size=6'],
    // Runs from the sources, because a bundle cannot contain all packages of the readers.
    env: { ...process.env, NODE_COMPILE_CACHE: '', MUTATIONS: String(mutations), SEED: String(seed) },
  });
  const child = kept(victim);
  const memory = new MemoryMeter(victim.pid ?? 0);
  const figures: Figure[] = [];
  let [reading, idle] = ['start', 0];
  victim.on('message', ({ reader, state, worstMs, input }: ReadReport) => {
    if (state === 'begins') {
      reading = reader;
      idle = memory.begin();
      return;
    }
    const title = worstMs > MAX_TURN_MS ? `reader of ${reader}: ${input}` : `reader of ${reader}`;
    figures.push({ title, cpuMs: worstMs, memory: memory.peak - idle, mayTake: mayTake(0), ended: null });
  });
  const exitCode = await child.ended;
  await memory.stop();
  if (exitCode !== 0)
    figures.push({ title: `reader of ${reading}`, cpuMs: 0, memory: 0, mayTake: 0, ended: `the process ended (${exitCode})` });
  return verdictOf(figures.length * mutations, figures);
}
