import type { Readable } from 'node:stream';
import { Refusal } from '../../../runtime/errors.ts';
import { AlbumTurns } from '../album-turns.ts';
import type { HistoryWanted } from '../history.ts';
import type { LookedUp } from '../jid.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { PasskeyCredential, TakesPasskeys } from '../passkey.ts';
import {
  CLOSED,
  type Connection,
  type ConnectionEvent,
  type FileReference,
  type MessageKey,
  type OpenFile,
  type OpenOrder,
  type OutgoingEdit,
  type OutgoingErasure,
  type OutgoingMessage,
  type OutgoingReaction,
  type Presence,
  type WhyNot,
} from '../port.ts';
import type { AnswerOf, InputOf, QuestionName } from '../questions.ts';
import { download } from './attachment.ts';
import type { MediaState } from './chat-forms.ts';
import type { ConnectionAction } from './device-actions.ts';
import type { LinkedDevice, Login } from './devices.ts';
import type { Latency } from './latency.ts';
import { sendLoaded } from './uploads.ts';

export interface PairingCode {
  readonly code: string;
  readonly expiresAt: number;
}

interface Asked {
  done(reason: string | null): void;
  failed(): void;
}

export type Read = Pick<MessageKey, 'netId' | 'from'>;

export interface Exchange {
  send(connection: SandboxConnection, message: OutgoingMessage): void;
  act(connection: SandboxConnection, act: ConnectionAction): void;
  markRead(connection: SandboxConnection, chat: string, netIds: readonly Read[]): void;
  presence(connection: SandboxConnection, chat: string, state: Presence): void;
  acknowledge(connection: SandboxConnection, token: string): void;
  pairingCode(connection: SandboxConnection, digits: string): PairingCode;
  answerPasskey(connection: SandboxConnection, credential: PasskeyCredential): void;
  confirmPasskey(connection: SandboxConnection): void;
  lookUp(connection: SandboxConnection, digits: readonly string[]): readonly LookedUp[];
  answer<N extends QuestionName>(connection: SandboxConnection, name: N, input: InputOf<N>): AnswerOf<N>;
  logOut(connection: SandboxConnection): void;
  ended(connection: SandboxConnection, code: number): void;
  isSilent(connection: SandboxConnection): boolean;
  refusesUploads(connection: SandboxConnection): boolean;
  mediaOf(connection: SandboxConnection): MediaState;
  trouble(connection: SandboxConnection, name: QuestionName): 'unanswered' | 'busy' | null;
}

/** Delivers events in order, each after the simulated latency. `closed` overtakes waiting events. */
export class SandboxConnection implements Connection, Login, TakesPasskeys {
  readonly deviceId: string;
  readonly credentials: OpenOrder['credentials'];
  readonly version: string | undefined;
  readonly history: HistoryWanted | undefined;
  readonly whyNot: WhyNot;
  device: LinkedDevice | null = null;
  readonly #exchange: Exchange;
  readonly #soon: Latency;
  readonly #receive: (event: ConnectionEvent) => void;
  readonly #asking = new Set<(error: Refusal) => void>();
  /** The last pending delivery of each chat. The chat's next message waits for it. */
  readonly #tails = new Map<string, Promise<void>>();
  readonly #albums = new AlbumTurns(null);
  #ended = false;

