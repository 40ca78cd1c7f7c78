import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Cancel, Clock } from '../../../../runtime/clock.ts';
import type { Connect } from '../../../../runtime/egress/guarded-connect.ts';
import { ProxyFailed } from '../../../../runtime/egress/proxy.ts';
import { Refusal } from '../../../../runtime/errors.ts';
import { SecretUnreadable } from '../../../../runtime/sealing/seal.ts';
import { Fenced } from '../../../../store/devices/credentials.ts';
import type { Habit } from '../../../../store/devices/network-habits.ts';
import { buildIn } from '../../../domain/client-build.ts';
import type { HistoryWanted } from '../../history.ts';
import type { LookedUp } from '../../jid.ts';
import type { PasskeyCredential, TakesPasskeys } from '../../passkey.ts';
import {
  CLOSED,
  type Connection,
  type ConnectionEvent,
  type CredentialStore,
  type FileReference,
  type MessageKey,
  type OpenFile,
  type OpenOrder,
  type OutgoingEdit,
  type OutgoingErasure,
  type OutgoingMessage,
  type OutgoingReaction,
  type Presence,
} from '../../port.ts';
import { type AnswerOf, answerFrom, type InputOf, type QuestionName } from '../../questions.ts';
import type { CatalogClient } from '../catalog/catalog-client.ts';
import { download } from '../inbound/download.ts';
import { Unacknowledged } from '../inbound/unacknowledged.ts';
import { type Account, type LinkedCreds, type Login, noteUse, phoneOf, storedLogin, wasUsed } from '../keys/account.ts';
import { noKeys } from '../keys/signal-store.ts';
import type { BinaryNode, Library, Socket } from '../library.ts';
import type { Mex } from '../mex/mex-table.ts';
import { lookUp } from '../outbound/look-up.ts';
import { ANSWERS } from '../questions/answers.ts';
import { codeOf, expiryIn, OVER, refusalIn } from './closing.ts';
import { Online } from './online.ts';
import { askPairingCode, type Pairing, pair } from './pairing.ts';
import { endSocket, openSocket } from './socket.ts';
import { openTunnel, type Tunnel } from './tunnel.ts';

/** Months of history that phones send unless more is requested. */
const RECENT_MONTHS = 3;
const NO_HISTORY: HistoryWanted = { most: 0, months: null };

export interface ConnectionParts {
  readonly library: () => Promise<Library>;
  readonly url: string | null;
  readonly dial: Connect;
  readonly account: Account;
  readonly mex: Mex;
  readonly catalog: CatalogClient | null;
  readonly clock: Clock;
  readonly log: Logger;
  ended(connection: WhatsAppConnection): void;
}

const FINISHING_MS = 2_000;
/** Time limit for the network to provide a code or accept a login. */
const ANSWERED_WITHIN_MS = 20_000;
/** Time limit for the network to close the connection over which this device was linked. */
const RESTARTED_WITHIN_MS = 10_000;

/**
 *   reading what is stored ─┬─ no login ──▶ pairing ──linked──▶ (515) closed
 *                           └─ a login ───▶ connecting ──▶ online ──▶ closed
 */
export class WhatsAppConnection implements Connection, TakesPasskeys {
  readonly #order: OpenOrder;
  readonly #receive: (event: ConnectionEvent) => void;
  readonly #parts: ConnectionParts;
  readonly #keeper = new Unacknowledged((event) => this.#tell(event));
  #socket: Socket | null = null;
  #online: Online | null = null;
  #pairing: Pairing | null = null;
  #credentialStore: CredentialStore | null = null;
  #tunnel: Tunnel | null = null;
  #ended = false;
  #isLoggedOut = false;
  #generation: string | undefined;
  #unwatch: Cancel = () => {};
  readonly #asking = new Set<(error: Refusal) => void>();

  constructor(order: OpenOrder, receive: (event: ConnectionEvent) => void, parts: ConnectionParts) {
    this.#order = order;
    this.#receive = receive;
    this.#parts = parts;
    this.#start().catch((cause) => this.#fail(cause));
  }

  send(message: OutgoingMessage, open?: OpenFile): void {
    this.#online?.outbound.send(message, open);
  }

  react(reaction: OutgoingReaction): void {
    this.#online?.outbound.react(reaction);
  }

  edit(edit: OutgoingEdit): void {
    this.#online?.outbound.edit(edit);
  }

  erase(erasure: OutgoingErasure): void {
    this.#online?.outbound.erase(erasure);
  }

