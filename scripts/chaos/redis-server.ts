import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { type Child, kept } from './child.ts';

/** A Redis of one's own on a free loopback port that keeps nothing on disk. */
export class RedisServer {
  readonly port: number;
  #child: Child | null = null;

  private constructor(port: number) {
    this.port = port;
  }

  /** Rejects with an Error of one sentence when redis-server is not installed. */
  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const options = { port: this.port, bind: '127.0.0.1', dir: tmpdir(), save: '', appendonly: 'no' };
    const server = spawn(
      'redis-server',
      Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const failed = once(server, 'error').then((): never => {
      throw new Error('redis-server cannot be started: is it installed?');
    });
    await Promise.race([once(server, 'spawn'), failed]);
    this.#child = kept(server);
    for await (const said of server.stdout) if (String(said).includes('Ready to accept')) return;
    throw new Error('redis-server ended at once');
  }

  /** With all that it knew. */
  async kill(): Promise<void> {
    await this.#child?.kill();
    this.#child = null;
  }

  /** It forgets everything. With `unnoticed` it looks as if it had always been so empty: nobody waits for leases that may still be relied on. */
  async flush(unnoticed = false): Promise<void> {
    const redis = new Redis(this.port, '127.0.0.1', { commandTimeout: 5_000 });
    try {
      const runId = /^run_id:(\w+)/m.exec(await redis.info('server'))?.[1] ?? '';
      const forgetting = redis.multi().flushall();
      await (unnoticed ? forgetting.set('gw:run', runId) : forgetting).exec();
    } finally {
      redis.disconnect();
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
