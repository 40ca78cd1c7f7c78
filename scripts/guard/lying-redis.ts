import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { addressOf } from '../../runtime/listening.ts';

export class LyingRedis {
  readonly #server: Server;
  readonly #nodes = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    server.on('connection', (node) => this.#carry(node, port));
  }

  static async before(port: number): Promise<LyingRedis> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LyingRedis(server, port);
  }

  get url(): string {
    return `redis://127.0.0.1:${addressOf(this.#server).port}`;
  }

  say(bytes: Buffer): void {
    for (const node of this.#nodes) node.write(bytes);
  }

  close(): void {
    this.#server.close();
    for (const node of this.#nodes) node.destroy();
  }

  #carry(node: Socket, port: number): void {
    const redis = dial({ host: '127.0.0.1', port });
    this.#nodes.add(node);
    node.on('close', () => {
      this.#nodes.delete(node);
      redis.destroy();
    });
    redis.on('close', () => node.destroy());
    for (const socket of [node, redis]) socket.on('error', () => socket.destroy());
    node.pipe(redis);
    redis.pipe(node);
  }
}
