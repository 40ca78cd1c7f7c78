import { relyingPartyAt } from '../../actors/services/accounts/passkeys.ts';
import { systemClock } from '../../runtime/clock.ts';
import { isSandboxServed, readConfig, VARIABLES } from '../wiring/config.ts';
import { misspelled } from '../wiring/known-variables.ts';
import { type Node, startNode } from '../wiring/node.ts';
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

/** Browsers make no passkeys for a page whose host is an address: of this machine it is `localhost`. */
const named = (url: string): string => relyingPartyAt(url)?.origin ?? url;

function greet({ url: address, secrets, sandbox }: Node, isSandboxOpen: boolean): void {
  const url = named(address);
  const lines = [
    `The gateway listens on ${url}`,
    `  console     ${url}/console/`,
    `  reference   ${url}/docs`,
    ...(secrets.adminFile ? [`  operator    X-Admin-Secret is in ${secrets.adminFile}`] : []),
    ...(sandbox && isSandboxOpen
      ? [`  try next    npm run tour   (in another terminal: sends a message to a phone and receives the answer)`]
      : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
