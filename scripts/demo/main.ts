import { parseArgs } from 'node:util';
import { pause, systemClock } from '../../runtime/clock.ts';
import { play } from './play.ts';
import { Screen } from './screen.ts';
import { World } from './world.ts';

const USAGE = `Usage: npm run cluster:demo [-- --keep]

Starts three nodes, Redis and a phone network on this machine. Twelve devices send continuously while a node is killed and started again.
Takes about half a minute and needs redis-server. The nodes share a database of MONGODB_URL, or else an embedded store.
  --keep   leave the cluster running at the end, until Ctrl-C`;

const A_DAY_MS = 86_400_000;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { keep: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const screen = new Screen(process.stdout);
  const interrupted = untilInterrupted();
  screen.say('Starting Redis, the sandbox network and three nodes …');
  const opening = World.open(process.env['MONGODB_URL'] || null);
  const world = await Promise.race([opening, interrupted]);
  if (world === 'interrupted') {
    process.exitCode = 130;
    return (await opening.catch(() => null))?.close();
  }
  try {
    const isClean = await Promise.race([play(world, screen), interrupted]);
    process.exitCode = isClean === true ? 0 : isClean === false ? 1 : 130;
    if (values.keep && isClean !== 'interrupted') await kept(world, screen, interrupted);
  } finally {
    await world.close();
  }
}

async function kept(world: World, screen: Screen, interrupted: Promise<unknown>): Promise<void> {
  const [node] = world.nodes;
  screen.say(`\nStill running, until Ctrl-C. Try:\n  ADMIN_SECRET=${world.secret} GATEWAY_URL=${node?.url} npm run cluster -- nodes`);
  await Promise.race([interrupted, pause(systemClock, A_DAY_MS)]);
}

function untilInterrupted(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('interrupted'));
  });
}

await main().then(
  () => process.exit(),
  (cause: unknown) => {
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
    process.exit(1);
  },
);