  constructor(order: OpenOrder, receive: (event: ConnectionEvent) => void, exchange: Exchange, soon: Latency) {
    this.deviceId = order.deviceId;
    this.credentials = order.credentials;
    this.version = order.version;
    this.history = (order.habits?.includes('history') ?? true) ? order.history : undefined;
    this.whyNot = order.whyNot ?? (async () => null);
    this.#receive = receive;
    this.#exchange = exchange;
    this.#soon = soon;
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  say(event: ConnectionEvent): void {
    this.#soon.run(() => this.tell(event));
  }

  tell(event: ConnectionEvent): void {
    if (!this.#ended) this.#receive(event);
  }

  end(code: number, until?: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#exchange.ended(this, code);
    queueMicrotask(() => this.#receive({ type: 'closed', code, ...(until !== undefined && { until }) }));
    for (const refuse of this.#asking) refuse(new Refusal('NOT_CONNECTED'));
  }

  send(message: OutgoingMessage, open?: OpenFile): void {
    if (this.#ended) return;
    if ('file' in message.content && this.#exchange.refusesUploads(this)) return this.say({ type: 'unwritten', netId: message.netId });
    sendLoaded(message, open, {
      turn: this.#albums.turn(message.album),
      send: (loaded) => this.#ended || this.#exchange.send(this, loaded),
      refuse: (reason) => this.say({ type: 'refused', netId: message.netId, reason }),
    });
  }

  inOrder(chat: string, asked: Promise<string | null> | null, { done, failed }: Asked): void {
    const before = this.#tails.get(chat);
    if (!before && asked === null) return done(null);
    const answered = Promise.all([asked, before]).then(
      ([reason]) => this.#ended || done(reason),
      () => this.#ended || failed(),
    );
    const tail = answered.then(() => void (this.#tails.get(chat) === tail && this.#tails.delete(chat)));
    this.#tails.set(chat, tail);
  }

  react({ netId, target, emoji }: OutgoingReaction): void {
    if (!this.#ended) this.#exchange.act(this, { netId, target, act: { kind: 'reaction', emoji } });
  }

  edit({ netId, target, body }: OutgoingEdit): void {
    if (!this.#ended) this.#exchange.act(this, { netId, target, act: { kind: 'edited', body } });
  }

  erase({ netId, target, audience }: OutgoingErasure): void {
    if (!this.#ended) this.#exchange.act(this, { netId, target, act: { kind: 'deleted' }, ...(audience && { audience }) });
  }

  markRead(chat: string, messages: readonly Read[]): void {
    if (!this.#ended) this.#exchange.markRead(this, chat, messages);
  }

  presence(chat: string, state: Presence): void {
    if (!this.#ended) this.#exchange.presence(this, chat, state);
  }

  acknowledge(token: string): void {
    if (!this.#ended) this.#exchange.acknowledge(this, token);
  }

  download(file: FileReference): Promise<Readable> {
    switch (this.#exchange.mediaOf(this)) {
      case 'silent':
        return new Promise((_resolve, reject) => this.#asking.add(reject));
      case 'changed':
        return Promise.reject(new Refusal('UNSUPPORTED_MEDIA_TYPE', { reason: 'media_changed' }));
      default:
        return download(file);
    }
  }

  pairingCode(digits: string): Promise<PairingCode> {
    return this.#ask(() => this.#exchange.pairingCode(this, digits));
  }

  answerPasskey(credential: PasskeyCredential): Promise<void> {
    return this.#ask(() => this.#exchange.answerPasskey(this, credential));
  }

  confirmPasskey(): Promise<void> {
    return this.#ask(() => this.#exchange.confirmPasskey(this));
  }

  lookUp(digits: readonly string[]): Promise<readonly LookedUp[]> {
    return this.#ask(() => this.#exchange.lookUp(this, digits));
  }

  async ask<N extends QuestionName>(name: N, input: InputOf<N>): Promise<AnswerOf<N>> {
    const trouble = this.#exchange.trouble(this, name);
    return this.#ask(() => {
      if (trouble === 'busy') throw networkRefusal(429);
      return this.#exchange.answer(this, name, input);
    }, trouble === 'unanswered');
  }

  logOut(): Promise<void> {
    return this.#ask(() => this.#exchange.logOut(this));
  }

  close(): void {
    this.end(CLOSED.normally);
  }

  /** If the network ignores a request, the request stays pending until the connection closes. */
  #ask<T>(answer: () => T, isUnanswered = false): Promise<T> {
    if (this.#ended) return Promise.reject(new Refusal('NOT_CONNECTED'));
    return new Promise((resolve, reject) => {
      this.#asking.add(reject);
      if (this.#exchange.isSilent(this)) return;
      this.#soon.run(() => {
        try {
          const said = this.#ended ? null : { answer: answer() };
          if (isUnanswered) return;
          this.#asking.delete(reject);
          if (said) resolve(said.answer);
        } catch (error) {
          reject(error);
        }
      });
    });
  }
}
