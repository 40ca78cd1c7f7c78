import type { Server } from '@hapi/hapi';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** What pages of other origins may call: not signing in, not the operator's part. */
const OPEN = /^\/(v1\/(?!admin(\/|$))|mcp$)/;
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Accept-Language, X-Lang, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
const SHOWN_HEADERS =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id, Idempotent-Replay, Content-Disposition';
const REMEMBERED_SECONDS = 600;

/** Ours (on this machine under any of its names), and `others`. `address` is asked late: a free port is known once the server listens. */
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

/** Lets pages of these origins call /v1 and /mcp with a bearer token of their own; cookies there are none. All others get no such header. */
export function allowOrigins(server: Server, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  server.ext('onRequest', (request, h) => {
    if (!OPEN.test(request.path)) return h.continue;
    const { res } = request.raw;
    const { origin } = request.headers;
    res.setHeader('Vary', 'Origin');
    if (typeof origin !== 'string' || !allowed.has(origin)) return h.continue;
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', SHOWN_HEADERS);
    if (request.method !== 'options' || request.headers['access-control-request-method'] === undefined) return h.continue;
    res.setHeader('Access-Control-Allow-Methods', METHODS);
    res.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
    res.setHeader('Access-Control-Max-Age', REMEMBERED_SECONDS);
    return h.response().code(204).takeover();
  });
}
