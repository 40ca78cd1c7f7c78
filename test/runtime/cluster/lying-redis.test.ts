import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { it, type TestContext } from 'node:test';
import { pause, systemClock } from '../../../runtime/clock.ts';
import type { Coordination } from '../../../runtime/cluster/port.ts';
import { redisCoordination } from '../../../runtime/cluster/redis/coordination.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import type { RedisServer } from '../../../scripts/servers/redis.ts';
import { aRedis, whereRedisIs } from '../../support/redis.ts';
import { realTime } from './kinds.ts';

const { until } = realTime;
const MEBIBYTE = 2 ** 20;
const SIDE_BY_SIDE = 8;
const LIFE_MS = 60_000;
const MEMBER = { id: 'a', boot: '1', started_at: 1, heartbeat_at: 1, address: '', state: 'active', load: {} } as const;
const HELD = { key: 'k', holder: 'a/1/0.1' };

const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const list = (...values: string[]): string => `*${values.length}\r\n${values.join('')}`;
const NIL = '$-1\r\n';

/** Bytes that a Redis may send in place of an answer. */
const LIES: readonly string[] = [
  ...[
    NIL,
    '*-1\r\n',
    '_\r\n',
    '+\r\n',
    '+OK\r\n',
    '+PONG\r\n',
    '-\r\n',
    '-ERR no\r\n',
    '-MOVED 1 127.0.0.1:1\r\n',
    '-LOADING\r\n',
    '-NOSCRIPT\r\n',
  ],
  ...[':1\r\n', ':-1\r\n', ':99999999999999999999\r\n', ':abc\r\n', ':\r\n', ':1.5\r\n', ':0x10\r\n'],
  ...[
    bulk(''),
    bulk('abc'),
    bulk('__proto__'),
    bulk('\u{1F600}'.repeat(1_000)),
    '$-2\r\n',
    '$abc\r\n',
    '$\r\n',
    '$3\r\nabcd\r\n',
    '$3\r\nab',
  ],
  ...[
    '$99999999\r\n',
    '$536870912\r\n',
    '$2147483648\r\n',
    '$99999999999999999999\r\n',
    '*1000000000\r\n',
    '*4294967295\r\n',
    '*-5\r\n',
    '*abc\r\n',
  ],
  ...[
    list(),
    list(NIL),
    list(NIL, NIL, NIL),
    list(bulk('a')),
    list(list(), list(list())),
    list(':1\r\n', ':1\r\n', ':1\r\n'),
    '*3\r\n:1\r\n',
  ],
  ...[
    '*1\r\n'.repeat(5),
    '*1\r\n'.repeat(100_000),
    `${'*1\r\n'.repeat(4)}:1\r\n`,
    `*100000\r\n${NIL.repeat(100_000)}`,
    `*40000\r\n${NIL.repeat(40_000)}`,
  ],
  ...[
    list(':1\r\n', bulk('b/1/0')),
    list(':-7\r\n', NIL),
    list(':1000000000\r\n', NIL),
    list(bulk('a'), bulk('{"id":7}')),
    list(bulk('a'), bulk('['.repeat(5_000))),
  ],
  // More than was asked for.
  ...[`+OK\r\n${NIL}`, `${NIL}${NIL}${NIL}`, ':1\r\n:1\r\n:1\r\n:1\r\n', `-ERR\r\n*-1\r\n`, `${list()}_\r\n`],
  // RESP3.
  ...[
    '#t\r\n',
    '#x\r\n',
    ',1.5\r\n',
    ',nan\r\n',
    '(123456789012345678901234567890\r\n',
    '=7\r\ntxt:abc\r\n',
    '!3\r\nERR\r\n',
    '|1\r\n+a\r\n+b\r\n',
  ],
  ...[
    '%1\r\n+a\r\n+b\r\n',
    '%1000000000\r\n',
    '~1000000000\r\n',
    '~1\r\n+a\r\n',
    '>1\r\n$7\r\nmessage\r\n',
    '>0\r\n',
    `>2\r\n${bulk('invalidate')}${NIL}`,
  ],
  ...[`>3\r\n${bulk('message')}${NIL}${NIL}`, `>3\r\n${bulk('subscribe')}${NIL}:1\r\n`, '>1000000000\r\n', `>1\r\n${NIL}`],
  // What subscribers get.
  ...[
    list(bulk('message')),
    list(bulk('message'), NIL, NIL),
    list(bulk('message'), bulk('gw:x'), NIL),
    list(bulk('message'), bulk('gw:x'), bulk('text')),
  ],
  ...[
    list(bulk('pmessage'), bulk('*'), bulk('gw:x'), bulk('text')),
    list(bulk('smessage'), NIL, NIL),
    list(bulk('message'), list(), list()),
  ],
  ...[
    list(bulk('subscribe')),
    list(bulk('subscribe'), NIL, ':1\r\n'),
    list(bulk('subscribe'), bulk('gw:x'), NIL),
    list(bulk('subscribe'), bulk('gw:x'), ':1\r\n'),
  ],
  ...[
    list(bulk('unsubscribe'), NIL, ':0\r\n'),
    list(bulk('unsubscribe')),
    list(bulk('punsubscribe'), bulk('gw:x'), ':0\r\n'),
    list(bulk('sunsubscribe'), NIL, NIL),
  ],
  ...[list(bulk('pong')), list(bulk('pong'), NIL), list(bulk('pong'), bulk(''))],
  // No protocol at all.
  ...[
    '\r\n',
    '\n',
    'HTTP/1.1 400 Bad Request\r\n\r\n',
    '\0'.repeat(10_000),
    `+${'x'.repeat(MEBIBYTE)}`,
    `-${'x'.repeat(MEBIBYTE)}\r\n`,
    'x',
    '*',
    '$',
    '+OK\n',
  ],
  ...[
    `$${20 * MEBIBYTE}\r\n${'x'.repeat(20 * MEBIBYTE)}\r\n`,
    `*2\r\n$${9 * MEBIBYTE}\r\n${'x'.repeat(9 * MEBIBYTE)}\r\n$${9 * MEBIBYTE}\r\n${'x'.repeat(9 * MEBIBYTE)}\r\n`,
  ],
];

