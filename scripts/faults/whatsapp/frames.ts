import { EventEmitter } from 'node:events';
import { registerHooks } from 'node:module';
import { Socket } from 'node:net';
import type { BinaryNode } from '@whiskeysockets/baileys';
import WebSocket from 'ws';
import type { Failpoint } from './failpoint.ts';

/** Where frames are made, and the place in it at which one is told: in the driver's encoder the last, for it asks the library's about texts. */
const ENCODERS = [
  { file: '/WABinary/encode.js', place: 'export const encodeBinaryNode = (node, opts = constants, buffer = [0]) => {', isBehind: true },
  { file: '/session/encode-node.ts', place: '  const written = ', isBehind: false },
];
const TOLD = Symbol.for('a frame is being made');
const HANDSHAKE = 'handshake';

/** The library makes a frame in the turn in which it hands it to its connection: what it made last is what that gets. */
let made = HANDSHAKE;

/**
 * Every frame to and from the network, by its kind: when it is made, about to leave and gone, which is later, for what leaves waits for the
 * secrets; and when one was received. To be called before the library is loaded: encoders are made to tell what they encode.
 */
export function watchFrames(failpoint: Failpoint): void {
  listenToEncoders();
  watchMaking(failpoint);
  watchLeaving(failpoint);
  watchReceiving(failpoint);
}

function listenToEncoders(): void {
  Reflect.set(globalThis, TOLD, (node: BinaryNode) => {
    made = kindOf(node);
  });
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const encoder = ENCODERS.find(({ file }) => url.endsWith(file));
      if (!encoder) return loaded;
      const { place, isBehind } = encoder;
      const source = String(loaded.source);
      if (!source.includes(place)) throw new Error('frames are encoded in another way now');
      const tell = ` globalThis[Symbol.for('${TOLD.description}')](node);`;
      return { ...loaded, source: source.replace(place, isBehind ? `${place}${tell}` : `${tell}${place}`) };
    },
  });
}

/** `message`, `receipt`, `ack`, …; of questions and their answers what is inside: `iq-usync`. */
function kindOf({ tag, attrs, content }: BinaryNode): string {
  const inside = Array.isArray(content) ? content[0]?.tag : undefined;
  if (tag === 'iq') return `iq-${(inside ?? attrs['xmlns'] ?? attrs['type'] ?? '').replaceAll(':', '.')}`;
  return attrs['type'] === 'retry' || attrs['type'] === 'encrypt' ? `${tag}-${attrs['type']}` : tag;
}

interface Frame {
  readonly kind: string;
  /** Of its last byte, counted from the first frame of its connection. */
  readonly end: number;
}

/** The frames of one connection that have not left, in their order. */
interface Tape {
  frames: Frame[];
  end: number;
  left: number;
}

const tapes = new WeakMap<Socket, Tape>();

function watchMaking(failpoint: Failpoint): void {
  WebSocket.prototype.send = new Proxy(WebSocket.prototype.send, {
    apply(send, self: WebSocket, given) {
      const socket: unknown = Reflect.get(self, '_socket');
      if (socket instanceof Socket) {
        const tape = tapes.get(socket) ?? { frames: [], end: 0, left: 0 };
        tapes.set(socket, tape);
        tape.end += sizeOnWire(given[0].length);
        tape.frames.push({ kind: made, end: tape.end });
        failpoint.pass(`made-${made}`);
        made = HANDSHAKE;
      }
      return Reflect.apply(send, self, given);
    },
  });
}

/** A frame of a client is masked. */
const sizeOnWire = (length: number): number => length + 6 + (length > 65_535 ? 8 : length > 125 ? 2 : 0);

/** The place where bytes are given to the system. */
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

/** Takes those frames from the tape whose last byte is in this. */
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
