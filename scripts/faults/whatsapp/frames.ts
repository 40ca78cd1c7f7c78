import { EventEmitter } from 'node:events';
import { registerHooks } from 'node:module';
import { Socket } from 'node:net';
import type { BinaryNode } from '@whiskeysockets/baileys';
import type WebSocket from 'ws';
import type { Failpoint } from './failpoint.ts';

/** Names of hooks, which are called by code that we inject into the files that handle frames. */
const TOLD = { made: Symbol.for('a frame is being made'), past: Symbol.for('a frame is written'), taken: Symbol.for('a stanza is taken') };
const tell = (what: keyof typeof TOLD, ...given: readonly string[]): string =>
  ` globalThis[Symbol.for('${TOLD[what].description}')](${given.join(', ')});`;

interface Place {
  readonly file: string;
  readonly place: string;
  readonly told: string;
  readonly isBehind: boolean;
}

/** The driver's own encoder calls the library's encoder for texts, so both are watched. */
const PLACES: readonly Place[] = [
  {
    file: '/WABinary/encode.js',
    place: 'export const encodeBinaryNode = (node, opts = constants, buffer = [0]) => {',
    told: tell('made', 'node'),
    isBehind: true,
  },
  { file: '/session/encode-node.ts', place: '  const written = ', told: tell('made', 'node'), isBehind: false },
  {
    file: '/session/noise-handler.ts',
    place: '    if (this.#connection) this.#connection.write(',
    told: tell('past', 'this.#connection', 'frame'),
    isBehind: false,
  },
  { file: '/session/noise-handler.ts', place: '    taking.receive(stanza);', told: tell('taken', 'stanza'), isBehind: false },
];
const HANDSHAKE = 'handshake';

let made = HANDSHAKE;

/** Call this before the library is loaded, because encoders are modified while loading. */
export async function watchFrames(failpoint: Failpoint): Promise<void> {
  listen(failpoint);
  await watchMaking(failpoint);
  watchLeaving(failpoint);
  watchReceiving(failpoint);
}

function listen(failpoint: Failpoint): void {
  Reflect.set(globalThis, TOLD.made, (node: BinaryNode) => {
    made = kindOf(node);
  });
  // A driver that has no connection of its own writes through the library's socket.
  Reflect.set(globalThis, TOLD.past, (socket: unknown, frame: Uint8Array) => note(failpoint, socket, frame.length));
  Reflect.set(globalThis, TOLD.taken, (node: BinaryNode) => failpoint.pass(`received-${kindOf(node)}`));
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const [path = ''] = url.split('?');
      const places = PLACES.filter(({ file }) => path.endsWith(file));
      if (places.length === 0) return loaded;
      return { ...loaded, source: places.reduce(telling, String(loaded.source)) };
    },
  });
}

function telling(source: string, { place, told, isBehind }: Place): string {
  if (!source.includes(place)) throw new Error(`frames are handled in another way now: there is no ${place}`);
  return source.replace(place, isBehind ? `${place}${told}` : `${told}${place}`);
}

/** Returns `message`, `receipt`, `ack`, …. Queries include the child or namespace: `iq-usync`. */
function kindOf({ tag, attrs, content }: BinaryNode): string {
  const inside = Array.isArray(content) ? content[0]?.tag : undefined;
  if (tag === 'iq') return `iq-${(inside ?? attrs['xmlns'] ?? attrs['type'] ?? '').replaceAll(':', '.')}`;
  return attrs['type'] === 'retry' || attrs['type'] === 'encrypt' ? `${tag}-${attrs['type']}` : tag;
}

interface Frame {
  readonly kind: string;
  readonly end: number;
}

interface Tape {
  frames: Frame[];
  end: number;
  left: number;
}

const tapes = new WeakMap<Socket, Tape>();

/** Watches the library's package `ws`, which opens the connections and is never bundled. */
async function watchMaking(failpoint: Failpoint): Promise<void> {
  const { default: sockets } = await import('ws');
  sockets.prototype.send = new Proxy(sockets.prototype.send, {
    apply(send, self: WebSocket, given) {
      note(failpoint, Reflect.get(self, '_socket'), given[0].length);
      return Reflect.apply(send, self, given);
    },
  });
}

function note(failpoint: Failpoint, socket: unknown, length: number): void {
  if (!(socket instanceof Socket)) return;
  const tape = tapes.get(socket) ?? { frames: [], end: 0, left: 0 };
  tapes.set(socket, tape);
  tape.end += sizeOnWire(length);
  tape.frames.push({ kind: made, end: tape.end });
  failpoint.pass(`made-${made}`);
  made = HANDSHAKE;
}

/** Client frames include a mask of 4 bytes and a header of 2 to 10 bytes. */
const sizeOnWire = (length: number): number => length + 6 + (length > 65_535 ? 8 : length > 125 ? 2 : 0);

/** Node's internal method that passes bytes to the operating system. */
const WRITES = '_writeGeneric';
type Write = (this: Socket, isMany: boolean, data: unknown, ...more: unknown[]) => unknown;

function watchLeaving(failpoint: Failpoint): void {
  const write: Write = Reflect.get(Socket.prototype, WRITES);
  const watched: Write = function (this: Socket, isMany, data, ...more) {
    const leaving = leave(tapes.get(this), data);
    for (const { kind } of leaving) failpoint.pass(`before-wire-${kind}`);
    const result = Reflect.apply(write, this, [isMany, data, ...more]);
    for (const { kind } of leaving) failpoint.pass(`after-wire-${kind}`);
    return result;
  };
  Reflect.set(Socket.prototype, WRITES, watched);
}

function leave(tape: Tape | undefined, data: unknown): readonly Frame[] {
  if (!tape) return [];
  tape.left += lengthOf(data);
  const ready = tape.frames.findIndex(({ end }) => end > tape.left);
  return ready < 0 ? tape.frames.splice(0) : tape.frames.splice(0, ready);
}

function lengthOf(data: unknown): number {
  if (Array.isArray(data)) return data.reduce<number>((sum, { chunk }) => sum + lengthOf(chunk), 0);
  return data instanceof Uint8Array ? data.length : Buffer.byteLength(String(data));
}

function watchReceiving(failpoint: Failpoint): void {
  EventEmitter.prototype.emit = new Proxy(EventEmitter.prototype.emit, {
    apply(emit, self, given) {
      const name: string | symbol = given[0];
      const frame: BinaryNode | Uint8Array = given[1];
      if (name === 'frame' && !(frame instanceof Uint8Array)) failpoint.pass(`received-${kindOf(frame)}`);
      return Reflect.apply(emit, self, given);
    },
  });
}
