import { connect, Socket } from 'node:net';
import { connect as startTls } from 'node:tls';
import { AbstractConnector } from 'ioredis';
import { asError } from '../../errors.ts';
import { isRecord } from '../../shapes.ts';
import { ReplyGuard } from './reply-guard.ts';

type Place = Readonly<Record<string, unknown>>;

const CONNECTS_WITHIN_MS = 2_000;
const CLOSES_WITHIN_MS = 2_000;

/** `leftOut` is called for published messages that were too long. */
export function guardedConnector(leftOut: () => void): new (place: unknown) => AbstractConnector {
  return class extends AbstractConnector {
    readonly #place: Place;

    constructor(place: unknown) {
      super(CLOSES_WITHIN_MS);
      this.#place = isRecord(place) ? place : {};
    }

    /** Never rejects, because the library would then not retry. Sets `firstError` instead. */
    override async connect(): Promise<Socket> {
      this.connecting = true;
      delete this.firstError;
      const bare = open(this.#place);
      this.stream = new GuardedSocket(bare, new ReplyGuard(leftOut));
      const { stream } = this;
      await isOpen(bare, isSecured(this.#place)).catch((cause) => {
        this.firstError = asError(cause);
      });
      if (!this.connecting) this.firstError = new Error('Connection is closed.');
      if (this.firstError) stream.destroy();
      return stream;
    }
  };
}

const isSecured = ({ tls }: Place): boolean => Boolean(tls);

function open({ path, host, port, family, tls }: Place): Socket {
  const to =
    typeof path === 'string' ? { path } : { host: String(host), port: Number(port), ...(typeof family === 'number' && { family }) };
  return tls ? startTls({ ...to, ...(isRecord(tls) ? tls : {}) }) : connect(to);
}

function isOpen(socket: Socket, isSecured: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.setNoDelay(true);
    socket.setTimeout(CONNECTS_WITHIN_MS, () => socket.destroy(new Error('connect ETIMEDOUT')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('Connection is closed.')));
    socket.once(isSecured ? 'secureConnect' : 'connect', () => {
      socket.setTimeout(0);
      resolve();
    });
  });
}

/** Wraps another socket, as TLS does, so that all incoming and outgoing data passes the guard. */
class GuardedSocket extends Socket {
  readonly #bare: Socket;
  readonly #guard: ReplyGuard;

  constructor(bare: Socket, guard: ReplyGuard) {
    super();
    this.#bare = bare;
    this.#guard = guard;
    // Without a listener, a socket that fails early would end the process.
    this.on('error', () => {});
    bare.on('data', (bytes) => this.#take(bytes));
    bare.on('end', () => this.push(null));
    bare.on('error', (cause) => this.destroy(cause));
    bare.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#bare.resume();
  }

  override _write(chunk: string | Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this._writev([{ chunk, encoding }], done);
  }

  override _writev(chunks: { chunk: string | Buffer; encoding: BufferEncoding }[], done: (error?: Error | null) => void): void {
    try {
      for (const { chunk } of chunks) this.#guard.wrote(chunk.toString());
    } catch (cause) {
      return done(asError(cause));
    }
    const last = chunks.pop();
    this.#bare.cork();
    for (const { chunk, encoding } of chunks) this.#bare.write(chunk, encoding);
    if (last) this.#bare.write(last.chunk, last.encoding, done);
    this.#bare.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#bare.end(done);
  }

  override _destroy(cause: Error | null, done: (error?: Error | null) => void): void {
    this.#bare.destroy();
    super._destroy(cause, done);
  }

  #take(bytes: Buffer): void {
    if (this.destroyed) return;
    try {
      for (const reply of this.#guard.checked(bytes)) if (!this.push(reply)) this.#bare.pause();
    } catch (cause) {
      this.destroy(asError(cause));
    }
  }
}
