import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../../../support/stores.ts';

export interface FileServer {
  readonly url: string;
  /** As EGRESS_ALLOW names it. */
  readonly place: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
}

/** A web server of somebody else on a loopback port. */
export async function aFileServer(scope: Scope, answer: (path: string, response: ServerResponse) => void): Promise<FileServer> {
  const asked: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    asked.push(request.url ?? '');
    answer(request.url ?? '', response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${place}`, place, asked };
}
