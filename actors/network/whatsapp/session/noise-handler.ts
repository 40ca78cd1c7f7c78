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

interface Taking {
  readonly isOurs: (stanza: BinaryNode) => boolean;
  readonly receive: (stanza: BinaryNode) => void;
}

const SIZE_BYTES = 3;
const IS_COMPRESSED = 2;
/** Smaller stanzas are decompressed on the main thread. */
const SMALL = 16 * 1024;
/** Size limit. The result is joined on the main thread, where 64 MB took 60 ms. */
const MAX_DECOMPRESSED = 16 * 1024 * 1024;
/** The library gets one empty stanza for every 20 that bypass it. Without traffic, it disconnects. */
const TOLD_EVERY = 20;
const NOTHING: BinaryNode = { tag: '', attrs: {} };
const EMPTY = Buffer.alloc(0);
const inflated = promisify(inflate);

/** Handles frames. Some stanzas bypass the library, because its listeners are slow. */
export class Frames {
  readonly handler: NoiseHandler;
  readonly #noise: NoiseHandler;
  readonly #takings: Taking[] = [];
  #rest: Buffer = EMPTY;
  #isOpen = false;
  #taken = 0;
  #connection: Duplex | null = null;
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

  writeTo({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): void {
    if (headers['sec-websocket-extensions'] === undefined) this.#connection = socket;
  }

  write({ ws }: Pick<WASocket, 'ws'>, stanza: BinaryNode): void {
    if (!ws.isOpen) return;
    const frame = this.#noise.encodeFrame(encodeBinaryNode(stanza));
    if (this.#connection) this.#connection.write(maskedFrame(frame));
    else ws.send(frame);
  }

  /** Rejects with the first frame that cannot be read. All other frames are delivered. */
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

export function makeNoiseHandler(options: Options): NoiseHandler {
  latest = new Frames(theirs.makeNoiseHandler(options));
  return latest.handler;
}

/** Captures the frame handler, which the library creates with the socket and does not expose. */
export function withFrames<S>(make: () => S): { readonly socket: S; readonly frames: Frames } {
  latest = null;
  const socket = unpooled(make);
  if (!latest) throw new Error('the client library did not create a frame handler');
  return { socket, frames: latest };
}

/** Runs without Node's buffer pool, in which a key of a few bytes would keep a whole pool alive. */
function unpooled<T>(make: () => T): T {
  const { poolSize } = Buffer;
  Buffer.poolSize = 0;
  try {
    return make();
  } finally {
    Buffer.poolSize = poolSize;
  }
}
