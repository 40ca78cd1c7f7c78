import { connect } from 'node:net';
import type { Clock } from '../../../runtime/clock.ts';

export interface StoreRequest {
  readonly url: URL;
  readonly version: '1.0' | '1.1';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly withinMs: number;
}

/** HTTP status; 0 if no response arrived in time. */
export interface StoreAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends a POST over its own connection, byte by byte as a platform's client does. */
export function postTo(clock: Pick<Clock, 'after'>, { url, version, headers, body, withinMs }: StoreRequest): Promise<StoreAnswer> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname);
    let received = '';
    const end = (answer: StoreAnswer): void => {
      cancel();
      socket.destroy();
      resolve(answer);
    };
    const cancel = clock.after(withinMs, () => end({ status: 0, body: '' }));
    const lines = Object.entries({ host: url.host, 'content-length': String(Buffer.byteLength(body)), connection: 'close', ...headers });
    socket.setEncoding('utf8').on('data', (part: string) => {
      received += part;
    });
    socket.on('error', () => end({ status: 0, body: '' }));
    socket.on('close', () => {
      const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(received)?.[1] ?? 0);
      end({ status, body: received.slice(received.indexOf('\r\n\r\n') + 4) });
    });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`POST ${url.pathname}${url.search} HTTP/${version}\r\n${head}\r\n${body}`);
  });
}
