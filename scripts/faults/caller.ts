import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes, which the server checks against schemas
  readonly body: any;
}

/** Rejects if the response is missing or incomplete. */
export type Call = (method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

const ANSWERED_WITHIN_MS = 20_000;
const CONNECTIONS = 8;

export interface CallerOptions {
  /** True by default. A reused connection may fail, because the server may be closing it. */
  readonly keepAlive?: boolean;
  readonly withinMs?: number;
  readonly connections?: number;
}

export function callerOf(url: string, headers: Readonly<Record<string, string>> = {}, options: CallerOptions = {}): Call {
  const { keepAlive = true, withinMs = ANSWERED_WITHIN_MS, connections = CONNECTIONS } = options;
  const kept = new Agent({ keepAlive, maxSockets: connections });
  const fresh = new Agent({ maxSockets: connections });
  return (method, path, body, more = {}) =>
    new Promise((resolve, reject) => {
      const text = body && JSON.stringify(body);
      const sent = request(`${url}${path}`, {
        agent: method === 'GET' ? fresh : kept,
        method,
        timeout: withinMs,
        headers: { ...headers, ...more, ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }) },
      });
      const failed = (cause: Error): void => reject(new Error(`${method} ${url}${path}: ${cause.message}`, { cause }));
      sent.on('error', failed);
      sent.on('timeout', () => sent.destroy(new Error('not answered in time')));
      sent.on('response', (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          received += part;
        });
        response.on('error', failed);
        response.on('end', () => {
          const { statusCode: status = 0, headers, complete } = response;
          if (complete) resolve({ status, headers, body: received === '' ? null : JSON.parse(received) });
        });
      });
      sent.end(text);
    });
}

export function expected({ status, body }: Answer, ...wanted: readonly number[]): Answer['body'] {
  if (wanted.includes(status)) return body;
  throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
}
