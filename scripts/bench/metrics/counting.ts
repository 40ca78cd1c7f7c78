import { Registry } from 'prom-client';
import { REFUSALS } from '../../../actors/domain/refusals.ts';
import { metricsIn } from '../../../http/core/metrics.ts';
import type { LimitResult, Limits } from '../../../http/limits/limits.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { present } from '../../../runtime/invariant.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { newMessage } from '../../../store/messaging/new-message.ts';
import type { Collection, Doc, Store } from '../../../store/port.ts';
import { LIMIT_NAMES, measuredLimits } from '../../wiring/metrics/measured-limits.ts';
import { measuredStore, storeTimes } from '../../wiring/metrics/measured-store.ts';
import { ACTOR_KINDS, Meters } from '../../wiring/metrics/meters.ts';
import { startBenchNode } from '../bench-node.ts';
import { anApiKey, aTenant } from '../planted.ts';

/** The difference between runs with and without counting is the cost of counting. */
const size = process.argv[2] === 'quick' ? { sends: 20, messages: 5_000 } : { sends: 500, messages: 300_000 };
const PHONE = '6285500000001';
const FREE: LimitResult = { ok: true, limit: 1, remaining: 1, resetMs: 1 };
const ALL_FREE = [FREE, FREE];

const operations = await operationsOfASend();
const meters = new Meters(ACTOR_KINDS, LIMIT_NAMES);
const answers = metricsIn(new Registry(), Object.keys(REFUSALS));
const idle = idleStore();
const bare: { readonly collection: Pick<Collection<Doc>, 'findOne'>; readonly limits: Limits } = {
  collection: idle.collection<Doc>({ name: 'any', indexes: [] }),
  limits: { take: () => FREE, takeAll: () => ALL_FREE },
};
const counted = {
  collection: measuredStore(idle, storeTimes(systemClock)).collection<Doc>({ name: 'any', indexes: [] }),
  limits: measuredLimits(bare.limits, meters.limitRefusals),
};
const rows = [{ sent_at: 2 }, { sent_at: 2, delivered_at: 3 }, { sent_at: 2, delivered_at: 3, read_at: 4 }].map((times, nth) =>
  aRow({ ...times, processed: (['sent', 'delivered'] as const).slice(0, nth) }),
);

const figures: { cpuUs: number; operations: number }[] = [];
for (const messages of [5_000, size.messages]) {
  const without = await cpuOf(messages, () => work(bare));
  const withMetrics = await cpuOf(messages, async () => {
    await work(counted);
    meters.messagesAccepted(0);
    for (const row of rows) meters.messagesChanged([row]);
    answers.answered('sendMessage', 202, 0.004);
  });
  figures.push({ cpuUs: Math.max(0, withMetrics - without), operations });
}
console.log(JSON.stringify(figures.at(-1)));
process.exit(0);

async function work({ collection, limits }: typeof bare): Promise<void> {
  await limits.takeAll([], 0);
  for (let nth = 0; nth < operations; nth += 1) await collection.findOne({});
}

async function cpuOf(times: number, one: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const from = process.cpuUsage();
  for (let nth = 0; nth < times; nth += 1) await one();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / times;
}

async function operationsOfASend(): Promise<number> {
  const { node, store } = await startBenchNode();
  const tenant = await aTenant(store);
  const headers = { authorization: `Bearer ${await anApiKey(store, tenant._id)}`, 'content-type': 'application/json' };
  const ask = async (path: string, body: object): Promise<{ readonly id: string; readonly code: string }> => {
    const response = await fetch(node.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`error ${response.status}: ${await response.text()}`);
    return JSON.parse(await response.text());
  };
  const total = async (name: RegExp): Promise<number> => {
    const text = await (await fetch(`${node.url}/metrics`)).text();
    return [...text.matchAll(name)].reduce((sum, [, value]) => sum + Number(value), 0);
  };
  const { id } = await ask('/v1/sessions', {});
  const { code } = await ask(`/v1/sessions/${id}/pairing-code`, { phone: `+${PHONE}` });
  present(node.sandbox, 'the sandbox').phone(PHONE).scan({ pairingCode: code });
  const until = async (name: RegExp, least: number): Promise<void> => {
    while ((await total(name)) < least) await pause(systemClock, 20);
  };
  await until(/^gateway_devices\{state="connected"\} (\d+)/gm, 2);
  const before = await total(/^gateway_store_operations_total\{.*\} (\d+)/gm);
  const delivered = /^gateway_sends_total\{outcome="delivered"\} (\d+)/gm;
  const had = await total(delivered);
  for (let nth = 0; nth < size.sends; nth += 1)
    await ask(`/v1/sessions/${id}/messages`, { chat_id: '+628121000000', type: 'text', body: `text ${nth}` });
  await until(delivered, had + size.sends);
  return Math.ceil(((await total(/^gateway_store_operations_total\{.*\} (\d+)/gm)) - before) / size.sends);
}

function idleStore(): Store {
  const nothing = Promise.resolve(null);
  const none = Promise.resolve({ matchedCount: 0, modifiedCount: 0, upsertedCount: 0, insertedCount: 0, insertedId: '', deletedCount: 0 });
  const zero = Promise.resolve(0);
  return {
    name: 'embedded',
    collection: () => ({
      find: () => ({ toArray: () => Promise.resolve([]), async *[Symbol.asyncIterator]() {} }),
      findOne: () => nothing,
      countDocuments: () => zero,
      insertOne: () => none,
      insertMany: () => none,
      updateOne: () => none,
      updateMany: () => none,
      findOneAndUpdate: () => nothing,
      findOneAndDelete: () => nothing,
      deleteOne: () => none,
      deleteMany: () => none,
    }),
    prepare: () => Promise.resolve(),
    ping: () => Promise.resolve(),
    sweep: () => zero,
    close: () => Promise.resolve(),
  };
}

function aRow(changes: Partial<MessageRow>): MessageRow {
  return newMessage({
    ...{ _id: 'm', tenant_id: 't', session_id: 's', direction: 'outbound', chat_id: 'c', message_type: 'text', body: safeText('text') },
    ...{ status: 'sent', net_id: 'n', created_at: 1 },
    ...changes,
  });
}
