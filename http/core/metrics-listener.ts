import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { addressOf } from '../../runtime/listening.ts';
import type { MetricsPage } from './metrics-page.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { UnreadAnswers } from './unread-answers.ts';

export interface MetricsListener {
  readonly url: string;
  stop(): Promise<void>;
}

const MAX_CONNECTIONS = 100;

export interface MetricsParts {
  readonly page: MetricsPage;
  readonly unread: UnreadAnswers;
  readonly log: Logger;
}

export async function serveMetrics({ page, unread, log }: MetricsParts, host: string, port: number): Promise<MetricsListener> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end();
    page.text().then(
      (text) => response.writeHead(200, { 'content-type': page.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  unread.watch(server, log);
  oneAtATime(server);
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
