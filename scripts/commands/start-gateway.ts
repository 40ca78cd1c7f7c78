import { flushCompileCache } from 'node:module';
import { systemClock } from '../../runtime/clock.ts';
import { type Config, isSandboxServed, readConfig, VARIABLES } from '../wiring/config.ts';
import { greet } from '../wiring/greeting.ts';
import { misspelled } from '../wiring/known-variables.ts';
import { startNode } from '../wiring/node.ts';
import { exitOnSignal, fail } from '../wiring/shutdown.ts';
import { giveBackMemory, onceQuiet } from './give-back-memory.ts';

export async function startGateway({ builtConsole }: Pick<Config, 'builtConsole'>): Promise<void> {
  try {
    await main(builtConsole);
  } catch (cause) {
    fail(cause);
  }
  onceQuiet(systemClock, () => {
    flushCompileCache();
    giveBackMemory();
  });
}

async function main(builtConsole: string | null): Promise<void> {
  for (const sentence of misspelled(process.env, VARIABLES)) process.stderr.write(`${sentence}\n`);
  const config = { ...readConfig(process.env), builtConsole };
  const starting = startNode(config);
  exitOnSignal(starting);
  greet(await starting, isSandboxServed(config));
}
