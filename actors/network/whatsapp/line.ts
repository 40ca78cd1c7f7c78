import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Cancel, Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { Fenced } from '../../../store/keyrings.ts';
import type { Dial } from '../../egress/dial.ts';
import { ProxyFailed } from '../../egress/proxy.ts';
import { SecretUnreadable } from '../../secrets/seal.ts';
import type { LookedUp } from '../jid.ts';
import {
  CLOSED,
  type FileReference,
  type Line,
  type LineEvent,
  type MessageKey,
  type OpenFile,
  type OpenOrder,
  type OutgoingEdit,
  type OutgoingErasure,
  type OutgoingMessage,
  type OutgoingReaction,
  type Presence,
  type Vault,
} from '../port.ts';
import { type Account, type Login, storedLogin } from './account.ts';
import { codeOf, OVER } from './closing.ts';
import { download } from './files.ts';
import { Keeper } from './keeper.ts';
import type { AuthenticationCreds, Library, Socket } from './library.ts';
import { lookUp } from './look-up.ts';
import { Online } from './online.ts';
import { askPairingCode, pair } from './pairing.ts';
import { noKeys } from './signal-store.ts';
import { endSocket, openSocket } from './socket.ts';
import { openTunnel, type Tunnel } from './tunnel.ts';

export interface LineParts {
  readonly library: () => Promise<Library>;
  readonly url: string | null;
  readonly dial: Dial;
  readonly history: number;
  readonly account: Account;
  readonly clock: Clock;
  readonly log: Logger;
  ended(line: WhatsAppLine): void;
}

const FINISHING_MS = 2_000;
/** For the network to show a code, or to let a login in. */
const ANSWERED_WITHIN_MS = 20_000;

/**
 * One login.
 *
 *   reading what is stored ─┬─ no login ──▶ pairing ──linked──▶ (515) closed
 *                           └─ a login ───▶ connecting ──▶ online ──▶ closed
 */
export class WhatsAppLine implements Line {
  readonly #order: OpenOrder;
  readonly #hear: (event: LineEvent) => void;
  readonly #parts: LineParts;
  readonly #keeper = new Keeper((event) => this.#tell(event));
  #socket: Socket | null = null;
  #online: Online | null = null;
  #vault: Vault | null = null;
  #tunnel: Tunnel | null = null;
  #ended = false;
  #unwatch: Cancel = () => {};
  readonly #asking = new Set<(error: Refusal) => void>();

