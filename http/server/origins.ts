import type { Server } from '@hapi/hapi';
import { NETWORK_ORIGIN } from '../../actors/network/passkey.ts';
import { type Around, setAll } from './every-request.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** Paths open to other origins' pages. Sign-in and the operator's endpoints are not open to them. */
const OPEN = /^\/(v1\/(?!admin(\/|$))|mcp$)/;
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Accept-Language, X-Lang, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
const SHOWN_HEADERS =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id, Idempotent-Replay, Content-Disposition';
const REMEMBERED_SECONDS = 600;

/** `address` is called only when needed, because a free port is known only after listening. */
export function knownOrigins(address: () => string, others: readonly string[]): (origin: string) => boolean {
  const known = new Set(others);
  return (origin) => known.has(origin) || isOwn(new URL(address()), origin);
}

function isOwn(own: URL, origin: string): boolean {
  if (origin === own.origin) return true;
  if (!LOOPBACK.test(own.hostname) || !URL.canParse(origin)) return false;
  const { protocol, hostname, port } = new URL(origin);
  return LOOPBACK.test(hostname) && protocol === own.protocol && port === own.port;
}

/** Paths for pages of the network's own site. A token in the path is their only credential. */
const CEREMONY = /^\/passkey-ceremony\//;
const CEREMONY_METHODS = 'GET, POST';
const CEREMONY_HEADERS = 'Content-Type';

/** Never allows cookies, because pages send their own bearer token. */
export function headersForOrigins(origins: readonly string[]): Around['originHeaders'] {
  const allowed = new Set(origins);
  return (path, origin) => {
    if (CEREMONY.test(path)) {
      return origin === NETWORK_ORIGIN ? ['Vary', 'Origin', 'Access-Control-Allow-Origin', NETWORK_ORIGIN] : ['Vary', 'Origin'];
    }
    if (allowed.size === 0 || !OPEN.test(path)) return [];
    if (typeof origin !== 'string' || !allowed.has(origin)) return ['Vary', 'Origin'];
    return ['Vary', 'Origin', 'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', SHOWN_HEADERS];
  };
}

export function allowOrigins(server: Server, originHeaders: Around['originHeaders']): void {
  server.ext('onRequest', (request, h) => {
    const { res } = request.raw;
    setAll(res, originHeaders(request.path, request.headers['origin']));
    const isPreflight = request.method === 'options' && request.headers['access-control-request-method'] !== undefined;
    if (!isPreflight || !res.hasHeader('Access-Control-Allow-Origin')) return h.continue;
    const isCeremony = CEREMONY.test(request.path);
    res.setHeader('Access-Control-Allow-Methods', isCeremony ? CEREMONY_METHODS : METHODS);
    res.setHeader('Access-Control-Allow-Headers', isCeremony ? CEREMONY_HEADERS : REQUEST_HEADERS);
    res.setHeader('Access-Control-Max-Age', REMEMBERED_SECONDS);
    return h.response().code(204).takeover();
  });
}
