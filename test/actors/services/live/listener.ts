import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Api } from '../../../support/gateway.ts';

/** One event as a stream carries it. */
export interface Received {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: stories look into data of every shape
  readonly data: any;
}

/** A client of the live stream, as a browser's EventSource is one. */
export interface Listener {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** What came so far. */
  readonly events: readonly Received[];
  readonly comments: readonly string[];
  readonly isClosed: boolean;
  types(): readonly string[];
  /** Stops reading, as a client does whose tab sleeps. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Asks for a ticket with these credentials and listens with it; `events`: what the stream carries. */
export async function listen(url: string, api: Api, events?: readonly string[]): Promise<Listener> {
  return open(url, await ticketUrl(api, events));
}

/** Listens with a token or key, behind an event that was received before. */
export async function follow(url: string, token: string, lastEventId?: string, query = ''): Promise<Listener> {
  const last = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  return open(url, `/v1/events${query}`, { authorization: `Bearer ${token}`, ...last });
}

export async function ticketUrl(api: Api, events?: readonly string[]): Promise<string> {
  const { status, body } = await api('POST', '/v1/events-ticket', events && { events });
  if (status !== 200) throw new Error(`no ticket: ${status} ${JSON.stringify(body)}`);
  return body.url;
}

export function open(url: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { headers: { accept: 'text/event-stream', ...headers } }, (incoming) =>
      resolve(listenerOf(asked, incoming)),
    );
    asked.on('error', reject);
    asked.end();
  });
}

function listenerOf(asked: ClientRequest, incoming: IncomingMessage): Listener {
  const events: Received[] = [];
  const comments: string[] = [];
  let rest = '';
  let isClosed = false;
  incoming.setEncoding('utf8');
  incoming.on('data', (text: string) => {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop()!;
    for (const frame of frames) {
      if (frame.startsWith(':')) comments.push(frame.slice(1).trim());
      else events.push(receivedIn(frame));
    }
  });
  incoming.on('error', () => {});
  asked.on('error', () => {});
  incoming.on('close', () => {
    isClosed = true;
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    events,
    comments,
    get isClosed() {
      return isClosed;
    },
    types: () => events.map(({ event }) => event),
    pause: () => void incoming.pause(),
    resume: () => void incoming.resume(),
    close: () => void asked.destroy(),
  };
}

function receivedIn(frame: string): Received {
  const fields = new Map(frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  return { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: JSON.parse(fields.get('data') ?? 'null') };
}
