import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { Failure } from '../../../scripts/commands/cluster/operator.ts';
import { addressIn, expectCertificates } from '../../../scripts/commands/shell/listen/address.ts';
import { Link } from '../../../scripts/commands/shell/listen/link.ts';
import { openPosition } from '../../../scripts/commands/shell/listen/position.ts';
import { outgoing } from '../../../scripts/commands/shell/listen/sink.ts';
import { makeCertificate } from '../../network-peer/media/certificate.ts';
import { aRedis, whereRedisIs } from '../../support/redis.ts';
import { aDirectory, lastFirst } from '../../support/stores.ts';

const PASSWORD = 'only-the-broker-knows';
const OF = 'http://127.0.0.1:8080 tenant amqp://127.0.0.1/';
const IDENTITY = { tenantId: 'tenant', secret: 'a secret of the signatures, and long' };

const event = (nth: number) =>
  outgoing({ id: `evt_${nth}`, type: 'message.received', session_id: 's', occurred_at: 1, data: { chat_id: 'c' } }, 'webhook');

describe("a receiver's address", () => {
  it('is rejected with exit code 2 if any part is invalid, without printing the password', () => {
    const wrong = [
      'rabbit.example',
      'ftp://127.0.0.1/',
      'amqp:///vhost',
      'redis://:6379',
      `amqp://shop:${PASSWORD}@127.0.0.1/`,
      `http://shop:${PASSWORD}@127.0.0.1/`,
      'http://shop@127.0.0.1/',
      'amqp://127.0.0.1/?exchange=',
      'amqp://127.0.0.1/?exchange=a&exchange=b',
      'amqp://127.0.0.1/?__proto__=a',
      'amqp://127.0.0.1/?heartbeat=0',
      'amqp://127.0.0.1/%E0%A4%A',
      'redis://127.0.0.1/shop',
      'redis://127.0.0.1/0?maxlen=0',
      'redis://127.0.0.1/0?stream=gw:events',
      'nats://127.0.0.1/?subject=gw.*',
      'nats://127.0.0.1/?subject=gw..a',
      'mqtt://127.0.0.1/?topic=gw/%23',
      'mqtt://127.0.0.1/gw',
      'kafka://127.0.0.1/?sasl=none',
      'kafka://127.0.0.1/?topic=a#b',
      'kafka://one:9092,two:9092/',
    ];
    for (const to of wrong)
      assert.throws(
        () => addressIn(to, PASSWORD),
        (cause) => cause instanceof Failure && cause.exitCode === 2 && !cause.message.includes(PASSWORD),
        to,
      );
  });

  it('is rejected if TLS certificates would not be verified', () => {
    assert.throws(() => expectCertificates({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }), /NODE_EXTRA_CA_CERTS/);
    expectCertificates({});
  });

  it('contains all parts that a broker needs, and is displayed without the password', () => {
    const { shown, ...amqp } = addressIn('amqps://shop%40acme@[::1]/a%2Fb?exchange=shop.events', PASSWORD);
    assert.deepEqual(amqp, {
      kind: 'amqp',
      isTls: true,
      host: '::1',
      port: 5671,
      username: 'shop@acme',
      password: PASSWORD,
      path: 'a/b',
      options: { exchange: 'shop.events' },
    });
    assert.equal(shown, 'amqps://shop%40acme@[::1]/a%2Fb?exchange=shop.events');
    assert.equal(addressIn('http://127.0.0.1:3000/hook?a=b', PASSWORD).shown, 'http://127.0.0.1:3000/hook?a=b');
  });
});

