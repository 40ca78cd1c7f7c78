import type { Stanza } from '../stanza.ts';

/** Stanzas pending for one device until it acknowledges them, in order of arrival. */
export class Mailbox {
  #waiting: Stanza[] = [];

  get waiting(): readonly Stanza[] {
    return this.#waiting;
  }

  put(stanza: Stanza): void {
    this.#waiting.push(stanza);
  }

  /** Clears the mailbox as if everything had been acknowledged. */
  forget(): void {
    this.#waiting = [];
  }

  /** Removes a message for which the device sent a receipt or an error. */
  takeMessage(id: string): void {
    this.#take((stanza) => stanza.tag === 'message' && stanza.attrs['id'] === id);
  }

  /** Removes a receipt, notification or call that the device acknowledged. */
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

  /** Removes one stanza only: a message that was sent twice is acknowledged twice. */
  #take(isIt: (stanza: Stanza) => boolean): void {
    const at = this.#waiting.findIndex(isIt);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}

/** Returns an address as clients write it. The server's own address has no user and therefore no `@`. */
const written = (address: string | null | undefined): string | undefined => address?.replace(/^@/, '');
