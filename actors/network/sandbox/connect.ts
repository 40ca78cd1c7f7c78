import type { Cancel, Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { LookedUp } from '../jid.ts';
import type { PasskeyCredential, TakesPasskeys } from '../passkey.ts';
import { CLOSED, type Line, type LineEvent, type Network, type OpenFile, type OpenOrder, type OutgoingMessage } from '../port.ts';
import { download } from './attachment.ts';
import { sendLoaded } from './cargo.ts';
import { dial } from './dial.ts';
import type { PairingCode } from './line.ts';
import { type NodeFrame, type Question, type SandboxFrame, Wire } from './wire.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** An ask that waits for its answer. */
interface Asked {
  readonly line: number;
  resolve(value: unknown): void;
  reject(error: Refusal): void;
}

interface OpenLine {
  readonly order: OpenOrder;
  hear(event: LineEvent): void;
}

/**
 * The driver for a sandbox in a process of its own: `url` is what it prints (`http://127.0.0.1:PORT`). All lines of a node share one
 * connection. When it drops every line hears `closed` 503, as do lines opened while it is down; it comes back by itself.
 */
export function connectSandbox({ url, clock }: { readonly url: string; readonly clock: Clock }): Network {
  return new RemoteSandbox(url, clock);
}

/** connecting ⇄ up, with growing pauses (down) after each failure; shut for good. */
class RemoteSandbox implements Network {
  readonly name = 'sandbox';
  readonly #url: string;
  readonly #clock: Clock;
  readonly #lines = new Map<number, OpenLine>();
  readonly #asked = new Map<number, Asked>();
  #phase: 'connecting' | 'up' | 'down' | 'shut' = 'down';
  #wire: Wire<SandboxFrame, NodeFrame> | null = null;
  #stopTrying: Cancel = () => {};
  #failures = 0;
  #serial = 0;
  #onShut: () => void = () => {};

  constructor(url: string, clock: Clock) {
    this.#url = url;
    this.#clock = clock;
    this.#connect();
  }

  open(order: OpenOrder, hear: (event: LineEvent) => void): Line {
    const line = this.#number();
    this.#lines.set(line, { order, hear });
    if (this.#phase === 'up') this.#wire?.write({ do: 'open', line, order });
    else if (this.#phase !== 'connecting') this.#clock.after(0, () => this.#closed(line, CLOSED.unavailable));
    return this.#lineOf(line);
  }

  async shutdown(): Promise<void> {
    if (this.#phase === 'shut') return;
    const wasUp = this.#phase === 'up';
    this.#phase = 'shut';
    this.#stopTrying();
    this.#closeAll(CLOSED.normally);
    if (!wasUp) return;
    await new Promise<void>((resolve) => {
      this.#onShut = resolve;
      this.#wire?.end();
    });
  }

  #connect(): void {
    this.#phase = 'connecting';
    this.#stopTrying = dial(
      this.#url,
      (socket) => this.#up(new Wire(socket, { onFrame: (frame) => this.#take(frame), onEnd: () => this.#lost(), waitsForReader: false })),
      () => this.#lost(),
    );
  }

  #up(wire: Wire<SandboxFrame, NodeFrame>): void {
    if (this.#phase === 'shut') return wire.end();
    this.#phase = 'up';
    this.#failures = 0;
    this.#wire = wire;
    for (const [line, { order }] of this.#lines) wire.write({ do: 'open', line, order });
  }

  #lost(): void {
    this.#wire = null;
    this.#onShut();
    if (this.#phase === 'shut') return;
    this.#phase = 'down';
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#stopTrying = this.#clock.after(pauseMs, () => this.#connect());
    this.#closeAll(CLOSED.unavailable);
  }

  #closeAll(code: number): void {
    for (const line of [...this.#lines.keys()]) this.#closed(line, code);
  }

  #take(frame: SandboxFrame): void {
    switch (frame.do) {
      case 'hear':
        if (frame.event.type === 'closed') this.#closed(frame.line, frame.event.code);
        else this.#lines.get(frame.line)?.hear(frame.event);
        break;
      case 'answer':
        this.#settle(frame.ask)?.resolve(frame.value);
        break;
      case 'refuse':
        this.#settle(frame.ask)?.reject(new Refusal(frame.code, frame.details));
    }
  }

  /** The last that a line hears. Its open asks end with it. */
  #closed(line: number, code: number): void {
    const open = this.#lines.get(line);
    if (!this.#lines.delete(line)) return;
    open?.hear({ type: 'closed', code });
    for (const [ask, asked] of this.#asked) {
      if (asked.line === line) this.#settle(ask)?.reject(new Refusal('NOT_CONNECTED'));
    }
  }

  #settle(ask: number): Asked | undefined {
    const asked = this.#asked.get(ask);
    this.#asked.delete(ask);
    return asked;
  }

  #number(): number {
    this.#serial += 1;
    return this.#serial;
  }

  #lineOf(line: number): Line & TakesPasskeys {
    return {
      send: (message: OutgoingMessage, open?: OpenFile) => this.#send(line, message, open),
      react: (reaction) => this.#tell(line, { do: 'react', line, reaction }),
      edit: (edit) => this.#tell(line, { do: 'edit', line, edit }),
      erase: (erasure) => this.#tell(line, { do: 'erase', line, erasure }),
      markRead: (chat, messages) => this.#tell(line, { do: 'markRead', line, chat, messages }),
      presence: (chat, state) => this.#tell(line, { do: 'presence', line, chat, state }),
      acknowledge: (token) => this.#tell(line, { do: 'acknowledge', line, token }),
      download,
      pairingCode: (digits: string) => this.#ask<PairingCode>(line, { what: 'pairingCode', digits }),
      answerPasskey: async (credential: PasskeyCredential) => void (await this.#ask<null>(line, { what: 'answerPasskey', credential })),
      confirmPasskey: async () => void (await this.#ask<null>(line, { what: 'confirmPasskey' })),
      lookUp: (digits: readonly string[]) => this.#ask<readonly LookedUp[]>(line, { what: 'lookUp', digits }),
      logOut: async () => void (await this.#ask<null>(line, { what: 'logOut' })),
      close: () => this.#close(line),
    };
  }

  #send(line: number, message: OutgoingMessage, open?: OpenFile): void {
    sendLoaded(message, open, {
      send: (loaded) => this.#tell(line, { do: 'send', line, message: loaded }),
      refuse: (reason) => this.#lines.get(line)?.hear({ type: 'refused', netId: message.netId, reason }),
    });
  }

  #tell(line: number, frame: NodeFrame): void {
    if (this.#lines.has(line)) this.#wire?.write(frame);
  }

  #close(line: number): void {
    if (this.#wire) this.#tell(line, { do: 'close', line });
    else this.#closeUnopened(line);
  }

  /** Forgotten at once, so that a connection that comes up meanwhile does not open it. */
  #closeUnopened(line: number): void {
    const unopened = this.#lines.get(line);
    this.#lines.delete(line);
    this.#clock.after(0, () => unopened?.hear({ type: 'closed', code: CLOSED.normally }));
  }

  #ask<T>(line: number, question: Question): Promise<T> {
    if (!this.#lines.has(line) || !this.#wire) return Promise.reject(new Refusal('NOT_CONNECTED'));
    const ask = this.#number();
    this.#wire.write({ do: 'ask', line, ask, ...question });
    return new Promise((resolve, reject) => {
      this.#asked.set(ask, { line, resolve: (value) => resolve(value as T), reject });
    });
  }
}
