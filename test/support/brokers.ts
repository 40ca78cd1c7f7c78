import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { connect as connectAmqp } from 'amqplib';
import { Redis } from 'ioredis';
import { connectAsync } from 'mqtt';

/** An event as a consumer receives it. */
export interface Arrived {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  /** All headers, or all fields except the body. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A real broker on a free loopback port, with a consumer. */
export interface Broker {
  /** Ends with `?` or an option, so that `&` can append more options. */
  readonly url: string;
  /** Returns all events received so far, in the broker's order. */
  arrived(): Promise<readonly Arrived[]>;
  /** Makes the broker accept events that no queue received before; null if it accepts all events. */
  readonly admit: (() => Promise<void>) | null;
  /** Kills the broker (SIGKILL) and restarts it with its data on disk; null for a broker without storage. */
  readonly crash: (() => Promise<void>) | null;
  end(): Promise<void>;
}

/** RabbitMQ takes 15 seconds on an idle machine. */
const STARTS_WITHIN_MS = 240_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

/** Resolves when a server accepts connections. */
async function answers(port: number, server: ChildProcess): Promise<void> {
  for (const until = performance.now() + STARTS_WITHIN_MS; performance.now() < until; ) {
    if (server.exitCode !== null) throw new Error(`a broker ended with ${server.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no broker answers at ${port}`);
}

/** A server process in its own process group, because some servers are started by a script. */
class Server {
  readonly directory = mkdtempSync(join(tmpdir(), 'broker-'));
  readonly #command: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #port: number;
  #process: ChildProcess | null = null;

  constructor(
    command: string,
    port: number,
    args: (directory: string) => readonly string[],
    env: (directory: string) => NodeJS.ProcessEnv = () => ({}),
  ) {
    this.#command = command;
    this.#port = port;
    this.#args = args(this.directory);
    this.#env = { ...process.env, HOME: this.directory, ...env(this.directory) };
  }

  async start(): Promise<void> {
    const server = spawn(this.#command, this.#args, { stdio: 'ignore', detached: true, env: this.#env, cwd: this.directory });
    this.#process = server;
    const end = (): void => this.#signal(server);
    process.once('exit', end);
    server.once('exit', () => process.off('exit', end));
    try {
      await answers(this.#port, server);
    } catch (cause) {
      await this.kill();
      throw cause;
    }
  }

  async kill(): Promise<void> {
    const server = this.#process;
    this.#process = null;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    this.#signal(server);
    await exited;
  }

  async crash(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  #signal(server: ChildProcess): void {
    try {
      if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    } catch {
      // The group has already exited.
    }
  }
}

export async function aRedisStream(): Promise<Broker> {
  const port = await freePort();
  const args = { port: String(port), bind: '127.0.0.1', save: '', appendonly: 'yes' };
  const server = new Server('redis-server', port, () => Object.entries(args).flatMap(([name, value]) => [`--${name}`, value]));
  await server.start();
  return {
    url: `redis://127.0.0.1:${port}/?stream=gateway:events`,
    async arrived() {
      const redis = new Redis(port, '127.0.0.1', { enableReadyCheck: true });
      try {
        const entries = await redis.xrange('gateway:events', '-', '+');
        return entries.map(([, fields]) => {
          const headers = Object.fromEntries(fields.flatMap((name, nth) => (nth % 2 === 0 ? [[name, fields[nth + 1] ?? '']] : [])));
          return { id: headers['id'] ?? '', type: headers['type'] ?? '', body: headers['event'] ?? '', headers };
        });
      } finally {
        redis.disconnect();
      }
    },
    admit: null,
    crash: () => server.crash(),
    end: () => server.end(),
  };
}

export async function aJetStream(): Promise<Broker> {
  const port = await freePort();
  const server = new Server('nats-server', port, (directory) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', directory]);
  await server.start();
  const admin = async <T>(work: (streams: Awaited<ReturnType<typeof jetstreamManager>>['streams']) => Promise<T>): Promise<T> => {
    const connection = await connectNats({ servers: `127.0.0.1:${port}` });
    try {
      return await work((await jetstreamManager(connection)).streams);
    } finally {
      await connection.close();
    }
  };
  await admin((streams) => streams.add({ name: 'EVENTS', subjects: ['gw.>'] }));
  return {
    url: `nats://127.0.0.1:${port}/?subject=gw`,
    arrived: () =>
      admin(async (streams) => {
        const { state } = await streams.info('EVENTS');
        const found: Arrived[] = [];
        for (let seq = state.first_seq; seq > 0 && seq <= state.last_seq; seq += 1) {
          const message = await streams.getMessage('EVENTS', { seq });
          const headers = Object.fromEntries([...(message?.header ?? [])].map(([name, [value = '']]) => [name, value]));
          const [, , ...type] = (message?.subject ?? '').split('.');
          found.push({ id: headers['Nats-Msg-Id'] ?? '', type: type.join('.'), body: message?.string() ?? '', headers });
        }
        return found;
      }),
    admit: null,
    crash: () => server.crash(),
    end: () => server.end(),
  };
}

/** Starts RabbitMQ. Erlang's name registry runs as a separate process, which exits when the broker does. */
export async function aRabbit(): Promise<Broker> {
  const [port, names, distribution] = [await freePort(), await freePort(), await freePort()];
  const loopback = { ERL_EPMD_PORT: String(names), ERL_EPMD_ADDRESS: '127.0.0.1' };
  const registry = new Server(
    'epmd',
    names,
    () => [],
    () => loopback,
  );
  const server = new Server(
    '/usr/lib/rabbitmq/bin/rabbitmq-server',
    port,
    () => [],
    (directory) => ({
      ...loopback,
      RABBITMQ_NODENAME: `test-${port}@localhost`,
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_DIST_PORT: String(distribution),
      RABBITMQ_MNESIA_BASE: join(directory, 'data'),
      RABBITMQ_LOG_BASE: join(directory, 'log'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'plugins'),
      RABBITMQ_PID_FILE: join(directory, 'pid'),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}',
    }),
  );
  await registry.start();
  await server.start().catch(async (cause) => {
    await registry.end();
    throw cause;
  });
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  const channelFor = async <T>(
    work: (channel: Awaited<ReturnType<Awaited<ReturnType<typeof connectAmqp>>['createChannel']>>) => Promise<T>,
  ): Promise<T> => {
    const connection = await connectAmqp(url);
    connection.on('error', () => {});
    try {
      return await work(await connection.createChannel());
    } finally {
      await connection.close();
    }
  };
  await channelFor(async (channel) => {
    await channel.assertExchange('gateway.events', 'topic', { durable: true });
    await channel.assertQueue('events', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  });
  const found: Arrived[] = [];
  return {
    url: `amqp://127.0.0.1:${port}/?exchange=gateway.events`,
    async arrived() {
      await channelFor(async (channel) => {
        for (let message = await channel.get('events'); message; message = await channel.get('events')) {
          const { messageId, type, headers } = message.properties;
          found.push({ id: messageId, type, body: message.content.toString(), headers: headers ?? {} });
          channel.ack(message);
        }
      });
      return found;
    },
    admit: () =>
      channelFor(async (channel) => {
        await channel.bindQueue('events', 'gateway.events', '*.#');
      }),
    crash: () => server.crash(),
    async end() {
      await server.end();
      await registry.end();
    },
  };
}

/**
 * Starts Mosquitto. Its consumer subscribes at the start, because the broker does not store messages without a
 * subscriber.
 */
export async function aMosquitto(): Promise<Broker> {
  const port = await freePort();
  const server = new Server('mosquitto', port, (directory) => {
    const file = join(directory, 'mosquitto.conf');
    writeFileSync(file, `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n`);
    return ['-c', file];
  });
  await server.start();
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
  const found: Arrived[] = [];
  client.on('message', (topic, payload, { properties }) => {
    const headers: Record<string, string> = Object.fromEntries(
      Object.entries(properties?.userProperties ?? {}).map(([name, value]) => [name, String(value)]),
    );
    found.push({ id: headers['id'] ?? '', type: topic.split('/')[2] ?? '', body: payload.toString(), headers });
  });
  await client.subscribeAsync('gw/#', { qos: 1 });
  return {
    url: `mqtt://127.0.0.1:${port}/?topic=gw`,
    arrived: async () => found,
    admit: null,
    crash: null,
    async end() {
      await client.endAsync(true);
      await server.end();
    },
  };
}

/** Starts librdkafka's mock of a Kafka cluster, which runs inside this consumer. */
export async function aKafkaMock(): Promise<Broker> {
  const directory = mkdtempSync(join(tmpdir(), 'kafka-'));
  mkdirSync(directory, { recursive: true });
  const args = ['-C', '-b', 'mock', '-X', 'test.mock.num.brokers=1', '-t', 'gateway.events', '-o', 'beginning', '-u', '-J', '-d', 'mock'];
  const consumer = spawn('kcat', args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: directory } });
  const end = (): void => void consumer.kill('SIGKILL');
  process.once('exit', end);
  const found: Arrived[] = [];
  createInterface({ input: consumer.stdout }).on('line', (line) => {
    const { key, payload, headers: flat = [] } = JSON.parse(line);
    const headers = Object.fromEntries(flat.flatMap((name: string, nth: number) => (nth % 2 === 0 ? [[name, flat[nth + 1]]] : [])));
    found.push({ id: headers.ce_id ?? headers.id, type: headers.ce_type ?? headers.type, body: payload, headers: { ...headers, key } });
  });
  const address = Promise.withResolvers<string>();
  let hasTopic = false;
  createInterface({ input: consumer.stderr }).on('line', (line) => {
    const [, at] = /bootstrap\.servers=(127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (at !== undefined) address.resolve(at);
    hasTopic ||= line.includes('Created topic');
  });
  consumer.once('exit', (code) => address.reject(new Error(`kcat ended with ${code}`)));
  const at = await address.promise;
  while (!hasTopic) await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    url: `kafka://${at}/?topic=gateway.events`,
    arrived: async () => found,
    admit: null,
    crash: null,
    async end() {
      const exited = once(consumer, 'exit');
      if (consumer.exitCode === null && consumer.kill('SIGKILL')) await exited;
      process.off('exit', end);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
