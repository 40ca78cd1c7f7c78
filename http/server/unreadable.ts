import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { refusal } from '../../actors/domain/refusals.ts';
import type { Refusal } from '../../runtime/errors.ts';
import { at } from '../../runtime/invariant.ts';
import type { Engine } from '../core/engine.ts';
import { toWire } from '../core/errors.ts';
import { taken } from '../core/one-at-a-time.ts';
import { type Around, arrival, type HeaderList, recordAnswer } from './every-request.ts';
import { misframed } from './misframed.ts';

interface Begun {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

type Failure = Error & { readonly code?: string };

/** Ignores unknown expectations (RFC 9110, 10.1.1). */
export function refuseUnreadable(listener: Server, engine: Engine, around: Around): void {
  const within = taken(listener, 'clientError');
  const begun = new WeakMap<Socket, Begun>();
  const known = new WeakSet<Socket>();
  for (const event of ['request', 'checkContinue'])
    listener.prependListener(event, (req: IncomingMessage, res: ServerResponse) => {
      begun.set(req.socket, { req, res });
      if (misframed(req)) known.add(req.socket);
    });
  listener.on('checkExpectation', (req, res) => void listener.emit('request', req, res));
  const after = (socket: Socket, refuse: () => void): void => {
    const last = begun.get(socket);
    if (last && !last.res.closed) last.res.once('close', refuse);
    else refuse();
  };
  listener.on('clientError', (failure: Failure, socket: Socket) => {
    if (known.has(socket)) return;
    const last = begun.get(socket);
    if (last && !last.res.closed && !last.req.complete) return within(failure, socket);
    known.add(socket);
    after(socket, () => refused(refusalOf(failure), socket, engine, around));
  });
  // By default, Node closes such a connection without a response.
  listener.on('connect', (_req: IncomingMessage, stream: Duplex) => {
    const socket = stream instanceof Socket ? stream.on('error', () => {}) : null;
    if (socket) after(socket, () => refused(refusal('METHOD_NOT_ALLOWED', { allow: METHODS }), socket, engine, around));
  });
}

function refused(cause: Refusal, socket: Socket, engine: Engine, { answerHeaders, metrics }: Around): void {
  if (!socket.readable || !socket.writable) return void socket.destroy();
  const { status, body, allow } = toWire(cause, 'en', engine.isStoreDown);
  const text = JSON.stringify(body);
  const app = arrival({}, engine);
  const headers = [
    ...answerHeaders(app),
    ...(allow === null ? [] : ['Allow', allow]),
    ...ITS_HEADERS,
    'Content-Length',
    String(Buffer.byteLength(text)),
  ];
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines(headers)}\r\n${text}`);
  recordAnswer({ app, status, ms: 0 }, engine, metrics);
}

function refusalOf({ code }: Failure): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refusal('REQUEST_TIMEOUT');
  if (code === 'HPE_HEADER_OVERFLOW')
    return refusal('VALIDATION_FAILED', { reason: { en: 'the headers are too long', id: 'header terlalu panjang' } });
  return refusal('VALIDATION_FAILED', { reason: { en: 'this is not an HTTP request', id: 'ini bukan permintaan HTTP' } });
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const ITS_HEADERS = ['Cache-Control', 'no-store', 'Content-Type', 'application/json; charset=utf-8', 'Connection', 'close'];

const lines = (headers: HeaderList): string =>
  headers.map((part, nth) => (nth % 2 === 0 ? `${part}: ${at(headers, nth + 1)}\r\n` : '')).join('');
