import type { Stanza } from '../stanza.ts';

/** What lies on the server for one device until the device says that it has it; in the order in which it came. */
export class Mailbox {
  #waiting: Stanza[] = [];

  get waiting(): readonly Stanza[] {
    return this.#waiting;
  }

  put(stanza: Stanza): void {
    this.#waiting.push(stanza);
  }

  /** As if the device had everything. */
  forget(): void {
    this.#waiting = [];
  }

  /** The device has the message: it sent a receipt for it, or an error. */
  takeMessage(id: string): void {
    this.#take((stanza) => stanza.tag === 'message' && stanza.attrs['id'] === id);
  }

  /** The device acknowledged a receipt, a notification or a call. */
  take(ack: Stanza): void {
    const { class: tag, to, id, type, participant } = ack.attrs;
    this.#take(
      ({ tag: own, attrs }) =>
        own === tag &&
        attrs['id'] === id &&
        written(attrs['from']) === to &&
        attrs['type'] === type &&
        attrs['participant'] === participant,
    );
  }

  /** One at a time: a message that was sent twice is acknowledged twice. */
  #take(isIt: (stanza: Stanza) => boolean): void {
    const at = this.#waiting.findIndex(isIt);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}

/** An address as a client writes it: that of the server itself has no user, and then no `@` either. */
const written = (address: string | null | undefined): string | undefined => address?.replace(/^@/, '');
