import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { it } from 'node:test';
import { createEgress } from '../../actors/egress/egress.ts';
import type { Parcel } from '../../actors/tenant/attempt.ts';
import { Courier } from '../../actors/tenant/courier.ts';
import type { Outcome } from '../../actors/tenant/schedule.ts';
import { systemClock } from '../../runtime/clock.ts';
import { aReceiver } from './receiver.ts';

const MOST_PER_HOST = 32;

it('a host is asked so much at once, in the order it was ordered; what was called off while it waited is passed over', async (t) => {
  const receiver = await aReceiver(t);
  const open: (() => void)[] = [];
  receiver.answer((response) => void open.push(() => response.writeHead(204).end()));
  const egress = createEgress({ allow: [receiver.place], clock: systemClock });
  const courier = new Courier({ dispatcher: egress.dispatcher, clock: systemClock });
  t.after(() => Promise.all([courier.close(), egress.close()]));
  const ended: number[] = [];
  const parcel = (n: number): Parcel => ({
    url: receiver.url,
    body: Buffer.from(String(n)),
    headers: () => ['content-type', 'application/json'],
    ended: () => void ended.push(n),
  });
  const count = MOST_PER_HOST + 6;
  const errands = Array.from({ length: count }, (_, n) => courier.send(parcel(n)));
  for (const n of [32, 33, 36]) errands[n]!.callOff();
  await until(() => open.length === MOST_PER_HOST);

  open.shift()!();
  await until(() => receiver.received.length === MOST_PER_HOST + 1);
  assert.equal(receiver.received.at(-1)!.body, 34);
  receiver.answer((response) => response.writeHead(204).end());
  for (const answer of open) answer();
  await until(() => ended.length === count - 3);
  assert.deepEqual(
    ended.toSorted((a, b) => a - b),
    Array.from({ length: count }, (_, n) => n).filter((n) => ![32, 33, 36].includes(n)),
  );
  assert.equal(receiver.received.length, count - 3);
});

it('what a receiver says that is no HTTP, or too much of it, is told by its name', async (t) => {
  for (const [said, error] of [
    ['good day\r\n\r\n', 'not_http'],
    [`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`, 'headers_too_long'],
    ['', 'connection_lost'],
  ] as const) {
    const server = createServer((socket) => void socket.on('error', () => {}).end(said)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const egress = createEgress({ allow: [place], clock: systemClock });
    const courier = new Courier({ dispatcher: egress.dispatcher, clock: systemClock });
    t.after(() => Promise.all([courier.close(), egress.close(), server.close()]));
    const outcome = await new Promise<Outcome>((ended) =>
      courier.send({ url: `http://${place}/`, body: Buffer.from('{}'), headers: () => [], ended }),
    );
    assert.deepEqual([outcome.status, outcome.error], [null, error]);
  }
});

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise(setImmediate);
}
