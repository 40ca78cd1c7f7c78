import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { it, type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BodyIntake } from '../../../http/core/body-intake.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { aServer, as, type Sample } from '../../support/http-sample.ts';

const MB = 1024 * 1024;
const BODY = Buffer.alloc(MB, ' ');
/** Of what the callers send in all, so little may stay in memory. */
const LITTLE = 16 * MB;

interface Caller {
  readonly socket: Socket;
  received(): string;
}

async function aServerFor(t: TestContext, over: Parameters<typeof aServer>[0] = {}): Promise<Sample> {
  const web = await aServer(over);
  t.after(() => web[Symbol.asyncDispose]());
  return web;
}

/** Says that `length` bytes come, and sends the first `sent` of them. */
async function aStalledCaller(
  t: TestContext,
  { server }: Sample,
  path: string,
  sent: number,
  token = 'nobody',
  length = MB,
): Promise<Caller> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  let received = '';
  socket.on('data', (text) => {
    received += text;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  await new Promise<void>((resolve) => {
    socket.write(head);
    socket.write(BODY.subarray(0, sent), () => resolve());
  });
  return { socket, received: () => received };
}

async function until(what: string, check: () => boolean): Promise<void> {
  for (let tries = 0; !check(); tries += 1) {
    assert.ok(tries < 1_000, `${what}: that never came to be`);
    await pause(systemClock, 5);
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function inMemory(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

it('the memory used by a hundred stalled bodies from unauthenticated callers is released', async (t) => {
  const web = await aServerFor(t);
  const taken: Socket[] = [];
  web.server.listener.on('connection', (socket) => taken.push(socket));
  for (const path of ['/open-post', '/v1/bearer', '/unknown']) {
    const before = inMemory();
    const callers = await Promise.all(Array.from({ length: 100 }, () => aStalledCaller(t, web, path, MB - 1)));
    await until('all is read or answered', () =>
      callers.every(({ received }, nth) => received() !== '' || taken[nth]!.bytesRead >= MB - 1),
    );
    await until(`${path}: what was read is let go`, () => inMemory() - before < LITTLE);
    for (const { socket } of callers) socket.destroy();
    taken.length = 0;
  }
});

it('a public operation accepts a body of up to 8 KB, and any other operation up to 1 MB', async (t) => {
  const web = await aServerFor(t);
  const padded = (bytes: number): string => `{}${' '.repeat(bytes - 2)}`;
  assert.equal((await web.post('/open-post', padded(8 * 1024))).status, 200);
  assert.equal((await web.post('/open-post', padded(8 * 1024 + 1))).body.code, 'PAYLOAD_TOO_LARGE');
  assert.equal((await web.post('/v1/bearer', padded(MB), as('owner'))).status, 200);
});

it('a stalled body times out after ten seconds for every caller', async (t) => {
  const clock = new VirtualClock();
  const web = await aServerFor(t, { intake: new BodyIntake(clock) });
  const callers = await Promise.all(['nobody', 'owner'].map((token) => aStalledCaller(t, web, '/v1/bearer', 1_000, token)));
  const uploader = await aStalledCaller(t, web, '/v1/stream', 1_000, 'owner');
  await pause(systemClock, 50);
  await clock.advance(9_000);
  assert.deepEqual(
    [callers[1]!, uploader].map(({ received }) => received()),
    ['', ''],
  );
  await clock.advance(12_000);
  await until('both are answered', () => callers.every(({ socket }) => socket.closed) && uploader.socket.closed);
  assert.match(callers[0]!.received(), /^HTTP\/1\.1 401 /);
  assert.match(callers[1]!.received(), /^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*REQUEST_TIMEOUT/i);
});

it('a body that announces too large a size gets a 413 within seconds', async (t) => {
  const clock = new VirtualClock();
  const web = await aServerFor(t, { intake: new BodyIntake(clock) });
  for (const [path, token, length] of [
    ['/open-post', 'nobody', MB],
    ['/v1/bearer', 'owner', 20 * MB],
    ['/v1/stream', 'owner', 90 * MB],
  ] as const) {
    const caller = await aStalledCaller(t, web, path, 100, token, length);
    await pause(systemClock, 50);
    await clock.advance(4_000);
    await until(`${path} is answered`, () => caller.socket.closed);
    assert.match(caller.received(), /^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*PAYLOAD_TOO_LARGE/i);
  }
});

/** Its body is what the test pushes. */
function aRequest(): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = { 'transfer-encoding': 'chunked' };
  return request;
}

it('bytes that arrive after a body was abandoned are not charged to the tenant', async () => {
  const clock = new VirtualClock();
  const intake = new BodyIntake(clock, 400_000);
  const slow = aRequest();
  const read = assert.rejects(
    intake.read(slow, MB, 'owner', ({ length }) => length),
    { code: 'REQUEST_TIMEOUT' },
  );
  slow.push(Buffer.alloc(1_000));
  await clock.advance(21_000);
  await read;
  slow.push(Buffer.alloc(99_000));
  await pause(systemClock, 20);
  const whole = aRequest();
  const next = intake.read(whole, MB, 'owner', ({ length }) => length);
  whole.push(Buffer.alloc(90_000));
  whole.push(null);
  assert.equal(await next, 90_000);
});

it('a slow but steady body is accepted', async (t) => {
  const clock = new VirtualClock();
  const web = await aServerFor(t, { intake: new BodyIntake(clock) });
  const steady = await aStalledCaller(t, web, '/v1/bearer', 2, 'owner', 50_002);
  for (let part = 0; part < 5; part += 1) {
    steady.socket.write(part === 0 ? Buffer.concat([Buffer.alloc(10_300, ' ')]) : Buffer.alloc(10_300, ' '));
    await pause(systemClock, 30);
    await clock.advance(9_900);
  }
  await until('it is answered', () => steady.received().length > 0);
  assert.doesNotMatch(steady.received(), / 408 /);
});

it('the memory for incoming bodies is limited, and one tenant can use at most a quarter of it', async (t) => {
  const web = await aServerFor(t, { intake: new BodyIntake(systemClock, 400_000) });
  const [first] = [await aStalledCaller(t, web, '/v1/bearer', 90_000, 'owner', 95_000)];
  await until('it is read', () => first!.socket.bytesWritten > 90_000);
  await pause(systemClock, 50);
  const full = await web.post('/v1/bearer', `{}${' '.repeat(20_000)}`, as('owner'));
  assert.deepEqual([full.status, full.body.code, full.headers.get('retry-after')], [503, 'OVERLOADED', '1']);
  assert.equal((await web.post('/open-post', '{}')).status, 200);
  first!.socket.write(Buffer.alloc(5_000, ' '));
  await until('it is answered', () => first!.received().length > 0);
  assert.equal((await web.post('/v1/bearer', `{}${' '.repeat(20_000)}`, as('owner'))).status, 200);
});

it('the server accepts no more connections than configured', async (t) => {
  const web = await aServerFor(t, { maxConnections: 3 });
  const callers = await Promise.all([1, 2, 3].map(() => aStalledCaller(t, web, '/v1/bearer', 10)));
  const { hostname, port } = new URL(web.server.url);
  const fourth = connect(Number(port), hostname);
  fourth.on('error', () => {});
  await once(fourth, 'close');
  assert.equal(
    callers.some(({ socket }) => socket.closed),
    false,
  );
});
