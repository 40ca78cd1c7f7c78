import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../../../runtime/clock.ts';
import { asError } from '../../../runtime/errors.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import { messageOf } from './api.ts';
import type { Work } from './context.ts';
import { BridgeRefused } from './refused.ts';

/**
 * Receives Chatwoot's webhooks. Chatwoot waits five seconds and does not retry, so a webhook is
 * acknowledged as soon as its job is stored. The body only names a conversation; its content is not
 * passed on. Callers need the secret path, and the signature if the bridge knows the secret.
 */

export interface ReceiverOptions {
  readonly path: string;
  /** Null for an older Chatwoot, which does not sign its webhooks. */
  readonly secret: string | null;
  readonly inbox: number;
  readonly clock: Pick<Clock, 'now'>;
  take(work: Work): boolean;
}

const MAX_BYTES = 2_000_000;
const MAX_CONNECTIONS = 100;
/** Maximum difference between a signature's time and the current time, in either direction. */
const SIGNED_MS = 5 * 60_000;

export async function receive(options: ReceiverOptions, port: number, host: string): Promise<Server> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    answered(options, request).then(
      (status) => void response.writeHead(status).end(),
      () => void failed(response),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new BridgeRefused(`The bridge cannot listen on ${host}:${port}: ${asError(cause).message}`);
  });
  return server;
}

function failed(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { connection: 'close' }).end();
}

async function answered(options: ReceiverOptions, request: IncomingMessage): Promise<number> {
  if (!isSame(String(request.url), `/${options.path}`)) return 404;
  if (request.method !== 'POST') return 405;
  const raw = await bodyOf(request);
  if (options.secret !== null && !isSigned(options.secret, request, raw, options.clock.now())) return 401;
  const work = workIn(parsed(raw), options.inbox);
  return work === null || options.take(work) ? 200 : 503;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const piece: Buffer = chunk;
    size += piece.length;
    if (size > MAX_BYTES) throw new Error('the body is too large');
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return null;
  }
}

/** Verifies `X-Chatwoot-Signature: sha256=` with the hex HMAC of `<timestamp>.<raw body>`. */
function isSigned(secret: string, { headers }: IncomingMessage, raw: Buffer, now: number): boolean {
  const seconds = String(headers['x-chatwoot-timestamp']);
  if (!(Math.abs(Number(seconds) * 1_000 - now) <= SIGNED_MS)) return false;
  const wanted = `sha256=${createHmac('sha256', secret).update(`${seconds}.`).update(raw).digest('hex')}`;
  return isSame(String(headers['x-chatwoot-signature']), wanted);
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A webhook without `private` is treated as private. */
function workIn(body: unknown, inbox: number): Work | null {
  const conversation = Number(memberOf(memberOf(body, 'conversation'), 'id'));
  const event = memberOf(body, 'event');
  const isOurs = Number(memberOf(memberOf(body, 'inbox'), 'id')) === inbox;
  if (!isOurs || !Number.isSafeInteger(conversation) || conversation <= 0) return null;
  const message = messageOf(body);
  if (!Number.isSafeInteger(message.id) || message.isPrivate || message.type === 'incoming') return null;
  if (event === 'message_created') return { kind: 'look', conversation };
  return event === 'message_updated' && message.isDeleted ? { kind: 'changed', conversation, cw: message.id } : null;
}
