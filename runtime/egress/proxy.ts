/**
 * Opens connections through a proxy that a caller chose, by CONNECT (http, https) or SOCKS5.
 * `connect` reaches the proxy and checks its address; the proxy resolves the target's name.
 */

import { request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as startTls } from 'node:tls';
import { SocksClient } from 'socks';
import type { Clock } from '../clock.ts';
import type { Connect } from './guarded-connect.ts';

/** The message does not contain addresses or credentials. */
export class ProxyFailed extends Error {
  override readonly name = 'ProxyFailed';
}

const KINDS = ['http', 'https', 'socks5'] as const;

interface Proxy {
  readonly kind: (typeof KINDS)[number];
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

const PORTS: Readonly<Record<(typeof KINDS)[number], number>> = { http: 80, https: 443, socks5: 1080 };
const LETS_THROUGH_WITHIN_MS = 10_000;

export function placeOfProxy(text: string): Target | null {
  const url = URL.parse(text);
  const kind = kindOf(url);
  return url && kind && url.hostname ? { host: url.hostname, port: Number(url.port) || PORTS[kind] } : null;
}

export function connectThrough(proxyUrl: string, connect: Connect, clock: Clock): Connect {
  const proxy = proxyOf(proxyUrl);
  return async (host, port) => {
    const bare = await connect(proxy.host, proxy.port);
    // Ignored here, because socket errors surface where the connection is used.
    bare.on('error', () => {});
    const cancel = clock.after(LETS_THROUGH_WITHIN_MS, () => void bare.destroy(new ProxyFailed('the proxy did not answer in time')));
    try {
      return await letThrough(bare, proxy, { host, port });
    } catch (cause) {
      bare.destroy();
      throw cause;
    } finally {
      cancel();
    }
  };
}

const kindOf = (url: URL | null): Proxy['kind'] | undefined => KINDS.find((kind) => url?.protocol === `${kind}:`);

function proxyOf(text: string): Proxy {
  const [place, kind] = [placeOfProxy(text), kindOf(URL.parse(text))];
  if (!place || !kind) throw new ProxyFailed('this is no address of a proxy');
  const { username, password } = new URL(text);
  return { ...place, kind, user: plain(username), password: plain(password) };
}

/**
 * Credentials in a URL are usually percent-encoded. If decoding fails, they are used as they are.
 */
function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function letThrough(bare: Socket, proxy: Proxy, target: Target): Promise<Socket> {
  if (proxy.kind === 'socks5') return bySocks(bare, proxy, target);
  return byConnect(proxy.kind === 'https' ? await secured(bare, proxy.host) : bare, proxy, target);
}

function secured(bare: Socket, host: string): Promise<Socket> {
  const name = host.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = startTls({ socket: bare, host: name, ...(isIP(name) === 0 && { servername: name }) });
    socket.once('error', reject);
    bare.once('close', () => reject(new ProxyFailed('the proxy hung up')));
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

function byConnect(socket: Socket, { user, password }: Proxy, { host, port }: Target): Promise<Socket> {
  const path = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  const headers = { host: path, ...(user !== '' && { 'proxy-authorization': `Basic ${credentials}` }) };
  return new Promise((resolve, reject) => {
    const asking = request({ method: 'CONNECT', path, headers, createConnection: () => socket });
    asking.once('error', reject);
    asking.once('connect', ({ statusCode }) => {
      if (statusCode === 200) resolve(socket);
      else reject(new ProxyFailed(`the proxy answered ${statusCode}`));
    });
    asking.end();
  });
}

async function bySocks(existing_socket: Socket, { host, port, user, password }: Proxy, destination: Target): Promise<Socket> {
  const credentials = user === '' ? {} : { userId: user, password };
  try {
    const proxy = { host, port, type: 5, ...credentials } as const;
    const { socket } = await SocksClient.createConnection({ proxy, destination, command: 'connect', existing_socket });
    return socket;
  } catch (cause) {
    // Passes on only the message, because the error object itself contains the credentials.
    throw new ProxyFailed(cause instanceof Error ? cause.message : 'the proxy refused');
  }
}
