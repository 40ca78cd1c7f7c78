import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import { addressOf } from '../../runtime/listening.ts';

/** `GET /metrics` and nothing else, on a port of its own. */
export interface MetricsListener {
  /** `http://host:port`. */
  readonly url: string;
  stop(): Promise<void>;
}

const MAX_CONNECTIONS = 100;

/** Rejects with what the system says when the port is taken. `port` 0 takes any free one. */
export async function serveMetrics(registry: Registry, host: string, port: number): Promise<MetricsListener> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end();
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: bound } = addressOf(server);
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => {});
    },
  };
}
