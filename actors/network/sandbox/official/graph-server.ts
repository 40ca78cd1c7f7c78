import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { addressOf } from '../../../../runtime/listening.ts';
import { isRecord } from '../../../../runtime/shapes.ts';
import type { GraphAnswer, GraphRequest } from './graph-state.ts';

export class GraphServer {
  readonly #answer: (request: GraphRequest) => Promise<GraphAnswer>;
  #server: Promise<Server> | null = null;
  #open = 0;

  constructor(answer: (request: GraphRequest) => Promise<GraphAnswer>) {
    this.#answer = answer;
  }

  get isBusy(): boolean {
    return this.#open > 0;
  }

  async url(): Promise<string> {
    this.#server ??= this.#listen();
    return `http://127.0.0.1:${addressOf(await this.#server).port}`;
  }

  async close(): Promise<void> {
    const server = await this.#server;
    this.#server = null;
    server?.closeAllConnections();
    server?.close();
  }

  #listen(): Promise<Server> {
    const server = createServer((request, response) => {
      this.#open += 1;
      this.#handle(request, response)
        .catch(() => response.destroy())
        .finally(() => {
          this.#open -= 1;
        });
    });
    server.unref();
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => resolve(server));
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams: query, pathname } = new URL(request.url ?? '/', 'http://graph');
    const path = pathname.split('/').filter((part) => part !== '');
    const [, token = null] = /^(?:Bearer|OAuth) (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const raw = await bytesOf(request);
    const type = request.headers['content-type'] ?? '';
    const answer = await this.#answer({
      method: request.method ?? 'GET',
      path: /^v\d+\.\d+$/.test(path[0] ?? '') ? path.slice(1) : path,
      query,
      token: token ?? query.get('access_token'),
      ...(await readBody(raw, type)),
    });
    if (answer.drop) return void response.destroy();
    if (answer.bytes) return void response.writeHead(200, { 'content-type': answer.bytes.type }).end(answer.bytes.bytes);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body ?? {}));
  }
}

const MAX_BYTES = 110 * 1024 * 1024;

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BYTES) throw new Error('the body is too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function readBody(raw: Buffer, type: string): Promise<Pick<GraphRequest, 'body' | 'file'>> {
  if (raw.length === 0) return { body: {} };
  if (type.startsWith('multipart/form-data') || type.startsWith('application/x-www-form-urlencoded')) {
    const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': type } }).formData();
    const fields: Record<string, string> = {};
    let file: GraphRequest['file'];
    for (const [name, value] of form) {
      if (typeof value === 'string') fields[name] = value;
      else file = { bytes: Buffer.from(await value.arrayBuffer()), type: value.type };
    }
    return { body: fields, ...(file && { file }) };
  }
  const body: unknown = JSON.parse(raw.toString('utf8'));
  return { body: isRecord(body) ? body : {} };
}
