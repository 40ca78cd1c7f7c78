import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { at } from '../../../runtime/invariant.ts';
import { devicesIn } from '../../../store/devices/devices.ts';
import { messagesIn } from '../../../store/messaging/messages.ts';
import { startBenchNode } from '../bench-node.ts';
import { sendRequests } from '../http/requests.ts';
import { play } from '../http/serve.ts';
import { anApiKey, aTenant } from '../planted.ts';

const size = process.argv[2] === 'quick' ? { few: 10, many: 60, messages: 600 } : { few: 100, many: 1_000, messages: 20_000 };
const MAX_CONCURRENT = 50;
const POLL_MS = 20;

const network = await aNetwork();
const { node, store } = await startBenchNode({ sandbox_url: network.url });
const devices = devicesIn(store);
const messages = messagesIn(store);
const tenant = await aTenant(store);
const key = await anApiKey(store, tenant._id);

const few = await online(0, size.few);
const before = weigh();
const all = [...few, ...(await online(size.few, size.many))];
const after = weigh();
const each = (bytes: number): number => bytes / 1_024 / (size.many - size.few);
const figures = { heapKb: each(after.heap - before.heap), rssKb: each(after.rss - before.rss), ...(await sendFrom(all)) };
console.log(JSON.stringify(figures));
network.process.kill();
process.exit(0);

async function online(from: number, to: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let next = from; next < to; next += MAX_CONCURRENT) {
    const batch = Array.from({ length: Math.min(MAX_CONCURRENT, to - next) }, (_, i) => link(String(6_285_500_000_000 + next + i)));
    ids.push(...(await Promise.all(batch)));
  }
  return ids;
}

async function link(digits: string): Promise<string> {
  const { id } = await ask(`${node.url}/v1/sessions`, {});
  const { code } = await ask(`${node.url}/v1/sessions/${id}/pairing-code`, { phone: `+${digits}` });
  await ask(`${network.url}/sandbox/phones/${digits}/scan`, { pairing_code: code });
  while ((await devices.find(tenant._id, id))?.status !== 'connected') await pause(systemClock, POLL_MS);
  return id;
}

async function ask(url: string, body: object): Promise<{ readonly id: string; readonly code: string }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`error ${response.status} of ${new URL(url).pathname}: ${await response.text()}`);
  return JSON.parse(await response.text());
}

function weigh(): { heap: number; rss: number } {
  for (let i = 0; i < 3; i += 1) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

/** Resolves when the network has acknowledged the last message. Receipts arrive in the meantime. */
async function sendFrom(ids: readonly string[]): Promise<{ rate: number; cpuUs: number }> {
  const generator = fork(fileURLToPath(new URL('../http/load.ts', import.meta.url)));
  const requests = ids.map((id, i) => at(sendRequests(`/v1/sessions/${id}/messages`, { Authorization: `Bearer ${key}` }), i));
  const port = Number(new URL(node.url).port);
  const cpu = process.cpuUsage();
  const began = systemClock.monotonic();
  await play(generator, { port, requests, status: 202, connections: MAX_CONCURRENT, answers: size.messages });
  generator.kill();
  for (const id of ids) await allSent(id);
  const seconds = (systemClock.monotonic() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { rate: size.messages / seconds, cpuUs: (user + system) / size.messages };
}

async function allSent(id: string): Promise<void> {
  for (;;) {
    const [oldest] = await Array.fromAsync(
      messages.list(tenant._id, id, { direction: 'outbound', status: 'queued' }, { limit: 1, before: null, beforeId: null }),
    );
    if (!oldest) return;
    await pause(systemClock, POLL_MS);
  }
}

async function aNetwork(): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const script = fileURLToPath(new URL('../../commands/sandbox.ts', import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, SANDBOX_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => child.kill());
  const [line]: string[] = await once(createInterface(child.stdout), 'line');
  const url = /http:\S+/.exec(line ?? '')?.[0];
  if (!url) throw new Error(`error: the sandbox did not start: ${line}`);
  return { url, process: child };
}