  constructor(order: OpenOrder, hear: (event: LineEvent) => void, parts: LineParts) {
    this.#order = order;
    this.#hear = hear;
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

  /** What the last process left is heard before this login is let in: its file is fetched as soon as it is. */
  download(file: FileReference): Promise<Readable> {
    const online = this.#online;
    if (this.#ended || !online) return Promise.reject(new Refusal('NOT_CONNECTED'));
    return this.#orClosed(online.wires.opened.then(() => download(online.wires, file)));
  }

  pairingCode(digits: string): Promise<{ readonly code: string; readonly expiresAt: number }> {
    const socket = this.#socket;
    if (!socket || this.#ended) return Promise.reject(new Refusal('NOT_CONNECTED'));
    if (this.#online) return Promise.reject(new Refusal('CONFLICT'));
    return this.#orClosed(askPairingCode(socket, digits, this.#parts.clock));
  }

  lookUp(digits: readonly string[]): Promise<readonly LookedUp[]> {
    return this.#ask((online) => lookUp(online, digits));
  }

  logOut(): Promise<void> {
    return this.#ask(({ wires: { socket } }) => socket.logout());
  }

  close(): void {
    this.#end(CLOSED.normally);
  }

  /** Closes when what was given to it so far was written, and after a while in any case. */
  async finish(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(FINISHING_MS, resolve);
    await Promise.race([this.#online?.outbound.idle(), promise]);
    cancel();
    this.close();
  }

  async #start(): Promise<void> {
    const { vault, proxyUrl } = this.#order;
    if (!vault) throw new Error('a device of this network needs a vault for its secrets');
    const { url, dial, clock } = this.#parts;
    if (proxyUrl !== null) this.#tunnel = openTunnel(proxyUrl, url, dial, clock);
    this.#vault = vault;
    const library = await this.#parts.library();
    const login = await storedLogin(vault, (cause) => this.#fail(cause));
    if (this.#ended) return;
    if (this.#order.credentials === null) return login ? this.#resume(login.creds) : this.#pair(library, vault);
    // There never was one, or it was unlinked: that is known for sure, for what cannot be read rejects.
    if (!login) return this.#end(CLOSED.loggedOut);
    this.#logIn(library, login);
  }

  /** A phone linked this device, and the process died before anybody else knew. */
  #resume(creds: AuthenticationCreds): void {
    this.#tell(this.#linked(creds));
    this.#end(CLOSED.restart);
  }

  #pair(library: Library, vault: Vault): void {
    const creds = library.initAuthCreds();
    const { url, account, clock, log } = this.#parts;
    const socket = openSocket({ library, url, tunnel: this.#tunnel, creds, keys: noKeys, account, log });
    this.#follow(socket);
    const failed = (cause: unknown): void => this.#fail(cause);
    pair({
      library,
      socket,
      creds,
      vault,
      clock,
      credentials: (learnt) => this.#linked(learnt),
      tell: (event) => this.#tell(event),
      failed,
    });
  }

  #logIn(library: Library, login: Login): void {
    const { url, account, history, clock, log } = this.#parts;
    const { recall = async () => null, quoted = async () => null, openFile } = this.#order;
    const tell = (event: LineEvent): void => this.#tell(event);
    const shared = { ...login, library, account, history, tunnel: this.#tunnel, recall, quoted, openFile, clock, log };
    const online = new Online({ ...shared, tell, keeper: this.#keeper }, url);
    this.#online = online;
    this.#follow(online.wires.socket);
  }

  #follow(socket: Socket): void {
    this.#socket = socket;
    this.#unwatch = this.#parts.clock.after(ANSWERED_WITHIN_MS, () => this.#end(CLOSED.codesRanOut));
    socket.ev.on('connection.update', ({ connection, qr, lastDisconnect }) => {
      if (connection === 'open' || qr) this.#unwatch();
      if (connection !== 'close') return;
      if (this.#tunnel?.failure) this.#fail(this.#tunnel.failure);
      else this.#end(codeOf(lastDisconnect?.error));
    });
  }

  #linked({ me }: AuthenticationCreds): Extract<LineEvent, { type: 'linked' }> {
    const phone = me!.id.split(/[:@]/)[0]!;
    return { type: 'linked', phone, credentials: { device: this.#order.deviceId, me: me!.id } };
  }

  #tell(event: LineEvent): void {
    if (!this.#ended) this.#hear(event);
  }

  #fail(cause: unknown): void {
    this.#parts.log.warn({ err: cause, device: this.#order.deviceId }, 'a line to the network was given up');
    if (cause === this.#tunnel?.failure || cause instanceof ProxyFailed) this.#end(CLOSED.proxy);
    else if (cause instanceof SecretUnreadable) this.#end(CLOSED.unreadable);
    else this.#end(cause instanceof Fenced ? CLOSED.replaced : CLOSED.failed);
  }

  #end(code: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unwatch();
    for (const refuse of this.#asking) refuse(new Refusal('NOT_CONNECTED'));
    if (this.#socket) endSocket(this.#socket);
    this.#tunnel?.close();
    const closed = (): void => {
      this.#parts.ended(this);
      this.#hear({ type: 'closed', code });
    };
    // Or the next that is to be linked would go on with it.
    const forgotten = OVER.has(code) && this.#vault ? this.#vault.destroy() : Promise.resolve();
    forgotten.then(closed, closed);
  }

  #ask<T>(question: (online: Online) => Promise<T>): Promise<T> {
    if (this.#ended || !this.#online?.isOpen) return Promise.reject(new Refusal('NOT_CONNECTED'));
    return this.#orClosed(question(this.#online));
  }

  /** An ask ends with its line. */
  #orClosed<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#asking.add(reject);
      answer
        .then(resolve, (cause) => reject(this.#ended ? new Refusal('NOT_CONNECTED') : cause))
        .finally(() => this.#asking.delete(reject));
    });
  }
}
