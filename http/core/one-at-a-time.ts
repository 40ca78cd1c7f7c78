import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const READ_UP_TO = 16;
const CHUNKS_A_TURN = 256;
const SMALL_BYTES = 1024;
const TRANSFER_ENCODING = 'transfer-encoding';
/** Above this total, the connection with the most waiting bytes is closed. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const REQUEST_BYTES = 4 * 1024;

interface Request {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly serve: RequestListener;
}

interface Waiting extends Request {
  readonly bytes: number;
}

interface Line {
  readonly socket: Socket;
  readonly waiting: Waiting[];
  bytes: number;
  isBusy: boolean;
  chunks: number;
  isResting: boolean;
  isHeldBack: boolean;
}

/**
 * Runs the requests of a connection one at a time, because Node would hold the responses of all
 * pipelined requests in memory.
 */
export function oneAtATime(listener: Server): void {
  const lines = new Lines();
  for (const event of ['request', 'checkContinue'].filter((event) => listener.listenerCount(event) > 0)) {
    const serve: RequestListener = taken(listener, event);
    listener.on(event, (req: IncomingMessage, res: ServerResponse) => lines.begin({ req, res, serve }));
  }
}

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
    // Serves the next request in a later tick, even if the response was accepted immediately.
    else setImmediate(() => this.#serveNext(line));
  }

  #serveNext(line: Line): void {
    const { socket, waiting } = line;
    line.isBusy = false;
    const next = waiting.shift();
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

  #holdBack(line: Line): void {
    const { socket } = line;
    if (!line.isHeldBack) {
      line.isHeldBack = true;
      this.#expectClose(line);
      // Node resumes the socket by itself, so it is paused again if this connection must still wait.
      socket.on('resume', () => void (mayRead(line) || socket.pause()));
    }
    if (!mayRead(line)) socket.pause();
  }

  /**
   * Disables stack traces while the connection closes, because Node creates an error for each
   * waiting request, which takes 30 ms for thousands of them.
   */
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

  /** Joins small chunks, because Node delivers the chunks of one read (up to 2 MB) one by one. */
  #joinChunks(line: Line, req: IncomingMessage): void {
    const small: Buffer[] = [];
    const pass = (chunk: unknown): boolean => IncomingMessage.prototype.push.call(req, chunk);
    const flush = (): void => {
      const isWanted = small.length === 0 || pass(small.length === 1 ? small[0] : Buffer.concat(small));
      small.length = 0;
      // Passing on the chunks has resumed the connection, so it is paused again.
      if (!isWanted) line.socket.pause();
    };
    req.push = (chunk: unknown) => {
      if (!Buffer.isBuffer(chunk) || chunk.length >= SMALL_BYTES) {
        flush();
        return pass(chunk);
      }
      // nextTick callbacks run after each chunk, so only the end of the tick marks the end of the read.
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

/** Reads `rawHeaders`, because `headers` would build an object for each waiting request. */
function isChunked({ rawHeaders }: IncomingMessage): boolean {
  for (let nth = 0; nth < rawHeaders.length; nth += 2)
    if (rawHeaders[nth]?.length === TRANSFER_ENCODING.length && rawHeaders[nth]?.toLowerCase() === TRANSFER_ENCODING) return true;
  return false;
}

function bytesOf({ url = '', rawHeaders, readableLength }: IncomingMessage): number {
  let bytes = REQUEST_BYTES + url.length + readableLength;
  for (const part of rawHeaders) bytes += part.length;
  return bytes;
}
