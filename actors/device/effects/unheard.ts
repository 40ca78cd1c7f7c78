import type { Clock } from '../../../runtime/clock.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';

type Written = Pick<MessageRow, '_id' | 'chat_id'>;

const WAITS_AT_MOST_MS = 10_000;
/** With more pending received messages, campaign messages wait until the whole outbox is processed. */
const MAX_REMEMBERED = 10_000;

/** Tracks received messages that may be a STOP. Campaign messages to their authors must wait. */
export class Unheard {
  readonly #clock: Clock;
  readonly #pending = new Map<string, string>();
  #mayBeAnybody = true;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wrote({ chat_id, _id }: Written): void {
    if (this.#pending.size < MAX_REMEMBERED) this.#pending.set(_id, chat_id);
    else this.#mayBeAnybody = true;
  }

  followed(rows: readonly Written[]): void {
    for (const { _id } of rows) this.#pending.delete(_id);
    this.#wake();
  }

  caughtUp(): void {
    this.#mayBeAnybody = false;
    this.#wake();
  }

  among(chats: readonly string[]): readonly string[] {
    if (chats.length === 0 || this.#mayBeAnybody) return chats;
    const pending = new Set(this.#pending.values());
    return chats.filter((chat) => pending.has(chat));
  }

  async heard(chats: readonly string[]): Promise<void> {
    if (this.#areHeard(chats)) return;
    let isOver = false;
    const cancel = this.#clock.after(WAITS_AT_MOST_MS, () => {
      isOver = true;
      this.#wake();
    });
    while (!isOver && !this.#areHeard(chats)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    cancel();
    if (!this.#areHeard(chats)) this.#giveUp(chats);
  }

  #areHeard(chats: readonly string[]): boolean {
    return this.among(chats).length === 0;
  }

  #giveUp(chats: readonly string[]): void {
    for (const [id, chat] of this.#pending) if (chats.includes(chat)) this.#pending.delete(id);
    this.caughtUp();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
