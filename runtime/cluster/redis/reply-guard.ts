/**
 * Checks the bytes of one Redis connection before the client library sees them. The library trusts
 * lengths (thirteen bytes make it allocate gigabytes), and an unexpected reply makes it end the
 * process with an error that cannot be caught.
 *
 * Only complete RESP2 replies pass: with bounded length, number of elements and depth, one per
 * command and in order, in a form that the command can have. Everything else is a fault of the
 * connection (`ProtocolFault`). A published text that is longer than any that a node sends is
 * dropped, because otherwise anyone who may publish could break the connection.
 */

import { RingQueue } from '../../ring-queue.ts';

export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault';
}

interface Outline {
  readonly types: string;
  readonly first: string;
}

const KIB = 1_024;
/** Limit in bytes. This is enough for the reply to a heartbeat, which lists all members. */
const MAX_REPLY = 16 * 1_024 * KIB;
/** Limit in bytes. This is enough for 1 MiB of sealed characters (`bus-seal.ts`). */
const MAX_PUBLISHED = 4 * 1_024 * KIB + KIB;
const MAX_LINE = 4 * KIB;
const MAX_ELEMENTS = 50_000;
const MAX_DEPTH = 4;
const MAX_OWED = 10_000;
const OUTLINED = 4;
const FIRST_TEXT = 16;
const LONGEST_NUMBER = 20;

const [CR, LF] = [13, 10];

/**
 * The shapes that the reply to each command may have. Any command may also be answered with an
 * error.
 */
const FORMS: ReadonlyMap<string, (outline: Outline) => boolean> = new Map([
  ['subscribe', ({ types, first }) => types === '*$$:' && first === 'subscribe'],
  // Replies to pings have two shapes, because both kinds of connections send pings.
  ['ping', ({ types, first }) => types === '+' || (types === '*$$' && first === 'pong')],
  ['auth', ({ types }) => types === '+'],
  ['select', ({ types }) => types === '+'],
  ['publish', ({ types }) => types === ':'],
]);
const MESSAGE = ({ types, first }: Outline): boolean => types === '*$$$' && first === 'message';
const COMMAND = /^\*\d+\r\n\$\d+\r\n(\w+)\r\n/;

export class ReplyGuard {
  readonly #owed = new RingQueue<string>();
  #isSubscribed = false;
  readonly #held = new Growing(MAX_REPLY);
  #line = '';
  #open: number[] = [];
  #elements = 0;
  #types = '';
  #first = '';
  /** Number of bytes missing from the current string, including its CR LF; 0 between strings. */
  #textLeft = 0;
  #isFirstText = false;
  #isLeftOut = false;

  readonly #leftOut: () => void;

  constructor(leftOut: () => void) {
    this.#leftOut = leftOut;
  }

  wrote(command: string): void {
    if (this.#owed.size >= MAX_OWED) throw new ProtocolFault('thousands of commands have no reply');
    const name = (COMMAND.exec(command)?.[1] ?? '').toLowerCase();
    this.#isSubscribed ||= name === 'subscribe';
    this.#owed.push(name);
  }

  checked(bytes: Buffer): readonly Buffer[] {
    const whole: Buffer[] = [];
    let [at, from] = [0, 0];
    while (at < bytes.length) {
      at = this.#textLeft > 0 ? this.#text(bytes, at) : this.#header(bytes, at);
      if (!this.#isComplete) continue;
      const rest = bytes.subarray(from, at);
      if (!this.#isLeftOut) {
        this.#expectFit();
        whole.push(this.#held.size === 0 ? rest : this.#held.take(rest));
      }
      this.#next();
      from = at;
    }
    if (!this.#isLeftOut) this.#hold(bytes.subarray(from));
    return whole;
  }

  get #isComplete(): boolean {
    return this.#types !== '' && this.#line === '' && this.#textLeft === 0 && this.#open.length === 0;
  }

  #hold(bytes: Buffer): void {
    if (!this.#held.add(bytes)) throw new ProtocolFault(`a reply is longer than ${MAX_REPLY} bytes`);
  }

  #next(): void {
    this.#held.clear();
    this.#elements = 0;
    this.#types = '';
    this.#first = '';
    this.#isLeftOut = false;
  }

  #expectFit(): void {
    const outline = { types: this.#types, first: this.#first };
    if (this.#isSubscribed && MESSAGE(outline)) return;
    const command = this.#owed.take();
    if (command === undefined) throw new ProtocolFault('a reply came that no command asked for');
    const fits = FORMS.get(command);
    if (fits && outline.types !== '-' && !fits(outline)) throw new ProtocolFault(`a reply to ${command} has another form`);
  }

  #header(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at);
    const next = end === -1 ? bytes.length : end + 1;
    if (this.#line.length + next - at > MAX_LINE) throw new ProtocolFault(`a line is longer than ${MAX_LINE} bytes`);
    this.#line += bytes.toString('latin1', at, next);
    if (end !== -1) this.#value(this.#wholeLine());
    return next;
  }

  #wholeLine(): string {
    const line = this.#line;
    this.#line = '';
    if (line.indexOf('\r') !== line.length - 2) throw new ProtocolFault('a line does not end as lines do');
    return line;
  }

  #value(line: string): void {
    const type = line.charAt(0);
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) throw new ProtocolFault(`a reply has more than ${MAX_ELEMENTS} elements`);
    const isOutlined = this.#types.length <= OUTLINED && this.#open.length <= 1;
    if (type === '$' || type === '*') return this.#sized(type, numberOf(line), isOutlined);
    if (type !== '+' && type !== '-' && type !== ':') throw new ProtocolFault('a value has no type of RESP2');
    if (type === ':') numberOf(line);
    if (isOutlined) this.#types += type;
    this.#valueEnds();
  }

