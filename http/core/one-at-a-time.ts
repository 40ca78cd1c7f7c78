import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection on which this many requests wait is read no further until some are answered. */
const READ_UP_TO = 16;
/** After this many small chunks of a body a connection is read no further in the same turn. */
const CHUNKS_A_TURN = 256;
const SMALL_BYTES = 1024;
const TRANSFER_ENCODING = 'transfer-encoding';
/**
 * Waiting requests of the process may take up so many bytes; the connection with the most is closed
 * where they take more.
 */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** Roughly what Node keeps of a request without headers. */
const REQUEST_BYTES = 4 * 1024;

interface Request {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly serve: RequestListener;
}

interface Waiting extends Request {
  readonly bytes: number;
}

/** One connection, and its requests that wait for the answers before them. */
interface Line {
  readonly socket: Socket;
  readonly waiting: Waiting[];
  bytes: number;
  isBusy: boolean;
  /** Small chunks of bodies since the line last rested. */
  chunks: number;
  /** Whether nothing more is read in this turn. */
  isResting: boolean;
  isHeldBack: boolean;
}

/**
 * Works on one request of a connection at a time. A caller may send many requests before it reads
 * an answer (pipelining); Node begins all of them at once and keeps their answers, so that a few
 * hundred bytes ask for gigabytes. Here a request begins when the operating system has taken the
 * answer before it, in the order in which HTTP wants the answers anyway, and the next one begins in a
 * later turn of the event loop. A connection whose body comes in tiny chunks is read once a turn.
 * What waits is bounded for a connection and in all. Held in memory only.
 */
export function oneAtATime(listener: Server): void {
  const lines = new Lines();
  for (const event of ['request', 'checkContinue'].filter((event) => listener.listenerCount(event) > 0)) {
    const serve: RequestListener = taken(listener, event);
    listener.on(event, (req: IncomingMessage, res: ServerResponse) => lines.begin({ req, res, serve }));
  }
}

/** Takes away the only listener of this event, in whose place another one comes. */
export function taken(server: Server, event: string): (...given: readonly unknown[]) => void {
  const [its, ...others] = server.listeners(event);
  if (!its || others.length > 0) throw new Error(`${event} has ${others.length + 1} listeners`);
  server.removeAllListeners(event);
  return (...given) => its.apply(server, given);
}

class Lines {
  readonly #lines = new WeakMap<Socket, Line>();
  readonly #long = new Set<Line>();
  #bytes = 0;

  begin(one: Request): void {
    const { socket } = one.req;
    if (socket.destroyed) return;
    let line = this.#lines.get(socket);
    if (!line) {
      line = { socket, waiting: [], bytes: 0, isBusy: false, chunks: 0, isResting: false, isHeldBack: false };
      this.#lines.set(socket, line);
    }
    if (isChunked(one.req)) this.#joinChunks(line, one.req);
    if (line.isBusy) this.#wait(line, one);
    else this.#serve(line, one);
  }

  #serve(line: Line, { req, res, serve }: Request): void {
    line.isBusy = true;
    res.once('close', () => this.#next(line));
    serve(req, res);
  }

  #next(line: Line): void {
    const { socket, waiting } = line;
    if (waiting.length === 0 || socket.destroyed) line.isBusy = false;
    // An answer that the operating system takes at once would bring the next request into this turn.
    else setImmediate(() => this.#serveNext(line));
  }

