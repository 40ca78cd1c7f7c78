import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { oneAtATime } from '../../../http/core/one-at-a-time.ts';
import { addressOf } from '../../../runtime/listening.ts';

/** A connection to a server whose requests this listener serves, one at a time. */
async function dialled(t: TestContext, serve: RequestListener): Promise<Socket> {
  const server = createServer(serve);
  oneAtATime(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect({ port: addressOf(server).port, host: '127.0.0.1' });
  t.after(() => {
    socket.destroy();
    server.close();
  });
  await once(socket, 'connect');
  return socket;
}

/** Counts by turn of the event loop. */
class Turns {
  most = 0;
  #inThis = 0;

  add(count: number): void {
    if (this.#inThis === 0)
      setImmediate(() => {
        this.#inThis = 0;
      });
    this.#inThis += count;
    this.most = Math.max(this.most, this.#inThis);
  }
}

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
const END = '0\r\n\r\n';
const CHUNKS = 60_000;
/** What one read of a connection brings at most. */
const READ_BYTES = 64 * 1_024;

async function ended(socket: Socket, isEnd: (text: string) => boolean): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more;
  });
  while (!isEnd(text)) await wait(5);
  return text;
}

describe('pipelined requests', () => {
  it('are started one per event-loop tick, and are all answered in order', async (t) => {
    const turns = new Turns();
    let nth = 0;
    const socket = await dialled(t, (_req, res) => {
      turns.add(1);
      res.end(`(${nth++})`);
    });
    socket.write(GET.repeat(500));
    const text = await ended(socket, (so) => so.includes('(499)'));
    assert.deepEqual(
      [...text.matchAll(/\((\d+)\)/g)].map(([, answer]) => Number(answer)),
      Array.from({ length: 500 }, (_, one) => one),
    );
    assert.equal(turns.most, 1);
  });
});

describe('a body in one-byte chunks', () => {
  it('is read once per event-loop tick, and is passed on in a few larger chunks', async (t) => {
    const turns = new Turns();
    let [pieces, body] = [0, ''];
    const socket = await dialled(t, (req, res) => {
      req.setEncoding('latin1').on('data', (piece: string) => {
        turns.add(piece.length);
        pieces += 1;
        body += piece;
      });
      req.on('end', () => res.end('(read)'));
    });
    const letters = Array.from({ length: CHUNKS }, (_, nth) => String.fromCharCode(97 + (nth % 26)));
    socket.write(`${POST}${letters.map((letter) => `1\r\n${letter}\r\n`).join('')}${END}${GET}`);
    await ended(socket, (so) => so.split('(read)').length === 3);
    assert.equal(body, letters.join(''));
    assert.ok(pieces < CHUNKS / 100, `${pieces} pieces`);
    // Each chunk takes six bytes of the connection. What ends a body comes in the turn of its last piece.
    assert.ok(turns.most <= (2 * READ_BYTES) / 6, `${turns.most} bytes in one turn`);
  });

  it('is buffered only up to the read limit until the handler reads it', async (t) => {
    const arrived = Promise.withResolvers<Parameters<RequestListener>>();
    const socket = await dialled(t, (req, res) => arrived.resolve([req, res]));
    socket.write(`${POST}${'1\r\nx\r\n'.repeat(CHUNKS)}${'200\r\n'}${'y'.repeat(512)}\r\n`);
    for (let nth = 0; nth < 2_000; nth += 1) socket.write(`200\r\n${'y'.repeat(512)}\r\n`);
    socket.write(END);
    const [req, res] = await arrived.promise;
    await wait(300);
    assert.ok(req.readableLength <= req.readableHighWaterMark + READ_BYTES, `${req.readableLength} bytes`);
    let length = 0;
    for await (const piece of req) length += Buffer.from(piece).length;
    assert.equal(length, CHUNKS + 2_001 * 512);
    res.end('(read)');
    await ended(socket, (so) => so.includes('(read)'));
  });
});
