import { fairSlices } from '../../../runtime/fair-slices.ts';
import { userJid } from '../jid.ts';
import { type ConnectionEvent, type KeptEvent, tokenOf } from '../port.ts';
import { STOPPED_MARKETING, WINDOW_CLOSED } from './error-codes.ts';
import { eventOf, messagesIn, moveIn, preferencesIn, type Recipient, type Status, statusesIn, writersIn } from './incoming.ts';
import type { OfficialLogin, StoredHook } from './login.ts';
import { idIn } from './sender.ts';

/**
 * Reads stored webhooks in batches, oldest first. A webhook is done when the device has stored all
 * of its contents. Devices do not report when an ack or refusal is stored, so the reader sends two
 * empty receipts after it. The device acknowledges a receipt only when everything before it is
 * stored.
 */

interface Reading {
  say(event: ConnectionEvent): void;
  settle(opaque: string, wamid: string, at: number): Promise<void>;
  refused(netId: string, code: number | null): void;
  came(chat: string, netId: string): void;
  account(field: string, value: unknown): Promise<void>;
  failed(cause: unknown): void;
}

const TOGETHER = 50;

export class HookReader {
  readonly #login: OfficialLogin;
  readonly #reading: Reading;
  readonly #awaited = new Map<string, () => void>();
  #isReading = false;
  #again = false;
  #isClosed = false;
  #serial = 0;

  constructor(login: OfficialLogin, reading: Reading) {
    this.#login = login;
    this.#reading = reading;
  }

  read(): void {
    if (this.#isReading) {
      this.#again = true;
      return;
    }
    this.#isReading = true;
    this.#readAll().then(
      () => {
        this.#isReading = false;
        if (this.#again && !this.#isClosed) {
          this.#again = false;
          this.read();
        }
      },
      (cause) => {
        this.#isReading = false;
        if (!this.#isClosed) this.#reading.failed(cause);
      },
    );
  }

  acknowledge(token: string): void {
    const answered = this.#awaited.get(token);
    this.#awaited.delete(token);
    answered?.();
  }

  close(): void {
    this.#isClosed = true;
    this.#awaited.clear();
  }

  async #readAll(): Promise<void> {
    for (;;) {
      const hooks = this.#isClosed ? [] : await this.#login.hooks(TOGETHER);
      if (hooks.length === 0 || this.#isClosed) return;
      await this.#take(hooks);
      if (this.#isClosed) return;
      await this.#login.hooksDone(hooks.map(({ id }) => id));
    }
  }

  async #take(hooks: readonly StoredHook[]): Promise<void> {
    const stored: Promise<void>[] = [];
    let isSilent = false;
    for (const hook of hooks) {
      for (const { field, value } of await hook.changes()) {
        if (this.#isClosed) return;
        if (field !== 'messages' && field !== 'smb_message_echoes') {
          await this.#aside(field, value);
          continue;
        }
        for await (const event of this.#eventsIn(value)) await this.#hand(event, stored);
        for (const status of statusesIn(value)) {
          isSilent ||= status.status === 'sent' || status.status === 'failed' || status.opaque !== null;
          await this.#status(status, stored);
        }
      }
    }
    await Promise.all(stored);
    // Send two receipts, because the first may be stored with an ack, before the refusal after that ack.
    for (let times = 0; isSilent && times < 2; times += 1) await this.#give(this.#receipt('delivered', [], 0));
  }

  async #hand(event: KeptEvent, stored: Promise<void>[]): Promise<void> {
    if (this.#isClosed) return;
    stored.push(this.#give(event));
    if (stored.length < TOGETHER) return;
    await Promise.all(stored.splice(0));
    // The embedded store responds within a tick, so thousands of statuses would otherwise share one tick.
    await fairSlices.turn(this.#login.sessionId);
  }

  async *#eventsIn(value: unknown): AsyncGenerator<KeptEvent> {
    const writers = writersIn(value);
    for (const message of messagesIn(value)) {
      const move = moveIn(message);
      if (move) await this.#login.moved(move);
      const writer = writers(message);
      if (!writer) continue;
      const address = await this.#addressOf(writer);
      const alias = writer.phone === null ? address : await this.#formerAlias(writer);
      const event = address === null ? null : eventOf(message, writer, address, alias);
      if (!event) continue;
      if (event.type === 'received' && address !== null) this.#reading.came(address, event.message.netId);
      yield event;
    }
  }

  async #aside(field: string, value: unknown): Promise<void> {
    if (field !== 'user_preferences') return this.#reading.account(field, value);
    for (const { wantsMarketing, at, ...person } of preferencesIn(value))
      await this.#prefers(await this.#addressOf(person), wantsMarketing, at);
  }

  async #addressOf({ phone, userId }: Recipient): Promise<string | null> {
    if (phone !== null) return userJid(phone);
    return userId === null ? null : this.#login.aliasOf(userId);
  }

  /** Returns the address of a person who hid their number before. The device merges it with the number. */
  async #formerAlias({ userId }: Recipient): Promise<string | null> {
    return userId === null ? null : this.#login.knownAlias(userId);
  }

  async #prefers(address: string | null, wantsMarketing: boolean, at: number): Promise<void> {
    if (address !== null) await this.#login.prefers(address, wantsMarketing, at);
  }

  /** Finds the recipient's address. Never creates one, because the person may have been erased. */
  async #recipientOf({ phone, userId }: Recipient): Promise<string | null> {
    if (phone !== null) return userJid(phone);
    return userId === null ? null : this.#login.knownAlias(userId);
  }

  async #rejected(recipient: Recipient, code: number | null, at: number): Promise<void> {
    if (code !== STOPPED_MARKETING && code !== WINDOW_CLOSED) return;
    const address = await this.#recipientOf(recipient);
    if (code === STOPPED_MARKETING) return this.#prefers(address, false, at);
    if (address !== null) await this.#login.windowClosed(address, at);
  }

  async #status({ wamid, status, at, opaque, code, recipient, pricing }: Status, stored: Promise<void>[]): Promise<void> {
    if (status === 'failed') await this.#rejected(recipient, code, at);
    if (opaque !== null) await this.#reading.settle(opaque, wamid, at);
    // Ignore the price in the status `sent`, because the platform charges only on delivery.
    if (pricing && (status === 'delivered' || status === 'read'))
      await this.#login.priced({ id: opaque === null ? null : idIn(opaque), wamid, ...pricing, ...recipient, at });
    if (status === 'failed') this.#reading.refused(wamid, code);
    else if (status !== 'sent') await this.#hand(this.#receipt(status, [wamid], at), stored);
  }

  #receipt(status: 'delivered' | 'read', netIds: readonly string[], at: number): KeptEvent {
    this.#serial += 1;
    return { type: 'receipt', token: `${this.#login.sessionId} ${this.#serial}`, netIds, status, at };
  }

  #give(event: KeptEvent): Promise<void> {
    const token = tokenOf(event);
    return new Promise((resolve) => {
      const earlier = this.#awaited.get(token);
      this.#awaited.set(token, () => {
        earlier?.();
        resolve();
      });
      this.#reading.say(event);
    });
  }
}
