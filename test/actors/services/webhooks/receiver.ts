import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../../../support/stores.ts';

/** One delivery as it came over the wire. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes, as text. */
  readonly raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: stories look into payloads of every event
  readonly body: any;
}

export type Answering = (response: ServerResponse, received: Received) => void;

export interface Receiver {
  /** `host:port`, for EGRESS_ALLOW. */
  readonly place: string;
  readonly url: string;
  readonly received: Received[];
  readonly connections: number;
  /** Sets how the receiver responds from now on; it starts with 204. */
  answer(how: Answering): void;
  of(type: string): readonly Received[];
}

export const SECRET = 'a secret that only the two of us know';

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answering =>
  (response) =>
    response.writeHead(status, headers).end();

/** A receiver of webhooks on loopback, gone with the test. */
export async function aReceiver(scope: Scope): Promise<Receiver> {
  const received: Received[] = [];
  let how: Answering = answering(204);
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    const one = { path: request.url ?? '', headers: request.headers, raw, body: JSON.parse(raw) };
    received.push(one);
    how(response, one);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    place,
    url: `http://${place}/hook`,
    received,
    get connections() {
      return connections;
    },
    answer(next) {
      how = next;
    },
    of: (type) => received.filter(({ body }) => body.type === type),
  };
}

/** Does it carry a valid X-Webhook-Signature? */
export function isSigned({ headers, raw }: Received, secret = SECRET): boolean {
  return headers['x-webhook-signature'] === `sha256=${createHmac('sha256', secret).update(raw).digest('base64')}`;
}
