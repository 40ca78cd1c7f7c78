import { createServer, type Server } from 'node:http';
import { addressOf } from '../../runtime/listening.ts';

export interface HostileAnswer {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const NOTHING: HostileAnswer = { type: 'application/json', body: '{}' };

export class HostileServer {
  readonly #server: Server;
  #answer = NOTHING;

  private constructor() {
    this.#server = createServer((request, response) => {
      request.resume();
      const { type, headers = {}, body } = this.#answer;
      response.on('error', () => {}).writeHead(200, { 'content-type': type, ...headers });
      response.end(body);
    });
  }

  static async start(): Promise<HostileServer> {
    const hostile = new HostileServer();
    await new Promise<void>((resolve) => void hostile.#server.listen(0, '127.0.0.1', resolve));
    return hostile;
  }

  get host(): string {
    return `127.0.0.1:${addressOf(this.#server).port}`;
  }

  answer(answer: HostileAnswer): void {
    this.#answer = answer;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
