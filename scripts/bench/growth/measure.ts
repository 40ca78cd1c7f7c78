import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLogin } from '../../../http/auth/logins.ts';
import { createTokens } from '../../../http/auth/tokens.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { loginsIn } from '../../../store/accounts/logins.ts';
import { tenantsIn } from '../../../store/accounts/tenants.ts';
import { agentsIn } from '../../../store/agents/agents.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { startBenchNode } from '../bench-node.ts';
import { turnsWatched } from '../contacts/loop-watch.ts';
import type { Planted } from './plant.ts';

/** What one request costs: ms. `stall`: the most that the event loop's thread worked in one turn. */
export interface Cost {
  readonly wall: number;
  readonly cpu: number;
  readonly stall: number;
  readonly status: number;
}

/** `<directory>`: a node over the planted store in it answers the first send and every GET row; the costs by their names as JSON. */
const [directory = ''] = process.argv.slice(2);
const planted: Planted = JSON.parse(readFileSync(join(directory, 'planted.json'), 'utf8'));
const store = openEmbedded({ path: join(directory, 'gateway.db') });
const { node } = await startBenchNode({ data_dir: directory }, store);
/** A person, because keys may not read the account. */
const { token } = await openLogin(
  {
    logins: loginsIn(store),
    tenants: tenantsIn(store),
    agents: agentsIn(store),
    tokens: createTokens(node.secrets.jwt),
    invalidate: () => {},
  },
  { tenantId: planted.tenantId, role: 'admin', agentId: planted.tenantId, agentName: 'Bench' },
  { auth: 'otp', address: '127.0.0.1', secondFactorAt: null },
  systemClock.now(),
);
const device = `/v1/sessions/${planted.device._id}`;
const costs: Record<string, Cost> = {};

const ask = async (method: string, path: string, body?: object): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(`${node.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  await answer.arrayBuffer();
  return answer.status;
};

async function measure(name: string, request: () => Promise<number>, isOnce = false): Promise<void> {
  let status = 0;
  let [cpu, began] = [process.cpuUsage(), systemClock.monotonic()];
  const { turnMost: stall } = await turnsWatched(async () => {
    status = await request();
  });
  if (!isOnce) {
    // Watching turns the loop all the time, which is CPU of its own.
    [cpu, began] = [process.cpuUsage(), systemClock.monotonic()];
    await request();
  }
  const { user, system } = process.cpuUsage(cpu);
  costs[name] = { wall: systemClock.monotonic() - began, cpu: (user + system) / 1_000, stall, status };
}

/** Everything is loaded and compiled once, by what does not touch the log. */
for (let times = 0; times < 30; times += 1) await ask('GET', '/v1/me');
const send = { chat_id: planted.chatId, type: 'text', body: 'hello', connect_only: false };
await measure('the first send after a start', () => ask('POST', `${device}/messages`, send), true);
await measure('a send', () => ask('POST', `${device}/messages`, send));

const rules = { all: [{ field: 'name', op: 'contains', value: 'nobody' }] };
await measure('POST /v1/segments/preview, part of a name', () => ask('POST', '/v1/segments/preview', { rules }));
const queries: Readonly<Record<string, readonly string[]>> = {
  [`${device}/chats`]: ['q=nobody', 'unread=true', 'status=pending'],
  '/v1/inbox': ['q=nobody', 'unread=true', 'status=pending'],
  '/v1/contacts': ['q=nobody', 'q=Person%20number%2077'],
  [`${device}/messages`]: ['status=failed', 'direction=inbound', 'type=poll', `chat_id=${encodeURIComponent(planted.chatId)}`],
};

const { paths }: { readonly paths: Readonly<Record<string, { readonly get?: object }>> } = JSON.parse(
  await (await fetch(`${node.url}/openapi.json`)).text(),
);
const left: string[] = [];
for (const template of Object.keys(paths).filter((path) => paths[path]?.get)) {
  const path = template
    .replace('{sessionId}', planted.device._id)
    .replace('{messageId}', planted.messageId)
    .replace('{chatId}', encodeURIComponent(planted.chatId))
    .replace('{phone}', '6281200000001')
    .replace('{industry}', 'retail');
  if (path.includes('{') || /stream|\/events$|qr|sandbox|admin|docs|openapi/.test(path)) left.push(template);
  else
    for (const query of ['', ...(queries[path] ?? [])])
      await measure(`GET ${template}${query && `?${query.replace(/chat_id=.*/, 'chat_id=…')}`}`, () =>
        ask('GET', `${path}${query && `?${query}`}`),
      );
}
console.log(JSON.stringify({ costs, left }));
process.exit(0);
