import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { systemClock } from '../../runtime/clock.ts';

const STARTS_WITHIN_MS = 10_000;

export class RedisServer {
  static async start(): Promise<RedisServer> {
    const redis = new RedisServer(await freePort());
    await redis.start();
    return redis;
  }

  readonly port: number;
  readonly url: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'redis-'));
  #server: ChildProcess | null = null;

  private constructor(port: number) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
  }

  async start(): Promise<void> {
    const options = { port: this.port, bind: '127.0.0.1', dir: this.#directory, save: '', appendonly: 'no', daemonize: 'no' };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#server = server;
    // Kills the server when this process exits for any reason.
    const end = (): void => void server.kill('SIGKILL');
    process.once('exit', end);
    server.once('exit', () => process.off('exit', end));
    await acceptsConnections(server);
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  pause(): void {
    this.#server?.kill('SIGSTOP');
  }

  resume(): void {
    this.#server?.kill('SIGCONT');
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** If `unnoticed`, nodes do not notice the loss, and so do not wait for leases that may be in use. */
  async flush(unnoticed = false): Promise<void> {
    await this.run(async (redis) => {
      const forgetting = redis.multi().flushall();
      await (unnoticed ? forgetting.set('gw:run', await runIdOf(redis)) : forgetting).exec();
    });
  }

  /** Makes Redis grant leases immediately, as if nodes had been using it for a long time. */
  async settle(prefix = 'gw:'): Promise<void> {
    await this.run(async (redis) => {
      await redis.set(`${prefix}run`, await runIdOf(redis));
    });
  }

  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, { commandTimeout: 5_000 });
    try {
      return await command(redis);
    } finally {
      redis.disconnect();
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null || server.exitCode !== null || server.signalCode !== null || server.pid === undefined) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  }
}

const runIdOf = async (redis: Redis): Promise<string> => /^run_id:(\w+)/m.exec(await redis.info('server'))?.[1] ?? '';

async function acceptsConnections(server: ChildProcess): Promise<void> {
  let said = '';
  let giveUp = (): void => {};
  try {
    await new Promise<void>((resolve, reject) => {
      giveUp = systemClock.after(STARTS_WITHIN_MS, () => reject(new Error(`redis-server did not start: ${said}`)));
      server.once('error', () => reject(new Error('redis-server is not installed: install the Debian package redis-server.')));
      server.once('exit', () => reject(new Error(`redis-server ended: ${said}`)));
      server.stdout?.on('data', (text) => {
        said += text;
        if (said.includes('Ready to accept connections')) resolve();
      });
    });
  } finally {
    giveUp();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
