import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { auditRefusal } from '../core/audited.ts';
import type { Engine, Remembered } from '../core/engine.ts';
import type { Exchange } from '../core/exchange.ts';
import { taken } from '../core/one-at-a-time.ts';
import { Ongoing, Raw } from '../core/row.ts';
import { type Around, arrival, record } from './every-request.ts';
import { handOver } from './handed-over.ts';
import { expectSound, type Prepared, serve, told } from './mount.ts';
import { couldShareAPath, type PlainPath, plainPath } from './plain-paths.ts';

/** Serves plain requests without hapi, whose overhead is a quarter of the cost of an accepted send. */
export function serveDirectly(listener: Server, engine: Engine, rows: readonly Prepared[], around: Around): void {
  const direct = rows.filter(({ facts }) => facts.direct).map((row) => directRow(row, rows));
  const hapi = taken(listener, 'request');
  const answers = new DirectAnswers(engine, around, hapi);
  listener.on('request', (req, res) => {
    const exchange = plainExchange(direct, req, res);
    if (exchange) answers.begin(exchange);
    else hapi(req, res);
  });
}

interface DirectRow {
  readonly row: Prepared;
  readonly path: PlainPath;
}

function directRow(row: Prepared, rows: readonly Prepared[]): DirectRow {
  const { id, method, path } = row.facts;
  const rival = rows.find(({ facts }) => facts.id !== id && facts.method === method && couldShareAPath(facts.path, path));
  if (rival) throw new Error(`row ${id} cannot be served beside hapi: its path may be one of row ${rival.facts.id}`);
  // GET endpoints need hapi, which also handles HEAD requests and ranges.
  if (method === 'GET') throw new Error(`row ${id} cannot be served beside hapi`);
  return { row, path: plainPath(path) };
}

/** Returns null if hapi has to serve the request. */
function plainExchange(rows: readonly DirectRow[], req: IncomingMessage, res: ServerResponse): DirectExchange | null {
  for (const { row, path } of rows) {
    const params = row.facts.method === req.method ? path(req.url ?? '') : null;
    if (params) return isPlain(req) ? new DirectExchange(row, req, res, params) : null;
  }
  return null;
}

const isPlain = ({ headers, httpVersionMinor }: IncomingMessage): boolean =>
  httpVersionMinor === 1 &&
  headers['content-length'] !== undefined &&
  headers['transfer-encoding'] === undefined &&
  headers['content-encoding'] === undefined &&
  headers.expect === undefined;

const MAPPED = /^::ffff:(?=.*\.)/;

class DirectExchange implements Exchange {
  readonly row: Prepared;
  readonly app: Partial<Remembered> = {};
  readonly raw: Exchange['raw'];
  readonly method: string;
  readonly path: string;
  readonly params: Exchange['params'];
  readonly query: Exchange['query'] = {};
  readonly headers: Exchange['headers'];

  constructor(row: Prepared, req: IncomingMessage, res: ServerResponse, params: Exchange['params']) {
    this.row = row;
    this.raw = { req, res };
    this.method = row.facts.method.toLowerCase();
    this.path = req.url ?? '';
    this.params = params;
    this.headers = req.headers;
  }

  get info(): Exchange['info'] {
    const { remoteAddress = '' } = this.raw.req.socket;
    return { remoteAddress: remoteAddress.replace(MAPPED, '') };
  }
}

/** hapi's threshold for compression; longer responses go through hapi. */
const LONG_BYTES = 1_024;

class DirectAnswers {
  readonly #engine: Engine;
  readonly #around: Around;
  readonly #hapi: RequestListener;

  constructor(engine: Engine, around: Around, hapi: RequestListener) {
    this.#engine = engine;
    this.#around = around;
    this.#hapi = hapi;
  }

  begin(exchange: DirectExchange): void {
    const { app, row, raw } = exchange;
    this.#around.flight.begin();
    Object.assign(app, arrival(raw.req.headers, this.#engine));
    app.row = row.facts;
    void serve(row, exchange).then(
      (result) => this.#answer(exchange, result),
      (cause) => this.#refuse(exchange, cause),
    );
  }

  #answer(exchange: DirectExchange, result: unknown): void | Promise<void> {
    const { row, app, path, headers, raw } = exchange;
    const { answerHeaders, originHeaders } = this.#around;
    if (raw.res.destroyed) return this.#end(exchange);
    let text: string | null;
    try {
      text = plainText(row, result);
    } catch (cause) {
      return this.#refuse(exchange, cause);
    }
    if (text === null) return this.#handOver(exchange, () => result);
    raw.res.once('close', () => this.#end(exchange));
    const length = String(Buffer.byteLength(text));
    raw.res.writeHead(row.facts.status, [
      ...originHeaders(path, headers['origin']),
      ...answerHeaders(app),
      ...JSON_TEXT,
      'content-length',
      length,
    ]);
    raw.res.end(text);
  }

  async #refuse(exchange: DirectExchange, cause: unknown): Promise<void> {
    if (!exchange.raw.res.destroyed)
      return this.#handOver(exchange, () => {
        throw cause;
      });
    await auditRefusal(this.#engine, exchange.row.facts, exchange, cause);
    told(this.#engine, exchange, cause);
    this.#end(exchange);
  }

  #handOver({ app, raw }: DirectExchange, outcome: () => unknown): void {
    handOver(raw.req, { ...app, outcome });
    this.#hapi(raw.req, raw.res);
    this.#around.flight.end();
  }

  #end(exchange: DirectExchange): void {
    this.#around.flight.end();
    record(exchange, this.#engine, this.#around.metrics);
  }
}

const JSON_TEXT = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'];

function plainText({ engine, facts }: Prepared, result: unknown): string | null {
  if (result instanceof Raw || result instanceof Ongoing) return null;
  const text = JSON.stringify(expectSound(engine, facts, result));
  return text.length < LONG_BYTES && Buffer.byteLength(text) < LONG_BYTES ? text : null;
}
