import { once } from 'node:events';
import { createServer } from 'node:http';
import { sealedWebhooks } from '../../../actors/services/credentials/sealed-secrets.ts';
import { newDelivery } from '../../../actors/services/webhooks/new-delivery.ts';
import type { TenantCommand } from '../../../actors/tenant/protocol.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { newId } from '../../../runtime/ids.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { createSealer } from '../../../runtime/sealing/seal.ts';
import { wakeupsIn } from '../../../store/scheduling/wakeups.ts';
import { deliveriesIn } from '../../../store/webhooks/deliveries.ts';
import { type WebhookRow, webhooksIn } from '../../../store/webhooks/webhooks.ts';
import { type BenchNode, startBenchNode } from '../bench-node.ts';
import { BODY } from './post.ts';

/** With `hanging`, another webhook has 10,000 pending events for an endpoint that never responds. */
const [size, other] = process.argv.slice(2);
const isQuick = size === 'quick';
const TENANTS = 10;
const EACH = isQuick ? 5 : 60;
const EVERY_MS = 10;
const WAITING = isQuick ? 500 : 10_000;
const WARM = 3;

const dueAt = new Map<string, number>();
const took: number[] = [];

const receiver = createServer((request, response) => {
  const id = String(request.headers['x-webhook-id']);
  request.resume().on('end', () => {
    took.push(systemClock.monotonic() - (dueAt.get(id) ?? Number.NaN));
    response.end();
  });
});
const hanging = createServer((request) => void request.resume());

const places = await Promise.all([receiver, hanging].map(listening));
const [place, hangingPlace] = places;
const bench = await startBenchNode({ egress_allow: places });
if (other === 'hanging') await burden(bench, `http://${hangingPlace}/`);
const webhooks = await Promise.all(Array.from({ length: TENANTS }, () => aWebhook(bench, `http://${place}/hook`)));
for (let n = 0; n < EACH; n += 1) for (const webhook of webhooks) await deliverOne(bench, webhook);
while (took.length < EACH * TENANTS) await pause(systemClock, EVERY_MS);
const kept = took.slice(WARM * TENANTS).sort((a, b) => a - b);
console.log(JSON.stringify({ p50: kept[kept.length >> 1], p99: kept[Math.floor(kept.length * 0.99)] }));
process.exit();

async function deliverOne({ node, store }: BenchNode, webhook: WebhookRow): Promise<void> {
  await pause(systemClock, EVERY_MS);
  const now = systemClock.now();
  const delivery = newDelivery(webhook, eventAt(now), { isAsked: false, epoch: 0, now });
  dueAt.set(delivery.event_id, systemClock.monotonic());
  await deliveriesIn(store).add([delivery]);
  await wakeupsIn(store).put(webhook.tenant_id, now);
  await node.actors.ref<TenantCommand>('tenant', webhook.tenant_id).ask({ type: 'webhookChanged', webhookId: webhook._id });
}

async function burden(bench: BenchNode, url: string): Promise<void> {
  const { node, store } = bench;
  const webhook = await aWebhook(bench, url);
  const now = systemClock.now();
  const rows = Array.from({ length: WAITING }, () => newDelivery(webhook, eventAt(now), { isAsked: false, epoch: 0, now }));
  await deliveriesIn(store).add(rows);
  await wakeupsIn(store).put(webhook.tenant_id, now);
  await node.actors.ref<TenantCommand>('tenant', webhook.tenant_id).ask({ type: 'eventsArrived' });
  await once(hanging, 'request');
}

async function aWebhook({ node, store }: BenchNode, url: string): Promise<WebhookRow> {
  const now = systemClock.now();
  const webhook = {
    _id: newId(now),
    tenant_id: newId(now),
    url,
    events: ['message.received'],
    secret: 'a secret that only the two of us know',
    created_at: now,
    disabled_at: null,
  };
  await sealedWebhooks(webhooksIn(store), createSealer(node.secrets.deviceKeys)).create(webhook, 1);
  return webhook;
}

function eventAt(now: number) {
  return { event_id: `evt_${newId(now)}`, event: 'message.received', body: BODY };
}

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${addressOf(server).port}`;
}
