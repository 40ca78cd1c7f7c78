import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RUNS: readonly {
  readonly title: string;
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}[] = [
  {
    title: 'every story on every store, and the tests that run only at night',
    file: './test.ts',
    env: { NIGHT: '1', STORES: 'embedded,mongodb,simulated' },
  },
  { title: 'the simulated cluster with many seeds, and planted faults that it must find', file: '../../test/simulation/night.ts' },
  {
    title: '100 nodes and 30,000 devices: failures, and a replay of the Redis calls at their original rate',
    file: '../../test/simulation/scale/main.ts',
    env: { SCALE: '--simulate --replay --rolling --nodes 100 --devices 30000' },
  },
  {
    title: 'the CPU of a send, a text, a campaign message and a webhook, each against its ceiling',
    file: '../bench/main.ts',
    args: ['--ceilings'],
  },
  { title: 'the stall guard: hostile input to every surface of one node', file: '../guard/main.ts' },
  { title: 'the stall guard: the text that stopped a cluster', file: '../guard/cluster-main.ts' },
  {
    title: '3,400 texts from each kind of account to people with every kind of address',
    file: '../../test/actors/network/whatsapp/addressing.test.ts',
    env: { ADDRESSING_PEOPLE: '340' },
  },
  {
    title: '100,000 messages generated from the web client’s definition: each is stored, counted, or changes another message',
    file: '../../test/actors/network/whatsapp/content-fuzz.test.ts',
    env: { CONTENT_MESSAGES: '100000' },
  },
  {
    title: 'the driver killed once at each point: no message lost or duplicated, no key used twice',
    file: '../faults/whatsapp/main.ts',
    env: { KILLS: '1', MONGODB_URL: '' },
  },
  {
    title: 'the same on MongoDB, where MONGODB_URL names a server',
    file: '../faults/whatsapp/main.ts',
    env: { KILLS: '1' },
  },
  {
    title: 'the driver killed without its guards: the damage must be detected',
    file: '../faults/whatsapp/main.ts',
    env: { PROOFS: '1' },
  },
  {
    title: '1,000 chat changes on both sides, with kills',
    file: '../../test/actors/services/conversations/chat-marks.test.ts',
    env: { CHAT_CHANGES: '1000', NIGHT: '1' },
  },
  {
    title: '50,000 older messages of a chat, loaded on demand: no unread count, reply, other event or duplicate',
    file: '../../test/stories/older-messages.test.ts',
    env: { OLDER_MESSAGES: '50000' },
  },
  {
    title: 'a campaign of 10,000 with a picture, which is converted once and uploaded once for each device',
    file: '../../test/actors/network/whatsapp/campaign-file.test.ts',
    env: { CAMPAIGN_PEOPLE: '10000' },
  },
  {
    title: 'an hour of media conversions at the rate of a busy day, with 200 kills',
    file: '../../test/actors/services/media/convert/killed.test.ts',
    env: { CONVERTING_MINUTES: '60', CONVERTING_KILLS: '200' },
  },
  {
    title: '20 logins of five programs moved in, each with 500 people: every session continues, no retries, no key used twice',
    file: '../../test/actors/network/whatsapp/move-in.test.ts',
    env: { MOVE_LOGINS: '20', MOVE_PEOPLE: '500' },
  },
  {
    title: '10,000 events to each broker, with 50 kills of each side: nothing lost',
    file: '../../test/stories/brokers.test.ts',
    env: { SINK_EVENTS: '10000', SINK_KILLS: '50' },
  },
  {
    title: 'an hour of sinks at the rate of a busy day, with 200 kills: no descriptor, file or zombie is left',
    file: '../../test/stories/brokers.test.ts',
    env: { SINK_EVENTS: '7200', SINK_KILLS: '200', SINK_MINUTES: '60' },
  },
  {
    title: 'the bridge to Chatwoot killed 200 times, with Chatwoot and the gateway: nothing lost, duplicated or out of order',
    file: '../../test/scripts/bridge/chatwoot/kills.test.ts',
    env: { BRIDGE_KILLS: '200' },
  },
  {
    title: 'an hour of the bridge to Chatwoot, whose process is killed 200 times: no descriptor, file or zombie is left',
    file: '../../test/scripts/bridge/chatwoot/process.test.ts',
    env: { BRIDGE_PROCESS_KILLS: '200', BRIDGE_PROCESS_MINUTES: '60' },
  },
  {
    title:
      '20,000 messages of an official number with kills and lost responses, and 100,000 repeated webhooks, on each store: no duplicates',
    file: '../../test/stories/official-storm.test.ts',
    env: { OFFICIAL_SENDS: '20000', OFFICIAL_UPDATES: '100000', NIGHT: '1' },
  },
  {
    title: '10,000 people whose numbers and addresses are reported in random order, on two nodes per store',
    file: '../../test/simulation/people.ts',
    env: { PEOPLE: '10000' },
  },
];

let failed = 0;
for (const { title, file, args = [], env } of RUNS) {
  process.stdout.write(`\n${title}\n`);
  const command = fileURLToPath(new URL(file, import.meta.url));
  const { status } = spawnSync(process.execPath, [command, ...args], { stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) failed += 1;
}
process.stdout.write(`\n${failed === 0 ? 'all nightly runs passed' : `${failed} of ${RUNS.length} runs FAILED`}\n`);
process.exitCode = failed === 0 ? 0 : 1;
