import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { PasskeyCredential } from '../passkey.ts';
import type {
  ConnectionEvent,
  IdentityFact,
  OpenOrder,
  OutgoingEdit,
  OutgoingErasure,
  OutgoingMessage,
  OutgoingReaction,
  Presence,
} from '../port.ts';
import type { NetworkQuestion } from '../questions.ts';
import type { Read } from './connection.ts';

export const PROTOCOL = 'sandbox-line';

export type NodeFrame =
  | { readonly do: 'open'; readonly connection: number; readonly order: OpenOrder }
  | { readonly do: 'send'; readonly connection: number; readonly message: OutgoingMessage }
  | { readonly do: 'react'; readonly connection: number; readonly reaction: OutgoingReaction }
  | { readonly do: 'edit'; readonly connection: number; readonly edit: OutgoingEdit }
  | { readonly do: 'erase'; readonly connection: number; readonly erasure: OutgoingErasure }
  | { readonly do: 'markRead'; readonly connection: number; readonly chat: string; readonly messages: readonly Read[] }
  | { readonly do: 'presence'; readonly connection: number; readonly chat: string; readonly state: Presence }
  | { readonly do: 'acknowledge'; readonly connection: number; readonly token: string }
  | { readonly do: 'close'; readonly connection: number }
  /** `reason` is undefined if `whyNot` failed. */
  | { readonly do: 'because'; readonly connection: number; readonly ask: number; readonly reason?: string | null }
  | ({ readonly do: 'ask'; readonly connection: number; readonly ask: number } & Question);

export type Question =
  | { readonly what: 'pairingCode'; readonly digits: string }
  | { readonly what: 'answerPasskey'; readonly credential: PasskeyCredential }
  | { readonly what: 'confirmPasskey' }
  | { readonly what: 'lookUp'; readonly digits: readonly string[] }
  | { readonly what: 'question'; readonly question: NetworkQuestion }
  | { readonly what: 'logOut' };

export type SandboxFrame =
  | {
      readonly do: 'whyNot';
      readonly connection: number;
      readonly ask: number;
      readonly netId: string;
      readonly facts: readonly IdentityFact[];
    }
  | { readonly do: 'receive'; readonly connection: number; readonly event: ConnectionEvent }
  | { readonly do: 'answer'; readonly ask: number; readonly value: unknown }
  | { readonly do: 'refuse'; readonly ask: number; readonly code: string; readonly details: Readonly<Record<string, unknown>> };

/** Maximum line length in characters: the longest text message, escaped, plus a margin. */
const LONGEST_LINE = 1_048_576;
/** Maximum number of bytes waiting to be written. Peers that read too slowly are disconnected. */
const MAX_UNWRITTEN_BYTES = 64 * 1_048_576;

export interface WireEnds<In> {
  onFrame(frame: In): void;
  onEnd(): void;
  /** Whether to stop reading while writes are pending. If both ends did this, they could deadlock. */
  readonly waitsForReader: boolean;
}

/** Sends and receives JSON lines. A line that is too long or not JSON closes the connection. */
export class Wire<In, Out> {
  readonly #socket: Duplex;
  readonly #ends: WireEnds<In>;
  // A character may be split between two chunks, and setEncoding is not supported here.
  readonly #decoder = new StringDecoder('utf8');
  #unfinished = '';
  #outgoing = '';

  constructor(socket: Duplex, ends: WireEnds<In>) {
    this.#socket = socket;
    this.#ends = ends;
    if (socket instanceof Socket) socket.setNoDelay(true).setTimeout(0);
    socket.on('data', (bytes: Buffer) => this.#read(this.#decoder.write(bytes)));
    socket.on('end', () => socket.end());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => ends.onEnd());
    socket.on('drain', () => socket.resume());
  }

  write(frame: Out): void {
    if (this.#outgoing === '') queueMicrotask(() => this.#flush());
    this.#outgoing += `${JSON.stringify(frame)}\n`;
  }

  end(): void {
    this.#flush();
    this.#socket.end();
  }

  #flush(): void {
    const text = this.#outgoing;
    this.#outgoing = '';
    if (text === '' || !this.#socket.writable) return;
    if (this.#socket.write(text)) return;
    if (this.#ends.waitsForReader) this.#socket.pause();
    if (this.#socket.writableLength > MAX_UNWRITTEN_BYTES) this.#socket.destroy();
  }

  #read(text: string): void {
    const connections = (this.#unfinished + text).split('\n');
    this.#unfinished = connections.pop() ?? '';
    if (this.#unfinished.length > LONGEST_LINE) this.#socket.destroy();
    for (const connection of connections) {
      const frame = parse<In>(connection);
      if (frame === null) return void this.#socket.destroy();
      this.#ends.onFrame(frame);
    }
  }
}

/** JSON that can be parsed is trusted, because both ends are this program. */
function parse<Frame>(connection: string): Frame | null {
  if (connection.length > LONGEST_LINE) return null;
  try {
    return JSON.parse(connection);
  } catch {
    return null;
  }
}
