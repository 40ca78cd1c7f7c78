import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection on which this many requests wait is read no further until some are answered. */
const READ_UP_TO = 16;
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
  hasWaited: boolean;
}

/**
 * Works on one request of a connection at a time. A caller may send many requests before it reads
 * an answer (pipelining); Node begins all of them at once and keeps their answers, so that a few
 * hundred bytes ask for gigabytes. Here a request begins when the operating system has taken the
 * answer before it, in the order in which HTTP wants the answers anyway. What waits is bounded for
 * a connection and in all. Held in memory only.
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
      line = { socket, waiting: [], bytes: 0, isBusy: false, hasWaited: false };
      this.#lines.set(socket, line);
    }
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
    line.isBusy = false;
    if (socket.destroyed) return this.#forget(line);
    const next = waiting.shift();
    if (!next) return;
    this.#count(line, -next.bytes);
    if (waiting.length === 0) this.#long.delete(line);
    if (isShort(line) && socket.isPaused()) socket.resume();
    this.#serve(line, next);
  }

  #wait(line: Line, one: Request): void {
    const { socket, waiting } = line;
    if (!line.hasWaited) {
      line.hasWaited = true;
      socket.once('close', () => this.#forget(line));
      // Node resumes a connection at the end of each request.
      socket.on('resume', () => void (isShort(line) || socket.pause()));
    }
    const bytes = bytesOf(one.req);
    waiting.push({ ...one, bytes });
    this.#long.add(line);
    this.#count(line, bytes);
    if (!isShort(line)) socket.pause();
    if (this.#bytes > MAX_WAITING_BYTES) this.#closeLongest();
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

const isShort = ({ waiting }: Line): boolean => waiting.length < READ_UP_TO;

/** What a waiting request keeps in memory, about; of a body as much as was read ahead. */
function bytesOf({ url = '', rawHeaders, readableLength }: IncomingMessage): number {
  let bytes = REQUEST_BYTES + url.length + readableLength;
  for (const part of rawHeaders) bytes += part.length;
  return bytes;
}
