import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { type ConnectionOptions, connect as startTls } from 'node:tls';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Clock } from '../../../../runtime/clock.ts';
import type { Connect } from '../../../../runtime/egress/guarded-connect.ts';
import { connectThrough } from '../../../../runtime/egress/proxy.ts';

export interface Tunnel {
  readonly agent: HttpsAgent;
  readonly uploads: HttpsAgent;
  readonly downloads: RequestInit;
  readonly requests: Dispatcher;
  readonly failure: Error | null;
  close(): void;
}

/** Throws ProxyFailed if `proxyUrl` is not a proxy's address. `url` is the network's address. */
export function openTunnel(proxyUrl: string, url: string | null, dial: Connect, clock: Clock): Tunnel {
  const through = connectThrough(proxyUrl, dial, clock);
  let failure: Error | null = null;
  const watched: Connect = async (host, port) => {
    try {
      return await through(host, port);
    } catch (cause) {
      failure = cause instanceof Error ? cause : new Error('the proxy failed');
      throw cause;
    }
  };
  // Cast the type, because the types in the library do not allow a peer without TLS.
  const agent = url?.startsWith('ws:') ? (plainly(watched) as HttpsAgent) : securely(watched);
  const dispatcher = dispatcherOver(through);
  return {
    agent,
    uploads: securely(through),
    // Cast the type, because two packages declare different types for the same class.
    downloads: { dispatcher: dispatcher as unknown as NonNullable<RequestInit['dispatcher']> },
    requests: dispatcher,
    get failure() {
      return failure;
    },
    close: () => void dispatcher.destroy(),
  };
}

type Opened = (error: Error | null, socket?: Socket) => void;

type Wanted = ConnectionOptions & { readonly host: string; readonly port: number | string };

function opening(dial: Connect, { host, port }: Wanted, done: Opened, wrap: (socket: Socket) => Socket): void {
  dial(host, Number(port)).then((socket) => done(null, wrap(socket)), done);
}

const plainly = (dial: Connect): HttpAgent =>
  Object.assign(new HttpAgent(), {
    createConnection: (options: Wanted, done: Opened) => opening(dial, options, done, (socket) => socket),
  });

const securely = (dial: Connect): HttpsAgent =>
  Object.assign(new HttpsAgent(), {
    createConnection: (options: Wanted, done: Opened) =>
      opening(dial, options, done, (socket) => startTls({ ...options, port: Number(options.port), socket })),
  });

function dispatcherOver(dial: Connect): Dispatcher {
  const secure = buildConnector({});
  return new Agent({
    connect(options, done) {
      dial(options.hostname, Number(options.port || 443)).then(
        (httpSocket) => secure({ ...options, httpSocket }, done),
        (cause: Error) => done(cause, null),
      );
    },
  });
}
