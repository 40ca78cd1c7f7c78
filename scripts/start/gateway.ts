import { systemClock } from '../../runtime/clock.ts';
import { isSandboxServed, readConfig, VARIABLES } from '../wiring/config.ts';
import { greet } from '../wiring/greeting.ts';
import { misspelled } from '../wiring/known-variables.ts';
import { startNode } from '../wiring/node.ts';
import { exitOnSignal, fail } from '../wiring/shutdown.ts';
import { giveBackMemory, onceQuiet } from './give-back-memory.ts';

/** `npm start`: one node, until SIGTERM or SIGINT. `whenQuiet` is called once, when the node has nothing more to do for its start. */
export async function startGateway(whenQuiet: () => void = () => {}): Promise<void> {
  try {
    await main();
  } catch (cause) {
    fail(cause);
  }
  onceQuiet(systemClock, () => {
    whenQuiet();
    giveBackMemory();
  });
}

async function main(): Promise<void> {
  for (const sentence of misspelled(process.env, VARIABLES)) process.stderr.write(`${sentence}\n`);
  const config = readConfig(process.env);
  const starting = startNode(config);
  exitOnSignal(starting);
  greet(await starting, isSandboxServed(config));
}