/** When a lie is told: all of them at some moments, a few at the others. */
const ALWAYS = ['evalsha', 'ping', 'publish', 'subscribe', 'subscribed'] as const;
const AT_TIMES = ['info', 'eval', 'zrem', 'connected'] as const;
const FEW = 4;

/** Those that come once for each connection. */
const AT_FIRST: ReadonlySet<string> = new Set(['info', 'connected', 'subscribed']);

interface Lie {
  readonly when: (typeof ALWAYS | typeof AT_TIMES)[number];
  readonly bytes: string;
}

/** A proxy before a Redis that answers some commands itself. */
async function aLiar(scope: Pick<TestContext, 'after'>, redis: RedisServer) {
  let lie: Lie | null = null;
  let told = 0;
  const sockets = new Set<Socket>();
  const tell = (socket: Socket): void => {
    told += 1;
    socket.write(lie?.bytes ?? '');
  };
  const server = createServer((client) => {
    const honest = connect(redis.port, '127.0.0.1');
    for (const socket of [client, honest]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        honest.destroy();
        sockets.delete(socket);
      });
    }
    honest.pipe(client, { end: false });
    if (lie?.when === 'connected') tell(client);
    client.on('data', (bytes) => {
      // The client writes whole commands: each begins with its number of words.
      for (const command of bytes.toString('latin1').split(/(?=\*\d+\r\n\$\d+\r\n[a-z]+\r\n)/)) {
        const name = /^\*\d+\r\n\$\d+\r\n([a-z]+)\r\n/.exec(command)?.[1];
        if (lie !== null && name === lie.when) tell(client);
        else if (lie?.when === 'eval' && name === 'evalsha') client.write('-NOSCRIPT No matching script.\r\n');
        else honest.write(command, 'latin1');
        if (name === 'subscribe' && lie?.when === 'subscribed') setImmediate(() => tell(client));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** From now on, also to who connects anew; null: it is honest again. */
    lies(next: Lie | null): void {
      lie = next;
      told = 0;
      if (next !== null && AT_FIRST.has(next.when)) for (const socket of sockets) socket.destroy();
    },
    told: () => told,
  };
}

/** Every question that a node asks of Redis; how many were answered. Each has to end. */
async function asked(coordination: Coordination): Promise<number> {
  const answers = await Promise.allSettled([
    coordination.ping(),
    coordination.beat(MEMBER, LIFE_MS),
    coordination.acquire('k', HELD.holder, LIFE_MS),
    coordination.renew([HELD], LIFE_MS),
    coordination.replace('k', 'x', HELD.holder, LIFE_MS),
    coordination.holders(['k', 'free']),
    coordination.count([[{ key: 'w', max: 3, windowMs: LIFE_MS }]]),
    coordination.acquireSeat('r', 's', 2, LIFE_MS),
    coordination.releaseSeat('r', 's'),
    coordination.publish('x', 'text'),
    coordination.subscribe('x', () => {}),
    coordination.release([HELD]),
    coordination.part({ id: 'a', boot: '1' }),
  ]);
  return answers.filter(({ status }) => status === 'fulfilled').length;
}

const ALL = 13;

whereRedisIs('a Redis that sends false replies', () => {
  it(`does not stop the gateway, which still works normally after ${LIES.length} false replies`, async (t) => {
    const redis = await aRedis(t);
    const lies: Lie[] = [
      ...ALWAYS.flatMap((when) => LIES.map((bytes) => ({ when, bytes }))),
      ...AT_TIMES.flatMap((when) => LIES.flatMap((bytes, n) => (n % FEW === 0 ? { when, bytes } : []))),
    ];
    const faults: string[] = [];
    const share = Math.ceil(lies.length / SIDE_BY_SIDE);
    await Promise.all(
      inChunks(lies, share).map(async (some, n) => {
        const liar = await aLiar(t, redis);
        const coordination = redisCoordination({ url: liar.url, prefix: `gw${n}:`, faulted: (why) => faults.push(why) });
        t.after(() => coordination.close());
        for (const lie of some) {
          liar.lies(null);
          await until(async () => (await asked(coordination)) === ALL);
          liar.lies(lie);
          await until(async () => (await asked(coordination)) >= 0 && liar.told() > 0);
        }
        liar.lies(null);
        await until(async () => (await asked(coordination)) === ALL);
      }),
    );
    assert.ok(faults.length > lies.length / 4, `${faults.length} connections were given up`);
    assert.ok(faults.every((why) => why.length < 200));
  });

  it('cannot make the gateway allocate memory for sizes that are only announced', async (t) => {
    const liar = await aLiar(t, await aRedis(t));
    const child = spawn(process.execPath, ['test/runtime/cluster/lied-to-process.ts', liar.url], { stdio: ['pipe', 'pipe', 'inherit'] });
    t.after(() => void (child.exitCode ?? child.kill('SIGKILL')));
    const lines = createInterface({ input: child.stdout });
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('the process ended')));
    const peak = async (): Promise<number> => {
      const answer = once(lines, 'line');
      child.stdin.write('?');
      return Number((await Promise.race([answer, ended]))[0]);
    };
    await until(async () => (await peak()) > 0);
    await pause(systemClock, 1_000);
    const idle = await peak();
    const large = LIES.filter((bytes) => bytes.length > 50_000 || /\d{6}/.test(bytes));
    assert.ok(large.length > 15);
    for (const bytes of large) {
      for (const when of ['evalsha', 'subscribed'] as const) {
        liar.lies({ when, bytes });
        await until(() => liar.told() > 0);
        await pause(systemClock, 100);
        liar.lies(null);
        const grown = Math.round(((await peak()) - idle) / MEBIBYTE);
        const sent = bytes.length / MEBIBYTE;
        assert.ok(grown < 64 + 3 * sent, `${grown} MB after ${JSON.stringify(bytes.slice(0, 40))}, ${when}`);
      }
    }
  });

  it('cannot make the gateway buffer an endless reply or unanswered commands', async (t) => {
    const redis = await aRedis(t);
    const liar = await aLiar(t, redis);
    const coordination = redisCoordination({ url: liar.url });
    t.after(() => coordination.close());
    await until(async () => (await asked(coordination)) === ALL);
    for (const bytes of ['*2\r\n$3\r\nab', '$1000000\r\nx', '']) {
      liar.lies({ when: 'publish', bytes });
      const since = systemClock.monotonic();
      const sent = Array.from({ length: 12_000 }, () => coordination.publish('x', 'text').catch(() => null));
      assert.ok((await Promise.all(sent)).every((answer) => answer === null));
      assert.ok(systemClock.monotonic() - since < 20_000);
      liar.lies(null);
      await until(async () => (await asked(coordination)) === ALL);
    }
  });

  it('stays connected when the gateway drops an oversized published message', async (t) => {
    const redis = await aRedis(t);
    const faults: string[] = [];
    const [voice, ear] = [0, 1].map(() => redisCoordination({ url: redis.url, faulted: (why) => faults.push(why) }));
    t.after(() => Promise.all([voice!.close(), ear!.close()]));
    await until(async () => (await asked(voice!)) === ALL && (await asked(ear!)) === ALL);
    const received: number[] = [];
    await ear!.subscribe('news', (text) => received.push(text.length));
    await redis.run(async (client) => {
      // Above 32 MB Redis itself ends the connections of subscribers.
      for (const size of [1, 5 * MEBIBYTE, 2, 20 * MEBIBYTE, 3]) await client.publish('gw:news', 'x'.repeat(size));
    });
    await until(() => received.length === 3);
    assert.deepEqual(received, [1, 2, 3]);
    assert.equal(faults.length, 2);
    assert.ok(faults.every((why) => /left out/.test(why)));
  });
});
