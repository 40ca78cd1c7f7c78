import { resolve } from 'node:path';
import { pino } from 'pino';
import { plansFrom } from '../../actors/domain/plans.ts';
import type { Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import { present } from '../../runtime/invariant.ts';
import { whyNotCurrent } from '../../scripts/build/current.js';
import { type Config, readConfig } from '../../scripts/wiring/config.ts';
import { type Node, startNode } from '../../scripts/wiring/node.ts';
import type { Window } from './browser.ts';
import { codeOn } from './gateway.ts';
import { NEVER_FULL } from './limits.ts';
import { aLine, type Line } from './line.ts';
import { aRedis } from './redis.ts';
import { aDatabase, aDirectory, lastFirst, type Scope, type StoreKind, storeOfGateway } from './stores.ts';

/** Starts a gateway for a browser, on the real clock, because browsers use it too. */
export async function aServedConsole(scope: Scope, kind: StoreKind, config: Partial<Config> = {}): Promise<Node> {
  const own = lastFirst(scope);
  const store = await storeOfGateway(kind, own);
  const node = await served({ data_dir: aDirectory(own), ...config }, { store });
  own.after(() => node.stop());
  return node;
}

/** A gateway that can be restarted, and the line that connects browsers to it. */
export interface RestartableConsole {
  readonly line: Line;
  /** The first gateway's network, whose phones survive restarts. */
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

/** Two nodes of a cluster, and their common sandbox network. */
export interface ServedCluster {
  readonly nodes: readonly [Node, Node];
  readonly sandbox: Sandbox;
  /** Stops a node, like SIGTERM. */
  stop(node: Node): Promise<void>;
}

/** Starts a cluster on its own MongoDB database and Redis. Needs MONGODB_URL. */
export async function aServedCluster(scope: Scope): Promise<ServedCluster> {
  const own = lastFirst(scope);
  const shared = {
    ...{ mongodb_url: aDatabase(own), redis_url: (await aRedis(own)).url, data_dir: aDirectory(own) },
    ...{ admin_secret: 'the operator of the cluster', jwt_secret: 'what both nodes of it sign with', lease_ttl_ms: 5_000 },
    plans: plansFrom({ free: { devices: 10 } }),
  };
  const running = new Set<Node>();
  const stop = async (node: Node): Promise<void> => {
    if (running.delete(node)) await node.stop();
  };
  const start = async (node_id: string, replaced: Parameters<typeof startNode>[1] = {}): Promise<Node> => {
    const node = await served({ node_id, ...shared }, replaced);
    running.add(node);
    own.after(() => stop(node));
    return node;
  };
  const first = await start('n1');
  const sandbox = present(first.sandbox, 'the sandbox');
  return { nodes: [first, await start('n2', { network: sandbox.network() })], sandbox, stop };
}

/**
 * The console that `npm test` builds before its tests. If its sources changed since then, each gateway compiles them.
 */
const builtConsole = whyNotCurrent('console') === null ? resolve('dist/console') : null;

async function served(config: Partial<Config>, replaced: Parameters<typeof startNode>[1] = {}): Promise<Node> {
  const node = await startNode(
    { ...readConfig({}, '/nowhere'), port: 0, node_id: 'n1', builtConsole, ...config },
    { limits: NEVER_FULL, checkAnswers: true, log: pino({ level: process.env['TEST_LOG'] ?? 'silent' }), ...replaced },
  );
  await until('the gateway is ready', async () => (await fetch(`${node.url}/ready`)).ok);
  return node;
}

const LOOK_MS = 50;
const LONGEST_MS = 60_000;

/** Polls until `check` returns a truthy value, and returns it. */
export async function until<T>(what: string, check: () => Promise<T> | T): Promise<NonNullable<T>> {
  for (let waited = 0; waited < LONGEST_MS; waited += LOOK_MS) {
    const found = await check();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`never happened: ${what}`);
}

/** Returns the code that the phone received, from the network itself. */
export const codeFor = ({ sandbox }: Pick<Node, 'sandbox'>, digits: string): Promise<string> =>
  until('a code arrives', () => codeOn(present(sandbox, 'the sandbox'), digits));

/** Signs up a new business in this window. */
export async function signUpIn({ by, open, page }: Window, node: Pick<Node, 'sandbox'>, phone: string): Promise<void> {
  await open('/sign-up');
  await by('sign-up-name').fill('Toko Acme');
  await by('sign-in-phone').fill(`+${phone}`);
  await by('sign-in-submit').click();
  await by('sign-in-code').fill(await codeFor(node, phone));
  await by('sign-in-submit').click();
  await page.waitForURL('**/console/');
}
