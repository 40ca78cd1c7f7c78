/** `npm run capacity`: see USAGE. */
import { parseArgs } from 'node:util';
import { type Needs, needsOf, type RedisCosts } from './capacity.ts';
import { gatewayWork, type Work } from './gateway-work.ts';
import { type Replayed, replay } from './replay.ts';
import { type Outcome, Scenarios } from './scenarios.ts';
import { channelsOf, leasesOf, ScaleWorld, SLOW_LOGINS } from './world.ts';

const USAGE = `npm run capacity [-- --devices 300000 --messages 30000000 --nodes 100]

Prints what a number of devices and of messages a day needs: nodes, Redis, MongoDB. Counts what a whole gateway asks of
MongoDB, and prints the arithmetic. docs/capacity-measurements.md explains each figure.
  --devices   devices of the cluster (300000)
  --messages  messages of a day, sent and received (30000000)
  --simulate  play the failures of a cluster on virtual time first: --nodes (100) nodes with all devices
  --replay    issue the commands of a quiet half minute of it again, to a redis-server of its own
A simulation of 300,000 devices needs 6 GB: NODE_OPTIONS=--max-old-space-size=9000.`;

/** µs of a Redis core: see docs/capacity-measurements.md. */
const REDIS: RedisCosts = { renewedKey: 0.9, lookedUpKey: 0.9, command: 15, delivery: 2 };
const AWAY_MS = 3_000;
const CUT_OFF_MS = 30_000;

async function main(): Promise<void> {
  const [text, flag] = [{ type: 'string' } as const, { type: 'boolean' } as const];
  const { values } = parseArgs({
    args: process.env['SCALE']?.split(' ') ?? process.argv.slice(2),
    options: { devices: text, messages: text, nodes: text, simulate: flag, replay: flag, rolling: flag, help: { ...flag, short: 'h' } },
  });
  if (values.help) return say(USAGE);
  const devices = Number(values.devices ?? 300_000);
  const messages = Number(values.messages ?? 30_000_000);
  const nodes = Number(values.nodes ?? 100);
  if (values.simulate || values.replay) await simulate(devices, nodes, values);
  const ends: (() => unknown)[] = [];
  const work = await gatewayWork({ after: (end) => void ends.push(end) });
  for (const end of ends.reverse()) await end();
  sayWork('a text, until it is read', work.text);
  sayWork('a received message', work.received);
  sayWork('an idle minute of a node', work.idleMinute);
  say(`a restart writes each device ${work.login.byCollection.get('devices')} times`);
  sayNeeds({ devices, messages }, needsOf({ devices, messages }, work, REDIS));
}

async function simulate(
  devices: number,
  nodes: number,
  { simulate: isSimulated = false, replay: isReplayed = false, rolling: isRolling = false },
): Promise<void> {
  say(`${devices} devices on ${nodes} nodes, virtual time; rates are averages, in brackets the busiest second`);
  const world = new ScaleWorld(devices);
  await world.plant();
  const scenarios = new Scenarios(world, nodes);
  const rack = Math.max(1, Math.round(nodes / 10));
  report(await scenarios.herd());
  const { outcome, kept } = await scenarios.steady();
  report(outcome);
  if (isReplayed) sayReplay(await replay(kept, leasesOf(world), channelsOf(world)));
  if (!isSimulated) return;
  report(await scenarios.hot(Math.max(200, devices / 300)));
  report(await scenarios.lost(1));
  report(await scenarios.balanced());
  report(await scenarios.lost(1, SLOW_LOGINS));
  report(await scenarios.lost(rack));
  await scenarios.balanced();
  report(await scenarios.cutOff(rack, CUT_OFF_MS));
  await scenarios.balanced();
  report(await scenarios.failover(AWAY_MS));
  report(await scenarios.emptied());
  if (isRolling) report(await scenarios.rolling());
}

function report({ scenario, offline, half, nearlyAll, logins, figures, notes }: Outcome): void {
  const seconds = (time: number | null): string => (time === null ? '–' : `${time.toFixed(1)} s`);
  say(`\n${scenario}`);
  say(
    `  ${offline} devices offline; half online again after ${seconds(half)}, 99 % after ${seconds(nearlyAll)}; ${logins} logins; no device on two nodes`,
  );
  for (const note of notes) say(`  ${note}`);
  for (const kind of ['redis', 'writes', 'reads'] as const) {
    const rates = [...figures[kind]].map(
      ([cause, { count, peak }]) => `${cause} ${(count / Math.max(1, figures.seconds)).toFixed(1)} (${peak})`,
    );
    if (rates.length > 0) say(`  ${kind} a second: ${rates.join(', ')}`);
  }
}

function sayReplay({ calls, failed, why, seconds, core, commands }: Replayed): void {
  say(
    `\nreplayed to redis-server: ${calls} calls in ${seconds.toFixed(1)} s, ${failed} failed (${why}): ${(100 * core).toFixed(1)} % of one core`,
  );
  for (const { name, calls, us } of commands.slice(0, 6)) say(`  ${name}: ${calls} calls, ${(us / Math.max(1, calls)).toFixed(1)} µs each`);
}

function sayWork(what: string, { reads, writes, byCollection }: Work): void {
  const named = [...byCollection].filter(([, count]) => count >= 0.5).map(([table, count]) => `${table} ${count.toFixed(1)}`);
  say(`MongoDB for ${what}: ${reads.toFixed(1)} reads, ${writes.toFixed(1)} writes (${named.join(', ')})`);
}

function sayNeeds({ devices, messages }: { readonly devices: number; readonly messages: number }, needs: Needs): void {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  say(`\n${devices} devices, ${messages} messages a day (${needs.messagesPerSecond.toFixed(0)} a second at the peak)`);
  say(`  nodes: ${needs.nodes}`);
  say(
    `  Redis: ${needs.redisCommands.toFixed(0)} commands a second; leases ${percent(needs.redisLeases)} of a core, messages ${percent(needs.redisMessages)}, events to all nodes ${percent(needs.redisEvents)}`,
  );
  say(`  MongoDB: ${needs.writes.toFixed(0)} writes and ${needs.reads.toFixed(0)} reads a second at the peak`);
  say(`  MongoDB: ${needs.messagesGb.toFixed(0)} GB of messages a year, ${needs.eventsGb.toFixed(0)} GB of events, before compression`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main();
// The simulated nodes have timers without an end.
process.exit();
