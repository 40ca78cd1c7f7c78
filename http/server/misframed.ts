import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { type Fault, invalid } from '../../actors/domain/refusals.ts';
import type { Engine } from '../core/engine.ts';
import { toWire } from '../core/errors.ts';
import { langOf } from '../core/language.ts';
import { taken } from '../core/one-at-a-time.ts';
import { type Around, arrival, recordAnswer } from './every-request.ts';

const HOST = /^[^\s,@/?#\\]*$/;

/** Finds requests that Node accepts but RFC 9112 rejects, because a proxy may read them differently. */
export function misframed({ httpVersion, httpVersionMajor, rawHeaders, headers }: IncomingMessage): Fault | null {
  if (httpVersionMajor !== 1) return VERSION;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return CODING;
  let hosts = 0;
  for (let nth = 0; nth < rawHeaders.length; nth += 2) {
    const name = rawHeaders[nth];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return SEVERAL_HOSTS;
  if (hosts === 0) return httpVersion === '1.0' ? null : NO_HOST;
  return HOST.test(headers.host ?? '') ? null : WRONG_HOST;
}

export function refuseMisframed(listener: Server, engine: Engine, around: Around): void {
  for (const event of ['request', 'checkContinue']) {
    const serve: RequestListener = taken(listener, event);
    listener.on(event, (req: IncomingMessage, res: ServerResponse) => {
      const fault = misframed(req);
      if (fault) refuse(fault, { req, res }, engine, around);
      else serve(req, res);
    });
  }
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

function refuse(fault: Fault, { req, res }: Exchange, engine: Engine, { answerHeaders, metrics }: Around): void {
  const { status, body } = toWire(invalid([fault]), langOf(req), engine.isStoreDown);
  const text = JSON.stringify(body);
  const app = arrival(req.headers, engine);
  const length = ['content-length', String(Buffer.byteLength(text))];
  res.writeHead(status, [...answerHeaders(app), ...JSON_TEXT, ...length, 'connection', 'close']).end(text);
  recordAnswer({ app, status, ms: 0 }, engine, metrics);
  metrics.refused(body.code);
}

const JSON_TEXT = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'];

const VERSION: Fault = { path: 'request', en: 'use HTTP/1.1', id: 'gunakan HTTP/1.1' };
const CODING: Fault = {
  path: 'Transfer-Encoding',
  en: 'the only supported transfer coding is chunked',
  id: 'satu-satunya transfer coding yang didukung adalah chunked',
};
const NO_HOST: Fault = { path: 'Host', en: 'the header Host is required', id: 'header Host wajib diisi' };
const SEVERAL_HOSTS: Fault = { path: 'Host', en: 'send the header Host once', id: 'kirim header Host satu kali saja' };
const WRONG_HOST: Fault = { path: 'Host', en: 'the header Host is not valid', id: 'header Host tidak valid' };
