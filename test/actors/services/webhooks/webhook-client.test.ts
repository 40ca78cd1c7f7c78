import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { it } from 'node:test';
import type { HttpJob } from '../../../../actors/services/webhooks/delivery-attempt.ts';
import type { Outcome } from '../../../../actors/services/webhooks/retry-schedule.ts';
import { WebhookClient } from '../../../../actors/services/webhooks/webhook-client.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { createEgress } from '../../../../runtime/egress/egress.ts';
import { aReceiver } from './receiver.ts';

const MAX_PER_HOST = 64;

it('the webhook client limits concurrent requests per host, keeps their order, and skips cancelled ones', async (t) => {
  const receiver = await aReceiver(t);
  const open: (() => void)[] = [];
  receiver.answer((response) => void open.push(() => response.writeHead(204).end()));
  const egress = createEgress({ allow: [receiver.place], clock: systemClock });
  const webhookClient = new WebhookClient({ dispatcher: egress.dispatcher, clock: systemClock });
  t.after(() => Promise.all([webhookClient.close(), egress.close()]));
  const ended: number[] = [];
  const httpJob = (n: number): HttpJob => ({
    tenantId: n % 2 === 0 ? 'even' : 'odd',
    url: receiver.url,
    body: Buffer.from(String(n)),
    headers: () => ['content-type', 'application/json'],
    ended: () => void ended.push(n),
  });
  const count = MAX_PER_HOST + 6;
  const inFlight = Array.from({ length: count }, (_, n) => webhookClient.send(httpJob(n)));
  const calledOff = [0, 1, 4].map((nth) => MAX_PER_HOST + nth);
  for (const n of calledOff) inFlight[n]!.callOff();
  await until(() => open.length === MAX_PER_HOST);

  open.shift()!();
  await until(() => receiver.received.length === MAX_PER_HOST + 1);
  assert.equal(receiver.received.at(-1)!.body, MAX_PER_HOST + 2);
  receiver.answer((response) => response.writeHead(204).end());
  for (const answer of open) answer();
  await until(() => ended.length === count - 3);
  assert.deepEqual(
    ended.toSorted((a, b) => a - b),
    Array.from({ length: count }, (_, n) => n).filter((n) => !calledOff.includes(n)),
  );
  assert.equal(receiver.received.length, count - 3);
});

it('the webhook client truncates a response for display without splitting a character', async (t) => {
  const receiver = await aReceiver(t);
  receiver.answer((response) => response.writeHead(500).end(`${'a'.repeat(499)}😀 and more`));
  const egress = createEgress({ allow: [receiver.place], clock: systemClock });
  const webhookClient = new WebhookClient({ dispatcher: egress.dispatcher, clock: systemClock });
  t.after(() => Promise.all([webhookClient.close(), egress.close()]));
  const { body } = await new Promise<Outcome>((ended) =>
    webhookClient.send({ tenantId: 't', url: receiver.url, body: Buffer.from('{}'), headers: () => [], ended }),
  );
  assert.equal(body, 'a'.repeat(499));
});

it('the webhook client lets no tenant use all connections to an unresponsive host', async (t) => {
  const receiver = await aReceiver(t);
  const open: (() => void)[] = [];
  receiver.answer((response) => void open.push(() => response.writeHead(204).end()));
  const egress = createEgress({ allow: [receiver.place], clock: systemClock });
  const webhookClient = new WebhookClient({ dispatcher: egress.dispatcher, clock: systemClock });
  t.after(() => Promise.all([webhookClient.close(), egress.close()]));
  const httpJob = (tenantId: string): HttpJob => ({
    tenantId,
    url: receiver.url,
    body: Buffer.from(JSON.stringify(tenantId)),
    headers: () => ['content-type', 'application/json'],
    ended: () => {},
  });
  for (let nth = 0; nth < 200; nth += 1) webhookClient.send(httpJob('flooding'));
  webhookClient.send(httpJob('quiet'));
  await until(() => receiver.received.some(({ body }) => body === 'quiet'));
  assert.equal(receiver.received.length, MAX_PER_HOST / 2 + 1);
  for (const answer of open.splice(0)) answer();
});

it('the webhook client reports a problem if a response is too long or not valid HTTP', async (t) => {
  for (const [said, error] of [
    ['good day\r\n\r\n', 'not_http'],
    [`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`, 'headers_too_long'],
    ['', 'connection_lost'],
  ] as const) {
    const server = createServer((socket) => void socket.on('error', () => {}).end(said)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const egress = createEgress({ allow: [place], clock: systemClock });
    const webhookClient = new WebhookClient({ dispatcher: egress.dispatcher, clock: systemClock });
    t.after(() => Promise.all([webhookClient.close(), egress.close(), server.close()]));
    const outcome = await new Promise<Outcome>((ended) =>
      webhookClient.send({ tenantId: 't', url: `http://${place}/`, body: Buffer.from('{}'), headers: () => [], ended }),
    );
    assert.deepEqual([outcome.status, outcome.error], [null, error]);
  }
});

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise(setImmediate);
}
