/**
 * The process's guarded outgoing connections. There is one egress for each of the operator's allow
 * lists, because a host that may receive our requests must not automatically become readable by
 * every caller: EGRESS_ALLOW lists hosts to which the gateway sends, and EGRESS_ALLOW_READS those
 * from which it reads. Addresses that the operator configured use their own egress (`egressTo`) and
 * do not need either list.
 */

import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import { isPublic } from './addresses.ts';
import { guardedConnector, type Resolve, type Resolved } from './connector.ts';
import { resolveBySystem, resolveForCallers } from './names.ts';
import { placeOfProxy } from './proxy.ts';

export type AllowList = 'EGRESS_ALLOW' | 'EGRESS_ALLOW_READS';

export interface EgressOptions {
  /** Private `host:port` pairs that may be reached, even over plain http. */
  readonly allow: readonly string[];
  readonly clock: Clock;
  readonly resolve?: Resolve;
}

export type Blocked = 'malformed' | 'not_https' | 'credentials' | 'port' | 'private';

interface Text {
  readonly en: string;
  readonly id: string;
}

export function blockedText(blocked: Blocked, list: AllowList): Text {
  if (blocked !== 'private') return FORM_TEXTS[blocked];
  return {
    en: `it leads to a private or local network (the operator of this service can allow a host:port with ${list})`,
    id: `mengarah ke jaringan privat atau lokal (operator layanan dapat mengizinkan host:port dengan ${list})`,
  };
}

const FORM_TEXTS: Readonly<Record<Exclude<Blocked, 'private'>, Text>> = {
  malformed: {
    en: 'it is not a full address such as https://example.com/path',
    id: 'bukan alamat lengkap seperti https://example.com/path',
  },
  not_https: { en: 'it does not begin with https://', id: 'tidak diawali https://' },
  credentials: { en: 'it must not contain a user or a password', id: 'tidak boleh memuat nama pengguna atau kata sandi' },
  port: { en: 'it must not name a port: only port 443 is allowed', id: 'tidak boleh menyebut port: hanya port 443 yang diizinkan' },
};

export interface Egress {
  /** Returns null if allowed. A name that does not resolve now is checked when it is requested. */
  check(url: string): Promise<Blocked | null>;
  /** A caller's proxy (http, https, socks5) may use any port and contain credentials. */
  checkProxy(url: string): Promise<Blocked | null>;
  /** Connects to exactly the checked address or fails with EgressBlocked. Follows no redirects. */
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

const LOOKS_FOR_MS = 2_000;
/** Higher than any limit set by callers, so that requests never wait here. */
const MAX_CONNECTIONS_PER_HOST = 96;
const KEEPS_IDLE_MS = 10_000;

export function createEgress({ allow, clock, resolve = resolveForCallers }: EgressOptions): Egress {
  const allowed: ReadonlySet<string> = new Set(allow.map((pair) => pair.toLowerCase()));
  const dispatcher = new Agent({
    connect: guardedConnector({
      isAllowed: (host, port) => allowed.has(`${host}:${port}`),
      resolve,
      resolveAllowed: resolveBySystem,
      isPublic,
    }),
    connections: MAX_CONNECTIONS_PER_HOST,
    keepAliveTimeout: KEEPS_IDLE_MS,
    // Off, because the caller limits the whole request and a timer per socket would double the cost.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
  });

  async function leadsOnlyToPublic(hostname: string): Promise<boolean> {
    const patience = clockPatience(clock);
    const found = await Promise.race([resolve(hostname).catch(() => []), patience.over]);
    patience.cancel();
    return found.every(({ address }) => isPublic(address));
  }

  async function judgePlace(host: string, place: string): Promise<Blocked | null> {
    if (allowed.has(place)) return null;
    const isFine = isIP(host) ? isPublic(host) : !isLocalName(host) && (await leadsOnlyToPublic(host));
    return isFine ? null : 'private';
  }

  return {
    async check(text) {
      const url = URL.parse(text);
      if (!url) return 'malformed';
      return judgeForm(url, allowed) ?? judgePlace(bareHost(url), placeOf(url));
    },
    async checkProxy(text) {
      const proxy = placeOfProxy(text);
      return proxy ? judgePlace(bareHost({ hostname: proxy.host }), `${proxy.host}:${proxy.port}`) : 'malformed';
    },
    dispatcher,
    close: () => dispatcher.destroy(),
  };
}

export function egressTo(url: string, clock: Clock): Egress {
  return createEgress({ allow: [placeOf(new URL(url))], clock });
}

function judgeForm(url: URL, allowed: ReadonlySet<string>): Blocked | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'not_https';
  if (url.username !== '' || url.password !== '') return 'credentials';
  if (allowed.has(placeOf(url))) return null;
  if (url.protocol !== 'https:') return 'not_https';
  return url.port === '' ? null : 'port';
}

const placeOf = (url: URL): string => `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
const bareHost = ({ hostname }: Pick<URL, 'hostname'>): string => hostname.replace(/^\[|\]$/g, '');

const isLocalName = (host: string): boolean => /(^|\.)(localhost|local|internal|localdomain)\.?$/.test(host);

function clockPatience(clock: Clock): { readonly over: Promise<readonly Resolved[]>; cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<readonly Resolved[]>();
  return { over: promise, cancel: clock.after(LOOKS_FOR_MS, () => resolve([])) };
}