  markRead(chat: string, messages: readonly Pick<MessageKey, 'netId' | 'from'>[]): void {
    this.#online?.markRead(chat, messages);
  }

  presence(chat: string, state: Presence): void {
    this.#online?.presence(chat, state);
  }

  acknowledge(token: string): void {
    if (!this.#ended) this.#keeper.acknowledge(token);
  }

  /** Waits for the login, because a message from the previous process may request its file too early. */
  download(file: FileReference): Promise<Readable> {
    const online = this.#online;
    if (this.#ended || !online) return Promise.reject(new Refusal('NOT_CONNECTED'));
    return this.#orClosed(online.context.opened.then(() => download(online.context, file)));
  }

  pairingCode(digits: string): Promise<{ readonly code: string; readonly expiresAt: number }> {
    const socket = this.#socket;
    if (!socket || this.#ended) return Promise.reject(new Refusal('NOT_CONNECTED'));
    if (this.#online) return Promise.reject(new Refusal('CONFLICT'));
    return this.#orClosed(askPairingCode(socket, digits, this.#parts.clock));
  }

  answerPasskey(credential: PasskeyCredential): Promise<void> {
    return this.#linking(({ passkeys }) => passkeys.answerPasskey(credential));
  }

  confirmPasskey(): Promise<void> {
    return this.#linking(({ passkeys }) => passkeys.confirmPasskey());
  }

  lookUp(digits: readonly string[]): Promise<readonly LookedUp[]> {
    return this.#ask((online) => lookUp(online, digits));
  }

  ask<N extends QuestionName>(name: N, input: InputOf<N>): Promise<AnswerOf<N>> {
    return this.#ask(async ({ context }) => answerFrom(ANSWERS, context, name, input));
  }

  logOut(): Promise<void> {
    return this.#ask(({ context: { socket } }) => {
      this.#isLoggedOut = true;
      return socket.logout();
    });
  }

  close(): void {
    this.#end(CLOSED.normally);
  }

  async finish(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(FINISHING_MS, resolve);
    await Promise.race([this.#online?.outbound.idle(), promise]);
    cancel();
    this.close();
  }

  async #start(): Promise<void> {
    const { credentialStore, proxyUrl } = this.#order;
    if (!credentialStore) throw new Error('a device of this network needs a credential store for its secrets');
    const { url, dial, clock } = this.#parts;
    if (proxyUrl !== null) this.#tunnel = openTunnel(proxyUrl, url, dial, clock);
    this.#credentialStore = credentialStore;
    const library = await this.#parts.library();
    const login = await storedLogin(credentialStore, (cause) => this.#fail(cause));
    if (this.#ended) return;
    if (this.#order.credentials === null) return this.#link(library, credentialStore, login);
    // There is no stored login. An unreadable one would have failed earlier.
    if (!login) return this.#end(CLOSED.loggedOut);
    this.#logIn(library, login);
  }

  /** A login that was never used has not been reported yet. A used one was left by a failed logout. */
  async #link(library: Library, credentialStore: CredentialStore, login: Login | null): Promise<void> {
    if (login && !wasUsed(login.creds)) return this.#resume(login.creds);
    if (login) await credentialStore.destroy(login.credentialBuffer.generation);
    if (!this.#ended) this.#pair(library, credentialStore);
  }

  #resume(creds: LinkedCreds): void {
    this.#tell(this.#linked(creds));
    this.#end(CLOSED.restart);
  }

  #pair(library: Library, credentialStore: CredentialStore): void {
    const creds = library.initAuthCreds();
    const { url, account, clock, log } = this.#parts;
    const wantsAll = (this.#order.history?.months ?? 0) > RECENT_MONTHS;
    const { socket } = openSocket({ library, url, build: this.#build, tunnel: this.#tunnel, creds, keys: noKeys, account, log, wantsAll });
    this.#follow(socket);
    const failed = (cause: unknown): void => this.#fail(cause);
    this.#pairing = pair({
      library,
      socket,
      creds,
      credentialStore,
      clock,
      credentials: (learnt) => this.#linked(learnt),
      tell: (event) => {
        if (event.type === 'linked') this.#restartSoon();
        this.#tell(event);
      },
      ranOut: () => this.#end(CLOSED.codesRanOut),
      failed,
    });
  }

  /** Closes the connection if the network does not. The next login shows whether the link worked. */
  #restartSoon(): void {
    this.#unwatch();
    this.#unwatch = this.#parts.clock.after(RESTARTED_WITHIN_MS, () => this.#end(CLOSED.restart));
  }

  #logIn(library: Library, login: Login): void {
    const { url, account, mex, catalog, clock, log } = this.#parts;
    this.#generation = login.credentialBuffer.generation;
    noteUse(login);
    const { findSent = async () => null, secretsOf = async () => [], quoted = async () => null, openFile, habits } = this.#order;
    const { whyNot = async () => null, history = NO_HISTORY } = this.#order;
    const isHabit = (habit: Habit): boolean => habits?.includes(habit) ?? true;
    const tell = (event: ConnectionEvent): void => this.#tell(event);
    const shared = {
      ...login,
      library,
      account,
      isHabit,
      history: isHabit('history') ? history : NO_HISTORY,
      tunnel: this.#tunnel,
      findSent,
      whyNot,
      secretsOf,
      quoted,
      openFile,
      mex,
      catalog,
      clock,
      log,
    };
    const online = new Online({ ...shared, tell, keeper: this.#keeper }, url, this.#build);
    this.#online = online;
    this.#follow(online.context.socket);
  }

  #follow(socket: Socket): void {
    this.#socket = socket;
    this.#unwatch = this.#parts.clock.after(ANSWERED_WITHIN_MS, () => this.#end(CLOSED.unreachable));
    socket.ws.on('CB:ib,,client_expiration', (stanza: BinaryNode) => {
      const at = expiryIn(stanza);
      if (at !== undefined) this.#tell({ type: 'buildExpires', at });
    });
    // Replace the library's listener, which throws for reasons that it cannot parse.
    socket.ws.removeAllListeners('CB:failure');
    socket.ws.on('CB:failure', ({ attrs }: BinaryNode) => {
      const { code, until } = refusalIn(attrs, this.#parts.clock.now());
      this.#end(code, until);
    });
    socket.ev.on('connection.update', ({ connection, qr, lastDisconnect }) => {
      if (connection === 'open' || qr) this.#unwatch();
      if (connection !== 'close') return;
      if (this.#tunnel?.failure) this.#fail(this.#tunnel.failure);
      else this.#end(codeOf(lastDisconnect?.error, this.#online?.isOpen ?? false));
    });
  }

  get #build(): number | null {
    return this.#order.version === undefined ? null : buildIn(this.#order.version);
  }

  #linked(creds: LinkedCreds): Extract<ConnectionEvent, { type: 'linked' }> {
    return { type: 'linked', phone: phoneOf(creds), credentials: { device: this.#order.deviceId, me: creds.me.id } };
  }

  #tell(event: ConnectionEvent): void {
    if (!this.#ended) this.#receive(event);
  }

  #fail(cause: unknown): void {
    this.#parts.log.warn(
      { event: 'device.connection_lost', err: cause, device: this.#order.deviceId },
      'a connection to the network was closed after an error',
    );
    if (cause === this.#tunnel?.failure || cause instanceof ProxyFailed) this.#end(CLOSED.proxy);
    else if (cause instanceof SecretUnreadable) this.#end(CLOSED.unreadable);
    else this.#end(cause instanceof Fenced ? CLOSED.replaced : CLOSED.failed);
  }

  #end(code: number, until: number | null = null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unwatch();
    for (const refuse of this.#asking) refuse(new Refusal('NOT_CONNECTED'));
    this.#pairing?.stop();
    this.#online?.end();
    if (this.#socket) endSocket(this.#socket);
    this.#tunnel?.close();
    const closed = (): void => {
      this.#parts.ended(this);
      this.#receive({ type: 'closed', code, ...(until !== null && { until }) });
    };
    const isOver = this.#isLoggedOut || OVER.has(code);
    const forgotten = isOver && this.#credentialStore ? this.#credentialStore.destroy(this.#generation) : Promise.resolve();
    forgotten.then(closed, closed);
  }

  #ask<T>(question: (online: Online) => Promise<T>): Promise<T> {
    if (this.#ended || !this.#online?.isOpen) return Promise.reject(new Refusal('NOT_CONNECTED'));
    return this.#orClosed(question(this.#online));
  }

  #linking(question: (pairing: Pairing) => Promise<void>): Promise<void> {
    if (this.#ended) return Promise.reject(new Refusal('NOT_CONNECTED'));
    return this.#pairing ? this.#orClosed(question(this.#pairing)) : Promise.reject(new Refusal('NOT_FOUND'));
  }

  #orClosed<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#asking.add(reject);
      answer
        .then(resolve, (cause) => reject(this.#ended ? new Refusal('NOT_CONNECTED') : cause))
        .finally(() => this.#asking.delete(reject));
    });
  }
}