describe("a listener's position file", () => {
  const position = { after: '1.evt_1', done: ['evt_2'], secret: 'x' };

  it('can be used by only one listener at a time, and can be read only by its user', (t) => {
    const path = join(aDirectory(t), 'own', 'position.json');
    const first = openPosition(path, OF, false);
    assert.throws(() => openPosition(path, OF, true), /Another listener uses/);
    assert.equal(first.stored, null);
    first.store(position);
    first.close();
    const second = openPosition(path, OF, false);
    t.after(() => second.close());
    assert.deepEqual(second.stored, position);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(path, '..')).toSorted(), ['position.json', 'position.json.lock']);
  });

  it('is rejected if it is damaged or belongs to another receiver', (t) => {
    const path = join(aDirectory(t), 'position.json');
    for (const [text, says] of [
      ['{"after": "1.e', /does not contain the position/],
      ['', /does not contain the position/],
      ['{"after": 7, "done": [], "secret": ""}', /does not contain the position/],
      [JSON.stringify({ of: 'another', ...position }), /contains the position of another/],
    ] as const) {
      writeFileSync(path, text);
      const open = (isFresh: boolean) => openPosition(path, OF, isFresh);
      assert.throws(() => open(false), says);
      open(true).close();
    }
  });

  it('keeps the previous position if the disk is full, and the failure is reported', (t) => {
    const scope = lastFirst(t);
    const disk = aDirectory(scope);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status !== 0) return t.skip('no disk can be mounted here');
    scope.after(() => spawnSync('umount', ['-l', disk]));
    const path = join(disk, 'position.json');
    const file = openPosition(path, OF, false);
    scope.after(() => file.close());
    file.store(position);
    const former = readFileSync(path, 'utf8');
    assert.throws(() => file.store({ ...position, done: Array.from({ length: 20_000 }, String) }), /cannot be stored in .* \(ENOSPC\)/);
    assert.equal(readFileSync(path, 'utf8'), former);
    file.store({ ...position, after: '2.evt_2' });
  });
});

/** Listens on loopback, and returns what it was sent. */
async function heardBy(t: TestContext, server: Server): Promise<{ port: number; heard: string[] }> {
  const heard: string[] = [];
  server.on('error', () => {}).on('tlsClientError', () => {});
  server.on('secureConnection', (socket) =>
    socket.on('data', (bytes: Buffer) => heard.push(bytes.toString('latin1'))).on('error', () => {}),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, heard };
}

const failureAt = async (to: string): Promise<string> => {
  const link = new Link(addressIn(to, PASSWORD), IDENTITY);
  try {
    return await link.deliver([event(1)], '1.evt_1');
  } catch (cause) {
    return String(cause);
  } finally {
    await link.close();
  }
};

describe('a connection to a broker', () => {
  it('does not send its password over TLS to a server without a trusted certificate', async (t) => {
    const { key, certificate } = makeCertificate(Date.now());
    const { port, heard } = await heardBy(t, createTlsServer({ key, cert: certificate }));
    for (const scheme of ['amqps', 'rediss', 'mqtts', 'kafkas'])
      assert.match(await failureAt(`${scheme}://shop@127.0.0.1:${port}/`), /certificate/, scheme);
    assert.deepEqual(heard, []);
  });

  it('does not send its password to a NATS server without TLS', async (t) => {
    const heard: string[] = [];
    const plain = createServer((socket) => {
      socket.on('data', (bytes) => heard.push(bytes.toString())).on('error', () => {});
      socket.write('INFO {"server_id":"x","version":"2.9.0","proto":1,"max_payload":1048576}\r\n');
    });
    const { port } = await heardBy(t, plain);
    assert.match(await failureAt(`natss://shop@127.0.0.1:${port}/`), /does not support 'tls'/);
    assert.deepEqual(heard, []);
  });

  it('hides its password even if the broker includes the password in an error', async (t) => {
    const { port } = await heardBy(
      t,
      createServer(
        (socket) => void socket.once('data', () => socket.end(`-ERR \u001b[2J ${PASSWORD} is wrong\r\n`.repeat(5))).on('error', () => {}),
      ),
    );
    const said = await failureAt(`redis://shop@127.0.0.1:${port}/`);
    assert.match(said, /ERR \[2J \*\*\* is wrong/);
  });
});

whereRedisIs('a Redis stream', () => {
  it('accepts events from only one listener, and has no gaps', async (t) => {
    const redis = await aRedis(t);
    const link = () => {
      const made = new Link(addressIn(`${redis.url}/?stream=own`, undefined), IDENTITY);
      t.after(() => made.close());
      return made;
    };
    const [first, second] = [link(), link()];
    await first.open();
    await second.open();
    await first.deliver([event(1), event(2)], '1.evt_2');
    await assert.rejects(second.deliver([event(1), event(2)], '1.evt_2'), /another listener writes to the stream own/);
    assert.equal((await second.open()).held, '1.evt_2');
    assert.equal(await redis.run((own) => own.xlen('own')), 2);

    await redis.run((own) => own.set('text', 'x'));
    const refused = new Link(addressIn(`${redis.url}/?stream=text`, undefined), IDENTITY);
    await assert.rejects(refused.deliver([event(1)], '1.evt_1'), /WRONGTYPE/);
    assert.equal((await refused.open()).held, null);
    await refused.close();
    await assert.rejects(new Link(addressIn(`${redis.url}/99`, undefined), IDENTITY).open(), /index is out of range/);
  });
});
