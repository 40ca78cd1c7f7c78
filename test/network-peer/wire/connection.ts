import type { WebSocket } from 'ws';
import type { Clock } from '../../../runtime/clock.ts';
import { makeKeyPair } from '../curve.ts';
import type { Faults } from '../faults.ts';
import type { GrammarWatch } from '../grammar/watch.ts';
import type { Journal } from '../journal.ts';
import type { SeededRandom } from '../random.ts';
import type { Stanza } from '../stanza.ts';
import type { Authority } from './authority.ts';
import { decodeStanza, encodeStanza } from './codec.ts';
import { Deframer, framed } from './frames.ts';
import { type Introduction, NoiseResponder } from './noise.ts';

export interface Wiring {
  readonly authority: Authority;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly journal: Journal;
  readonly faults: Faults;
  /** Receives every stanza as it is on the wire. */
  readonly grammar: GrammarWatch | null;
}

export interface Listener {
  introduced(connection: Connection, introduction: Introduction): void;
  heard(connection: Connection, stanza: Stanza): Promise<void> | void;
  closed(connection: Connection): void;
}

/** Time for a client to close its connection after the final stanza, before it is cut. */
const CLOSE_WITHIN_MS = 1_000;

/** One client's socket: the handshake, then stanzas, one at a time. */
export class Connection {
  /** Number of the account (digits), once it is known. */
  phone: string | null = null;
  /** Name in the journal. */
  name: string;
  readonly #socket: WebSocket;
  readonly #wiring: Wiring;
  readonly #listener: Listener;
  readonly #deframer = new Deframer();
  #noise: NoiseResponder | null = null;
  #greeted = false;
  #introduction: Introduction | null = null;
  #work: Promise<void> = Promise.resolve();

  constructor(name: string, socket: WebSocket, wiring: Wiring, listener: Listener) {
    this.name = name;
    this.#socket = socket;
    this.#wiring = wiring;
    this.#listener = listener;
    socket.on('message', (data) => this.#receive(Buffer.from(data as Buffer)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#close());
  }

  get introduction(): Introduction {
    if (!this.#introduction) throw new Error('the handshake is not done');
    return this.#introduction;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(stanza: Stanza): void {
    const { faults, journal } = this.#wiring;
    if (!this.isOpen) return;
    if (faults.isSilent(this.phone)) return journal.stanza(this.name, 'down', 'silent', stanza);
    journal.stanza(
      this.name,
      'down',
      faults.carry('down', this.phone, stanza, () => this.#write(stanza)),
      stanza,
    );
  }

  /** Sends arbitrary bytes instead of a stanza, without faults and journal entries. */
  sendBytes(plain: Uint8Array): void {
    if (this.isOpen && this.#noise) this.#socket.send(framed(this.#noise.write(plain)));
  }

  /** Sends a final stanza, after which the client closes. */
  end(stanza: Stanza): void {
    this.send(stanza);
    this.#wiring.clock.after(CLOSE_WITHIN_MS, () => this.cut());
  }

  /** Closes the socket abruptly. */
  cut(): void {
    this.#socket.terminate();
  }

  #close(): void {
    this.#wiring.journal.event('closed', this.name);
    this.#listener.closed(this);
  }

  #receive(data: Buffer): void {
    if (!this.#noise?.isOpen && this.#wiring.faults.isSilent(this.phone)) return;
    this.#deframer.add(data);
    try {
      const intro = this.#deframer.intro();
      if (!intro) return;
      this.#noise ??= new NoiseResponder(this.#wiring.authority, makeKeyPair(this.#wiring.random), intro);
      for (const frame of this.#deframer.frames()) this.#frame(this.#noise, frame);
    } catch (cause) {
      this.#wiring.journal.event('trouble', this.name, { what: 'handshake', cause: String(cause) });
      this.cut();
    }
  }

  #frame(noise: NoiseResponder, frame: Buffer): void {
    if (noise.isOpen) return this.#inTurn(noise.read(frame));
    if (!this.#greeted) {
      this.#greeted = true;
      this.#socket.send(framed(noise.greet(frame)));
      return;
    }
    this.#introduction = noise.finish(frame);
    this.#listener.introduced(this, this.#introduction);
  }

  #inTurn(plain: Buffer): void {
    this.#then(async () => this.#hear(decodeStanza(plain)));
  }

  #then(run: () => Promise<void>): void {
    this.#work = this.#work.then(run).catch((cause: unknown) => this.#trouble(cause));
  }

  async #hear(stanza: Stanza): Promise<void> {
    const { faults, journal, grammar } = this.#wiring;
    grammar?.see(this.name, 'up', stanza);
    if (faults.isSilent(this.phone)) return journal.stanza(this.name, 'up', 'silent', stanza);
    let now = 0;
    let isLate = false;
    const fate = faults.carry('up', this.phone, stanza, () => {
      if (isLate) this.#then(() => this.#pass(stanza));
      else now += 1;
    });
    isLate = true;
    journal.stanza(this.name, 'up', fate, stanza);
    for (; now > 0; now -= 1) await this.#pass(stanza);
  }

  async #pass(stanza: Stanza): Promise<void> {
    try {
      await this.#listener.heard(this, stanza);
    } catch (cause) {
      this.#trouble(cause);
    }
  }

  #write(stanza: Stanza): void {
    if (!this.isOpen || !this.#noise) return;
    this.#wiring.grammar?.see(this.name, 'down', stanza);
    this.sendBytes(encodeStanza(stanza));
  }

  #trouble(cause: unknown): void {
    this.#wiring.journal.event('trouble', this.name, { what: 'stanza', cause: cause instanceof Error ? cause.stack : String(cause) });
  }
}
