import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { inflate, inflateSync } from 'node:zlib';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import * as theirs from '@whiskeysockets/baileys/lib/Utils/noise-handler.js';
import { bounded } from './bounded-stanza.ts';
import { decodeNode } from './decode-node.ts';
import { encodeBinaryNode } from './encode-node.ts';
import { maskedFrame } from './masked-frame.ts';

type Options = Parameters<typeof theirs.makeNoiseHandler>[0];
type NoiseHandler = ReturnType<typeof theirs.makeNoiseHandler>;
type OnFrame = Parameters<NoiseHandler['decodeFrame']>[1];

/** Stanzas of one kind that go to us instead of the library. */
interface Taking {
  readonly isOurs: (stanza: BinaryNode) => boolean;
  readonly receive: (stanza: BinaryNode) => void;
}

const SIZE_BYTES = 3;
const IS_COMPRESSED = 2;
/** Smaller stanzas are decompressed at once, on the main thread. */
const SMALL = 16 * 1024;
/** What is decompressed is joined on the main thread: 64 MB cost it 60 ms. */
const MAX_DECOMPRESSED = 16 * 1024 * 1024;
/** Of so many stanzas that were taken over the library is told of one, without what it says: it ends a connection over which nothing came for long. */
const TOLD_EVERY = 20;
const NOTHING: BinaryNode = { tag: '', attrs: {} };
const EMPTY = Buffer.alloc(0);
const inflated = promisify(inflate);

/**
 * The frames of one connection. The library awaits each of them twice, and then looks for listeners under each attribute of a stanza in three ways, which
 * costs more than opening and reading it.
 */
export class Frames {
  /** As the library uses it. */
  readonly handler: NoiseHandler;
  readonly #noise: NoiseHandler;
  readonly #takings: Taking[] = [];
  #rest: Buffer = EMPTY;
  #isOpen = false;
  #taken = 0;
  #connection: Duplex | null = null;
  /** While a large stanza is decompressed the others wait for it. */
  #tail: Promise<void> | null = null;

  constructor(noise: NoiseHandler) {
    this.#noise = noise;
    this.handler = {
      ...noise,
      finishInit: () => {
        this.#isOpen = true;
        return noise.finishInit();
      },
      decodeFrame: (bytes, onFrame) => this.#decode(bytes, onFrame),
    };
  }

  take(taking: Taking): void {
    this.#takings.push(taking);
  }

  /** From now on stanzas of ours are written to this connection, unless what is written there may be compressed. */
  writeTo({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): void {
    if (headers['sec-websocket-extensions'] === undefined) this.#connection = socket;
  }

  /** Writes a stanza. Nobody waits for it, and it is lost with the connection. */
  write({ ws }: Pick<WASocket, 'ws'>, stanza: BinaryNode): void {
    if (!ws.isOpen) return;
    const frame = this.#noise.encodeFrame(encodeBinaryNode(stanza));
    if (this.#connection) this.#connection.write(maskedFrame(frame));
    else ws.send(frame);
  }

  /** Rejects with the first frame that could not be opened or read; the others are given all the same. */
  async #decode(bytes: Uint8Array, onFrame: OnFrame): Promise<void> {
    this.#rest = this.#rest.length === 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : Buffer.concat([this.#rest, bytes]);
    await (this.#tail ?? this.#readAll(onFrame));
  }

  #readAll(onFrame: OnFrame): Promise<void> | undefined {
    let failure: { readonly cause: unknown } | null = null;
    for (let frame = this.#next(); frame !== null; frame = this.#next()) {
      try {
        const large = this.#read(frame, onFrame);
        if (large) return this.#inflating(large, onFrame);
      } catch (cause) {
        failure ??= { cause };
      }
    }
    if (failure) throw failure.cause;
    return undefined;
  }

  /** Answers a large stanza that is to be decompressed first. */
  #read(frame: Buffer, onFrame: OnFrame): Buffer | null {
    if (!this.#isOpen) {
      onFrame(frame);
      return null;
    }
    const plain = this.#noise.decrypt(frame);
    const stanza = Buffer.from(plain.buffer, plain.byteOffset + 1, plain.length - 1);
    if (((plain[0] ?? 0) & IS_COMPRESSED) === 0) this.#give(decodeNode(stanza), onFrame);
    else if (stanza.length <= SMALL) this.#give(decodeNode(inflateSync(stanza, { maxOutputLength: MAX_DECOMPRESSED })), onFrame);
    else return stanza;
    return null;
  }

  #next(): Buffer | null {
    const bytes = this.#rest;
    if (bytes.length < SIZE_BYTES) return null;
    const end = SIZE_BYTES + bytes.readUIntBE(0, SIZE_BYTES);
    if (bytes.length < end) return null;
    // A view of nothing would keep all that was received with it.
    this.#rest = end === bytes.length ? EMPTY : bytes.subarray(end);
    return bytes.subarray(SIZE_BYTES, end);
  }

  #inflating(stanza: Buffer, onFrame: OnFrame): Promise<void> {
    const work = inflated(stanza, { maxOutputLength: MAX_DECOMPRESSED }).then((bytes) => this.#give(decodeNode(bytes), onFrame));
    const goOn = (): Promise<void> | undefined => {
      this.#tail = null;
      return this.#readAll(onFrame);
    };
    this.#tail = work.finally(goOn);
    return this.#tail;
  }

  #give(whole: BinaryNode, onFrame: OnFrame): void {
    const stanza = bounded(whole);
    const taking = this.#takings.find(({ isOurs }) => isOurs(stanza));
    if (!taking) return onFrame(stanza);
    this.#taken += 1;
    if (this.#taken % TOLD_EVERY === 0) onFrame({ ...NOTHING, attrs: {} });
    taking.receive(stanza);
  }
}

let latest: Frames | null = null;

/** In place of the library's own. */
export function makeNoiseHandler(options: Options): NoiseHandler {
  latest = new Frames(theirs.makeNoiseHandler(options));
  return latest.handler;
}

/** What `make` gives, a socket, and its frames: the library makes their handler while it makes a socket, and keeps it to itself. */
export function withFrames<S>(make: () => S): { readonly socket: S; readonly frames: Frames } {
  latest = null;
  const socket = unpooled(make);
  if (!latest) throw new Error('the library made no handler of frames');
  return { socket, frames: latest };
}

/** What a socket keeps of its keys, a few bytes each, would keep the whole pools alive from which Node cuts small buffers: 9 KB a device. */
function unpooled<T>(make: () => T): T {
  const { poolSize } = Buffer;
  Buffer.poolSize = 0;
  try {
    return make();
  } finally {
    Buffer.poolSize = poolSize;
  }
}
