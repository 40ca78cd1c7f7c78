import { type Clock, forAtMost } from '../../../runtime/clock.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';

type Written = Pick<MessageRow, '_id' | 'chat_id'>;

/** What follows from a message may be impossible for a while; campaigns do not wait for ever. */
const WAITS_AT_MOST_MS = 10_000;
/** Of more, nobody knows who has been heard. */
const MAX_CHATS = 10_000;

/**
 * Who wrote to a device something that is stored, but not followed up yet. It may be a STOP, so a campaign's message to them waits until it
 * is. What the process before this one left counts as something of everybody, until the outbox has been read to its end once. In memory only.
 */
export class Unheard {
  readonly #clock: Clock;
  /** The last message of each chat, by id. */
  readonly #last = new Map<string, string>();
  #mayBeAnybody = true;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** This has just been stored. */
  wrote({ chat_id, _id }: Written): void {
    if (this.#last.size < MAX_CHATS) this.#last.set(chat_id, _id);
    else this.#mayBeAnybody = true;
  }

  /** All that follows from these is stored. */
  followed(rows: readonly Written[]): void {
    for (const { chat_id, _id } of rows) if ((this.#last.get(chat_id) ?? _id) <= _id) this.#last.delete(chat_id);
    this.#wake();
  }

  /** Nothing is left that waits to be followed up. */
  caughtUp(): void {
    this.#mayBeAnybody = false;
    this.#wake();
  }

  /** Resolves once all that these chats wrote is followed up, or after ten seconds. */
  async heard(chats: readonly string[]): Promise<void> {
    const isHeard = (): boolean => !this.#mayBeAnybody && chats.every((chat) => !this.#last.has(chat));
    if (isHeard()) return;
    let isOver = false;
    const all = async (): Promise<void> => {
      while (!isOver && !isHeard()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    };
    await forAtMost(this.#clock, WAITS_AT_MOST_MS, all());
    isOver = true;
    for (const chat of chats) this.#last.delete(chat);
    this.caughtUp();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