  #serveNext(line: Line): void {
    const { socket, waiting } = line;
    line.isBusy = false;
    const next = waiting.shift();
    // The connection was closed meanwhile.
    if (!next) return;
    this.#count(line, -next.bytes);
    if (waiting.length === 0) this.#long.delete(line);
    if (mayRead(line) && socket.isPaused()) socket.resume();
    this.#serve(line, next);
  }

  #wait(line: Line, one: Request): void {
    const bytes = bytesOf(one.req);
    line.waiting.push({ ...one, bytes });
    this.#long.add(line);
    this.#count(line, bytes);
    this.#holdBack(line);
    if (this.#bytes > MAX_WAITING_BYTES) this.#closeLongest();
  }

  /** From now on the connection is read only while `mayRead`. */
  #holdBack(line: Line): void {
    const { socket } = line;
    if (!line.isHeldBack) {
      line.isHeldBack = true;
      this.#expectClose(line);
      // Node resumes a connection at the end of each request, and where a body is read on.
      socket.on('resume', () => void (mayRead(line) || socket.pause()));
    }
    if (!mayRead(line)) socket.pause();
  }

  /** At the end of a connection Node makes an error for each request that waits: without stack traces, of which thousands took 30 ms. */
  #expectClose(line: Line): void {
    let frames = Error.stackTraceLimit;
    line.socket.prependOnceListener('close', () => {
      frames = Error.stackTraceLimit;
      Error.stackTraceLimit = 0;
    });
    line.socket.once('close', () => {
      Error.stackTraceLimit = frames;
      this.#forget(line);
    });
  }

  /**
   * Node hands over each chunk of a body by itself, and reads up to two megabytes of a connection in
   * one turn. Here a reader of the body gets the small chunks of one read as one piece.
   */
  #joinChunks(line: Line, req: IncomingMessage): void {
    const small: Buffer[] = [];
    const pass = (chunk: unknown): boolean => IncomingMessage.prototype.push.call(req, chunk);
    const flush = (): void => {
      const isWanted = small.length === 0 || pass(small.length === 1 ? small[0] : Buffer.concat(small));
      small.length = 0;
      // Reading the body resumes the connection.
      if (!isWanted) line.socket.pause();
    };
    req.push = (chunk: unknown) => {
      if (!Buffer.isBuffer(chunk) || chunk.length >= SMALL_BYTES) {
        flush();
        return pass(chunk);
      }
      // Node runs what is due next after each chunk, so the end of the read is the end of the turn.
      if (small.push(chunk) === 1) setImmediate(flush);
      line.chunks += 1;
      if (line.chunks >= CHUNKS_A_TURN && !line.isResting) this.#rest(line, req);
      return true;
    };
  }

  #rest(line: Line, req: IncomingMessage): void {
    line.isResting = true;
    this.#holdBack(line);
    setImmediate(() => {
      line.isResting = false;
      line.chunks = 0;
      // A reader of the body that is behind resumes the connection itself.
      if (mayRead(line) && req.readableLength < req.readableHighWaterMark) line.socket.resume();
    });
  }

  #count(line: Line, bytes: number): void {
    line.bytes += bytes;
    this.#bytes += bytes;
  }

  #forget(line: Line): void {
    this.#long.delete(line);
    this.#count(line, -line.bytes);
    line.waiting.length = 0;
  }

  #closeLongest(): void {
    let longest: Line | null = null;
    for (const line of this.#long) if (longest === null || line.bytes > longest.bytes) longest = line;
    if (longest === null) return;
    this.#forget(longest);
    longest.socket.destroy();
  }
}

const mayRead = ({ waiting, isResting }: Line): boolean => waiting.length < READ_UP_TO && !isResting;

/** Asked of every request, also of thousands that wait: `headers` would be made for each. */
function isChunked({ rawHeaders }: IncomingMessage): boolean {
  for (let nth = 0; nth < rawHeaders.length; nth += 2)
    if (rawHeaders[nth]?.length === TRANSFER_ENCODING.length && rawHeaders[nth]?.toLowerCase() === TRANSFER_ENCODING) return true;
  return false;
}

/** What a waiting request keeps in memory, about; of a body as much as was read ahead. */
function bytesOf({ url = '', rawHeaders, readableLength }: IncomingMessage): number {
  let bytes = REQUEST_BYTES + url.length + readableLength;
  for (const part of rawHeaders) bytes += part.length;
  return bytes;
}
