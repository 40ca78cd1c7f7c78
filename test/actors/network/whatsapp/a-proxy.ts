import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { makeCertificate } from '../../../network-peer/media/certificate.ts';
import type { Scope } from '../../../support/stores.ts';

export type ProxyKind = 'http' | 'https' | 'socks5';

/** A proxy on loopback that lets whoever knows its password through to wherever they want. */
export interface AProxy {
  readonly url: string;
  /** `host:port` */
  readonly place: string;
  /** With another password than its own. */
  readonly wrongUrl: string;
  /** PEM, of an https one. */
  readonly certificate: string;
  /** The ports from which its connections to others came. */
  readonly deps: ReadonlySet<number>;
  /** How many connections it was offered. */
  readonly asked: () => number;
  stop(): Promise<void>;
}

const USER = 'shop';
/** Percent-encoded in a URL. */
const PASSWORD = 's3cr@t/word';

export async function aProxy(scope: Scope, kind: ProxyKind): Promise<AProxy> {
  const { key, certificate } = makeCertificate(Date.now(), 'a proxy');
  const deps = new Set<number>();
  const open = new Set<Socket>();
  let asked = 0;
  const server = kind === 'socks5' ? createServer((socket) => void socks(socket, deps).catch(() => socket.destroy())) : byHttp();
  function byHttp(): Server {
    const http = kind === 'https' ? createHttps({ key, cert: certificate }) : createHttp();
    return http.on('connect', (request: IncomingMessage, socket: Socket) => void tunnel(request, socket, deps));
  }
  server.on('connection', (socket: Socket) => {
    asked += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async (): Promise<void> => {
    const closed = new Promise((done) => server.close(done));
    for (const socket of open) socket.destroy();
    await closed;
  };
  scope.after(stop);
  const url = `${kind}://${USER}:${encodeURIComponent(PASSWORD)}@${place}`;
  return { url, wrongUrl: `${kind}://${USER}:wr0ng-password@${place}`, place, certificate, deps, asked: () => asked, stop };
}

async function reach(socket: Socket, host: string, port: number, deps: Set<number>): Promise<void> {
  const there = connect({ host, port });
  there.on('error', () => socket.destroy());
  socket.on('close', () => there.destroy());
  await once(there, 'connect');
  deps.add(there.localPort!);
  there.pipe(socket).pipe(there);
}

async function tunnel({ url = '', headers }: IncomingMessage, socket: Socket, deps: Set<number>): Promise<void> {
  const wanted = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
  if (headers['proxy-authorization'] !== wanted) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  const { hostname, port } = new URL(`http://${url}`);
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  await reach(socket, hostname, Number(port), deps);
}

/** RFC 1928 and 1929, as far as a client with a password needs them. */
async function socks(socket: Socket, deps: Set<number>): Promise<void> {
  const next = async (): Promise<Buffer> => (await once(socket, 'data'))[0];
  await next();
  socket.write(Buffer.from([5, 2]));
  const [, userLength = 0, ...rest] = await next();
  const [user, password] = [rest.slice(0, userLength), rest.slice(userLength + 1)].map((part) => Buffer.from(part).toString());
  const isRight = user === USER && password === PASSWORD;
  socket.write(Buffer.from([1, isRight ? 0 : 1]));
  if (!isRight) return void socket.end();
  const asked = await next();
  const port = asked.readUInt16BE(asked.length - 2);
  const host = asked[3] === 1 ? asked.subarray(4, 8).join('.') : asked.subarray(5, asked.length - 2).toString();
  socket.pause();
  socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
  await reach(socket, host, port, deps);
}
