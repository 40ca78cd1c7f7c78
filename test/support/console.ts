import { pino } from 'pino';
import type { Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import { present } from '../../runtime/invariant.ts';
import { type Config, readConfig } from '../../scripts/wiring/config.ts';
import { type Node, startNode } from '../../scripts/wiring/node.ts';
import type { Window } from './browser.ts';
import { codeOn } from './gateway.ts';
import { NEVER_FULL } from './limits.ts';
import { aLine, type Line } from './line.ts';
import { aDatabase, aDirectory, lastFirst, type Scope, type StoreKind, storeOfGateway } from './stores.ts';

/** A gateway for a browser: on the clock of the world, because a browser has no other. */
export async function aServedConsole(scope: Scope, kind: StoreKind, config: Partial<Config> = {}): Promise<Node> {
  const own = lastFirst(scope);
  const store = await storeOfGateway(kind, own);
  const node = await served({ data_dir: aDirectory(own), ...config }, { store });
  own.after(() => node.stop());
  return node;
}

/** A gateway that can be restarted, and the line that leads browsers to it. */
export interface RestartableConsole {
  readonly line: Line;
  /** The network is that of the first one, whose phones go on. */
  readonly sandbox: Sandbox;
  stop(): Promise<void>;
  start(config?: Partial<Config>): Promise<void>;
}

export async function aRestartableConsole(scope: Scope, kind: StoreKind): Promise<RestartableConsole> {
  const own = lastFirst(scope);
  const kept = { data_dir: aDirectory(own), ...(kind.name === 'mongodb' && { mongodb_url: aDatabase(own) }) };
  let node = await served(kept);
  const sandbox = present(node.sandbox, 'the sandbox');
  const line = await aLine(own, node.url);
  own.after(() => node.stop());
  return {
    ...{ line, sandbox },
    stop: () => node.stop(),
    async start(config = {}) {
      node = await served({ ...kept, ...config }, { network: sandbox.network() });
      line.leadTo(node.url);
    },
  };
}

async function served(config: Partial<Config>, replaced: Parameters<typeof startNode>[1] = {}): Promise<Node> {
  const node = await startNode(
    { ...readConfig({}, '/nowhere'), port: 0, node_id: 'n1', ...config },
    { limits: NEVER_FULL, checkAnswers: true, log: pino({ level: process.env['TEST_LOG'] ?? 'silent' }), ...replaced },
  );
  await until('the gateway is ready', async () => (await fetch(`${node.url}/ready`)).ok);
  return node;
}

const LOOK_MS = 50;
const LONGEST_MS = 60_000;

/** Looks until `check` gives something truthy, which is the answer. */
export async function until<T>(what: string, check: () => Promise<T> | T): Promise<NonNullable<T>> {
  for (let waited = 0; waited < LONGEST_MS; waited += LOOK_MS) {
    const found = await check();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`never happened: ${what}`);
}

/** The code that the phone got, from the network itself. */
export const codeFor = ({ sandbox }: Pick<Node, 'sandbox'>, digits: string): Promise<string> =>
  until('a code arrives', () => codeOn(present(sandbox, 'the sandbox'), digits));

/** Signs a new business up in this window. */
export async function signUpIn({ by, open, page }: Window, node: Pick<Node, 'sandbox'>, phone: string): Promise<void> {
  await open('/sign-up');
  await by('sign-up-name').fill('Toko Acme');
  await by('sign-in-phone').fill(`+${phone}`);
  await by('sign-in-submit').click();
  await by('sign-in-code').fill(await codeFor(node, phone));
  await by('sign-in-submit').click();
  await page.waitForURL('**/console/');
}
