import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import WebSocket, { WebSocketServer } from 'ws';
import { maskedFrame } from '../../../../actors/network/whatsapp/session/masked-frame.ts';
import { memberOf } from '../../../../runtime/shapes.ts';

it('a masked frame can be read by a WebSocket server, and is masked with a random key', async (t) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  t.after(() => server.close());
  await once(server, 'listening');
  const sizes = [0, 1, 3, 4, 125, 126, 1_000, 65_535, 65_536, 100_000];
  const received: Buffer[] = [];
  const all = new Promise<void>((resolve) => {
    server.on('connection', (peer) =>
      peer.on('message', (data: Buffer, isBinary: boolean) => {
        if (isBinary) received.push(data);
        if (received.length === sizes.length) resolve();
      }),
    );
  });
  const client = new WebSocket(`ws://127.0.0.1:${memberOf(server.address(), 'port')}`);
  t.after(() => client.terminate());
  const [[{ socket }]] = await Promise.all([once(client, 'upgrade'), once(client, 'open')]);
  for (const size of sizes) socket.write(maskedFrame(payload(size)));
  await all;
  assert.deepEqual(received, sizes.map(payload));
  const keys = new Set(Array.from({ length: 3_000 }, () => maskedFrame(Buffer.of(0)).subarray(2, 6).toString('hex')));
  assert.ok(keys.size > 2_990, `${keys.size} keys`);
});

const payload = (size: number): Buffer => Buffer.from(Array.from({ length: size }, (_, nth) => nth % 251));