  #sized(type: '$' | '*', length: number, isOutlined: boolean): void {
    if (isOutlined) this.#types += length === -1 ? '_' : type;
    if (length === -1) return this.#valueEnds();
    if (type === '$') return this.#textBegins(length);
    if (length < 0 || length > MAX_ELEMENTS) throw new ProtocolFault(`a list has ${length} elements`);
    if (length === 0) return this.#valueEnds();
    if (this.#open.length === MAX_DEPTH) throw new ProtocolFault(`a reply has lists in more than ${MAX_DEPTH} lists`);
    this.#open.push(length);
  }

  #textBegins(length: number): void {
    // The payload of a published message is its third and last element.
    const isPublished =
      this.#isSubscribed && this.#open.length === 1 && this.#open[0] === 1 && MESSAGE({ types: this.#types, first: this.#first });
    if (isPublished && length > MAX_PUBLISHED) {
      this.#isLeftOut = true;
      this.#held.clear();
      this.#leftOut();
    } else if (length < 0 || length > MAX_REPLY) throw new ProtocolFault(`a text has ${length} bytes`);
    this.#isFirstText = this.#types === '*$' && length <= FIRST_TEXT;
    this.#textLeft = length + 2;
  }

  #text(bytes: Buffer, at: number): number {
    const next = Math.min(bytes.length, at + this.#textLeft);
    const end = at + this.#textLeft;
    if (this.#isFirstText) this.#first += bytes.toString('latin1', at, Math.min(next, end - 2));
    const isEnded =
      (end - 2 < at || end - 2 >= next || bytes[end - 2] === CR) && (end - 1 < at || end - 1 >= next || bytes[end - 1] === LF);
    if (!isEnded) throw new ProtocolFault('a text does not end where it said');
    this.#textLeft = end - next;
    if (this.#textLeft === 0) this.#valueEnds();
    return next;
  }

  #valueEnds(): void {
    for (let last = this.#open.length - 1; last >= 0; last -= 1) {
      const left = (this.#open[last] ?? 0) - 1;
      this.#open[last] = left;
      if (left > 0) return;
      this.#open.pop();
    }
  }
}

function numberOf(line: string): number {
  if (line.length > LONGEST_NUMBER + 3 || !/^.-?\d+\r\n$/.test(line)) throw new ProtocolFault('a number is none');
  return Number(line.slice(1, -2));
}

const NOTHING = Buffer.alloc(0);

/** A growing buffer that copies each byte about twice, however small the pieces are. */
class Growing {
  readonly #most: number;
  #bytes = NOTHING;
  size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: Buffer): boolean {
    const size = this.size + bytes.length;
    if (size > this.#most) return false;
    if (size > this.#bytes.length) this.#grow(size);
    bytes.copy(this.#bytes, this.size);
    this.size = size;
    return true;
  }

  take(rest: Buffer): Buffer {
    return Buffer.concat([this.#bytes.subarray(0, this.size), rest]);
  }

  clear(): void {
    if (this.size === 0) return;
    this.size = 0;
    this.#bytes = NOTHING;
  }

  #grow(size: number): void {
    const larger = Buffer.alloc(Math.min(this.#most, Math.max(size, 2 * this.#bytes.length)));
    this.#bytes.copy(larger, 0, 0, this.size);
    this.#bytes = larger;
  }
}
