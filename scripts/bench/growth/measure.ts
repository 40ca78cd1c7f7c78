import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLogin } from '../../../http/auth/logins.ts';
import { createTokens } from '../../../http/auth/tokens.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { loginsIn } from '../../../store/accounts/logins.ts';
import { tenantsIn } from '../../../store/accounts/tenants.ts';
import { agentsIn } from '../../../store/agents/agents.ts';
import { startBenchNode } from '../bench-node.ts';
import { turnsWatched } from '../contacts/loop-watch.ts';
import { furnish } from './furnish.ts';
import { openAt } from './place.ts';
import type { Planted } from './plant.ts';
import { plantAudit } from './plant-lists.ts';
import { callsOf, OF_A_PHONE } from './rows.ts';

/** Times are in ms. `stall` is the longest CPU time of the event-loop thread in a single tick. */
export interface Cost {
  readonly wall: number;
  readonly cpu: number;
  readonly stall: number;
  readonly status: number;
}

export interface Measured {
  readonly costs: Readonly<Record<string, Cost>>;
  readonly left: Readonly<Record<string, string>>;
}

const SECRET = 'the operator of a bench run';
/** Arguments: `<directory> <count> [<MongoDB URL>]` */
const [directory = '', count = '0', url] = process.argv.slice(2);
const planted: Planted = JSON.parse(readFileSync(join(directory, 'planted.json'), 'utf8'));
const store = await openAt(directory, url);
const { node } = await startBenchNode({ data_dir: directory, admin_secret: SECRET }, store);
/** Uses a login, because API keys are not allowed to read the account. */
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

async function request(method: string, path: string, body?: object): Promise<Response> {
  const authority = path.startsWith('/v1/admin/') ? { 'x-admin-secret': SECRET } : { authorization: `Bearer ${token}` };
  const headers = { ...authority, ...(body && { 'content-type': 'application/json' }) };
  return fetch(`${node.url}${path}`, { method, headers, redirect: 'manual', ...(body && { body: JSON.stringify(body) }) });
}

const ask = async (method: string, path: string, body?: object): Promise<number> => {
  const answer = await request(method, path, body);
  await answer.arrayBuffer();
  return answer.status;
};

async function measure(name: string, work: () => Promise<number>, isOnce = false): Promise<void> {
  let status = 0;
  let [cpu, began] = [process.cpuUsage(), systemClock.monotonic()];
  const { turnMost: stall } = await turnsWatched(async () => {
    status = await work();
  });
  if (!isOnce) {
    // Measures a second time for the CPU time, because watching the ticks itself costs CPU time.
    [cpu, began] = [process.cpuUsage(), systemClock.monotonic()];
    await work();
  }
  const { user, system } = process.cpuUsage(cpu);
  costs[name] = { wall: systemClock.monotonic() - began, cpu: (user + system) / 1_000, stall, status };
}

for (let times = 0; times < 30; times += 1) await ask('GET', '/v1/me');
const send = { chat_id: planted.chatId, type: 'text', body: 'hello', connect_only: false };
await measure('the first send after a start', () => ask('POST', `${device}/messages`, send), true);
await measure('a send', () => ask('POST', `${device}/messages`, send));
const rules = { all: [{ field: 'name', op: 'contains', value: 'nobody' }] };
await measure('POST /v1/segments/preview, part of a name', () => ask('POST', '/v1/segments/preview', { rules }));

await plantAudit(store, node.secrets.audit, planted.tenantId, Number(count));
const made = await furnish(
  async (method, path, body) => {
    const answer = await request(method, path, body);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`error ${answer.status} of ${method} ${path}: ${text}`);
    return JSON.parse(text);
  },
  planted.tenantId,
  planted.device._id,
);
const ids = new Map([...made.ids, ...Object.entries(planted.ids)]);
const left: Record<string, string> = {};
for (const row of callsOf(node.http.rows, { ...planted, phone: made.phone, ids })) {
  if (row.calls.length === 0) left[row.id] = row.left ?? 'NOTHING SAYS WHY';
  // Phone queries are measured once, because a device limits them to one a second or minute.
  for (const { name, path } of row.calls) await measure(name, () => ask('GET', path), OF_A_PHONE.has(row.id));
}
console.log(JSON.stringify({ costs, left } satisfies Measured));
process.exit(0);
