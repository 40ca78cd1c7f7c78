import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { at, present } from '../../../runtime/invariant.ts';
import { campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { type MessageRow, messagesIn } from '../../../store/messaging/messages.ts';
import { expected } from '../../faults/caller.ts';
import { sendRequests } from '../http/requests.ts';
import { play } from '../http/serve.ts';
import { openScratchMongo } from '../scratch-mongo.ts';
import { startLinkedNode } from './linked-node.ts';
import { askedStatements, countStatements, uncounted, watchStatements } from './statements.ts';

/** `STATEMENTS=1` lists the statements. A text is measured until the network reports its delivery. */
const [size, way = 'together', engine = 'embedded'] = process.argv.slice(2);
const isQuick = size === 'quick';
const [WARM_UP, COUNTED, MESSAGES] = isQuick ? [20, 20, 40] : way === 'one by one' ? [30, 50, 100] : [500, 300, 2_000];
const CONNECTIONS = 30;
const POLL_MS = 2;
const SELDOM_MS = 50;
const LISTED = 1_000;

watchStatements();
const mongo = engine === 'mongodb' ? await openScratchMongo() : null;
const world = await startLinkedNode({}, mongo?.store);
const messages = messagesIn(mongo?.looking ?? world.store);
const campaigns = campaignsIn(mongo?.looking ?? world.store);
const device = at(await world.online(0, 1), 0);
const path = `/v1/sessions/${device}/messages`;
const generator = fork(fileURLToPath(new URL('../http/load.ts', import.meta.url)));
const requests = sendRequests(path, { Authorization: `Bearer ${world.key}` });
const port = Number(new URL(world.node.url).port);

/** Returns the number of texts sent, because some variants send one more than requested. */
type Work = () => Promise<number>;
const WAYS: Readonly<Record<string, (count: number) => Promise<Work>>> = {
  'one by one': async (count) => async () => {
    for (let nth = 0; nth < count; nth += 1) {
      const body = { chat_id: `+62812${1_000_000 + nth}`, type: 'text', body: 'Your order is on its way.' };
      const { id } = expected(await world.api('POST', path, body), 202);
      while (!isOver(await uncounted(() => messages.find(world.tenantId, device, id)))) await pause(systemClock, POLL_MS);
    }
    return count;
  },
  together: async (count) => async () => {
    await play(generator, { port, requests, status: 202, connections: CONNECTIONS, answers: count });
    await settled();
    return count + CONNECTIONS;
  },
  campaign: async (count) => {
    const draft = { session_id: device, name: 'Bench', message_type: 'text', body: 'Hi, your order is on its way.' };
    const { id } = expected(await world.api('POST', '/v1/blasts', draft), 201);
    for (let from = 0; from < count; from += LISTED) {
      const recipients = Array.from({ length: Math.min(LISTED, count - from) }, (_, nth) => ({ phone: `+62812${1_000_000 + from + nth}` }));
      expected(await world.api('POST', `/v1/blasts/${id}/recipients`, { recipients }), 200);
    }
    return async () => {
      expected(await world.api('POST', `/v1/blasts/${id}/start`, {}), 200);
      while ((await uncounted(() => campaigns.find(world.tenantId, id)))?.status !== 'completed') await pause(systemClock, SELDOM_MS);
      await settled();
      return count;
    };
  },
};

const prepare = present(WAYS[way], way);
await (await prepare(WARM_UP))();
const some = await prepare(COUNTED);
countStatements();
mongo?.count();
const counted = await some();
const { byText, ...asked } = askedStatements();
const { byName = new Map<string, number>(), commands = 0 } = mongo?.asked() ?? {};
if (process.env['STATEMENTS']) print(mongo ? byName : byText);
const all = await prepare(MESSAGES);
const cpu = process.cpuUsage();
const startedAt = systemClock.monotonic();
const done = await all();
const { user, system } = process.cpuUsage(cpu);
const seconds = (systemClock.monotonic() - startedAt) / 1_000;
const figures = { statements: asked.statements / counted, commits: asked.commits / counted, commands: commands / counted };
await mongo?.drop();
console.log(JSON.stringify({ ...figures, cpuMs: (user + system) / 1_000 / done, rate: done / seconds }));
generator.kill();
await world.end();
process.exit(0);

function isOver(row: MessageRow | null): boolean {
  return (row?.status === 'delivered' || row?.status === 'read') && !row.outbox_pending;
}

async function settled(): Promise<void> {
  for (const status of ['queued', 'sent'] as const) {
    const some = (): Promise<readonly MessageRow[]> =>
      Array.fromAsync(messages.list(world.tenantId, device, { direction: 'outbound', status }, { limit: 1, before: null, beforeId: null }));
    while ((await uncounted(some)).length > 0) await pause(systemClock, SELDOM_MS);
  }
  const owner = { tenantId: world.tenantId, sessionId: device, epoch: 0 };
  while ((await uncounted(() => Array.fromAsync(messages.withOutbox(owner, 1)))).length > 0) await pause(systemClock, SELDOM_MS);
}

function print(byText: ReadonlyMap<string, number>): void {
  const sorted = [...byText].toSorted(([, a], [, b]) => b - a);
  for (const [text, times] of sorted) console.error((times / counted).toFixed(2), text.replace(/\s+/g, ' ').slice(0, 220));
}
