import type { Cancel, Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import { AlbumTurns } from '../album-turns.ts';
import type { LookedUp } from '../jid.ts';
import type { PasskeyCredential, TakesPasskeys } from '../passkey.ts';
import {
  CLOSED,
  type Connection,
  type ConnectionEvent,
  type Network,
  type OpenFile,
  type OpenOrder,
  type OutgoingMessage,
} from '../port.ts';
import { download } from './attachment.ts';
import type { PairingCode } from './connection.ts';
import { openSocket } from './open-socket.ts';
import { sendLoaded } from './uploads.ts';
import { type NodeFrame, type Question, type SandboxFrame, Wire } from './wire.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const PAGE_WITHIN_MS = 10_000;

interface PendingRequest {
  readonly connection: number;
  resolve(value: unknown): void;
  reject(error: Refusal): void;
}

interface OpenConnection {
  readonly order: OpenOrder;
  receive(event: ConnectionEvent): void;
}

/** All logins share one connection. If it drops, each login receives `closed` with code 503. */
export function connectSandbox({ url, clock }: { readonly url: string; readonly clock: Clock }): Network {
  return new RemoteSandbox(url, clock);
}

/** Phases: connecting ⇄ up, with a growing pause (down) after each failure. `shut` is final. */
class RemoteSandbox implements Network {
  readonly name = 'sandbox';
  readonly #url: string;
  readonly #clock: Clock;
  readonly #connections = new Map<number, OpenConnection>();
  readonly #asked = new Map<number, PendingRequest>();
  #phase: 'connecting' | 'up' | 'down' | 'shut' = 'down';
  #wire: Wire<SandboxFrame, NodeFrame> | null = null;
  #stopTrying: Cancel = () => {};
  #failures = 0;
  #serial = 0;
  #onShut: () => void = () => {};

  readonly #albums = new AlbumTurns(null);

  constructor(url: string, clock: Clock) {
    this.#url = url;
    this.#clock = clock;
    this.#connect();
  }

  open(order: OpenOrder, receive: (event: ConnectionEvent) => void): Connection {
    const connection = this.#number();
    this.#connections.set(connection, { order, receive });
    if (this.#phase === 'up') this.#wire?.write({ do: 'open', connection, order });
    else if (this.#phase !== 'connecting')
      this.#clock.after(0, () => this.#closed(connection, { type: 'closed', code: CLOSED.unavailable }));
    return this.#connectionOf(connection);
  }

  async readBuildPage(): Promise<string> {
    const answer = await fetch(`${this.#url}/sandbox/sw.js`, { signal: AbortSignal.timeout(PAGE_WITHIN_MS) });
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    return answer.text();
  }

  async officialUrl(): Promise<string> {
    const answer = await fetch(`${this.#url}/sandbox/official`, { signal: AbortSignal.timeout(PAGE_WITHIN_MS) });
    const url = memberOf(await answer.json(), 'graph_url');
    if (!answer.ok || typeof url !== 'string') throw new Error(`answered ${answer.status}`);
    return url;
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
    this.#stopTrying = openSocket(
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
    for (const [connection, { order }] of this.#connections) wire.write({ do: 'open', connection, order });
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
    for (const connection of [...this.#connections.keys()]) this.#closed(connection, { type: 'closed', code });
  }

  #take(frame: SandboxFrame): void {
    switch (frame.do) {
      case 'receive':
        if (frame.event.type === 'closed') this.#closed(frame.connection, frame.event);
        else this.#connections.get(frame.connection)?.receive(frame.event);
        break;
      case 'whyNot':
        this.#answerWhyNot(frame);
        break;
      case 'answer':
        this.#settle(frame.ask)?.resolve(frame.value);
        break;
      case 'refuse':
        this.#settle(frame.ask)?.reject(new Refusal(frame.code, frame.details));
    }
  }

  #answerWhyNot({ connection, ask, netId, facts }: Extract<SandboxFrame, { do: 'whyNot' }>): void {
    const { whyNot = async () => null } = this.#connections.get(connection)?.order ?? {};
    const answer = (said: { readonly reason?: string | null }): void => this.#tell(connection, { do: 'because', connection, ask, ...said });
    whyNot(netId, facts).then(
      (reason) => answer({ reason }),
      () => answer({}),
    );
  }

  #closed(connection: number, closed: Extract<ConnectionEvent, { type: 'closed' }>): void {
    const open = this.#connections.get(connection);
    if (!this.#connections.delete(connection)) return;
    open?.receive(closed);
    for (const [ask, asked] of this.#asked) {
      if (asked.connection === connection) this.#settle(ask)?.reject(new Refusal('NOT_CONNECTED'));
    }
  }

  #settle(ask: number): PendingRequest | undefined {
    const asked = this.#asked.get(ask);
    this.#asked.delete(ask);
    return asked;
  }

  #number(): number {
    this.#serial += 1;
    return this.#serial;
  }

  #connectionOf(connection: number): Connection & TakesPasskeys {
    return {
      send: (message: OutgoingMessage, open?: OpenFile) => this.#send(connection, message, open),
      react: (reaction) => this.#tell(connection, { do: 'react', connection, reaction }),
      edit: (edit) => this.#tell(connection, { do: 'edit', connection, edit }),
      erase: (erasure) => this.#tell(connection, { do: 'erase', connection, erasure }),
      markRead: (chat, messages) => this.#tell(connection, { do: 'markRead', connection, chat, messages }),
      presence: (chat, state) => this.#tell(connection, { do: 'presence', connection, chat, state }),
      acknowledge: (token) => this.#tell(connection, { do: 'acknowledge', connection, token }),
      download,
      pairingCode: (digits: string) => this.#ask<PairingCode>(connection, { what: 'pairingCode', digits }),
      answerPasskey: async (credential: PasskeyCredential) =>
        void (await this.#ask<null>(connection, { what: 'answerPasskey', credential })),
      confirmPasskey: async () => void (await this.#ask<null>(connection, { what: 'confirmPasskey' })),
      lookUp: (digits: readonly string[]) => this.#ask<readonly LookedUp[]>(connection, { what: 'lookUp', digits }),
      ask: (name, input) => this.#ask(connection, { what: 'question', question: { name, input } }),
      logOut: async () => void (await this.#ask<null>(connection, { what: 'logOut' })),
      close: () => this.#close(connection),
    };
  }

  #send(connection: number, message: OutgoingMessage, open?: OpenFile): void {
    sendLoaded(message, open, {
      turn: this.#albums.turn(message.album),
      send: (loaded) => this.#tell(connection, { do: 'send', connection, message: loaded }),
      refuse: (reason) => this.#connections.get(connection)?.receive({ type: 'refused', netId: message.netId, reason }),
    });
  }

  #tell(connection: number, frame: NodeFrame): void {
    if (this.#connections.has(connection)) this.#wire?.write(frame);
  }

  #close(connection: number): void {
    if (this.#wire) this.#tell(connection, { do: 'close', connection });
    else this.#closeUnopened(connection);
  }

  /** Removes a login at once, so that it is not opened when the sandbox can be reached again. */
  #closeUnopened(connection: number): void {
    const unopened = this.#connections.get(connection);
    this.#connections.delete(connection);
    this.#clock.after(0, () => unopened?.receive({ type: 'closed', code: CLOSED.normally }));
  }

  #ask<T>(connection: number, question: Question): Promise<T> {
    if (!this.#connections.has(connection) || !this.#wire) return Promise.reject(new Refusal('NOT_CONNECTED'));
    const ask = this.#number();
    this.#wire.write({ do: 'ask', connection, ask, ...question });
    return new Promise((resolve, reject) => {
      this.#asked.set(ask, { connection, resolve: (value) => resolve(value as T), reject });
    });
  }
}
